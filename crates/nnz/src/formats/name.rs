//! Names of formats.

use std::fmt;

/// The name of a format, such as `bpcells`: [`FormatInfo::name`](super::FormatInfo::name), as in `--to`.
///
/// ```
/// use nnz::ConvertOptions;
/// use nnz::formats::{FormatName, Registry};
///
/// let options = ConvertOptions::default().format("bpcells");
/// assert_eq!(options.format, Some(FormatName::new("bpcells")));
///
/// // A name or alias that is entered by a user.
/// let name = Registry::default().find("matrix-market").map(|format| format.info().name);
/// assert_eq!(name, Some(FormatName::new("mtx")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatName(&'static str);

impl FormatName {
    /// Creates a name. Whether a format has it is checked when it is used.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl From<&'static str> for FormatName {
    fn from(name: &'static str) -> Self {
        Self(name)
    }
}

impl PartialEq<str> for FormatName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for FormatName {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}
