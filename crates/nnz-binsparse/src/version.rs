//! The version a descriptor states.

use std::fmt;
use std::str::FromStr;

/// A version that can be read and written: `0.1`, or `0.1.` and a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(String);

impl Default for Version {
    fn default() -> Self {
        Self("0.1".to_owned())
    }
}

impl Version {
    /// Returns the version `0.1.0`, as drafts newer than `0.1` write it.
    ///
    /// ```
    /// assert_eq!(nnz_binsparse::Version::semantic().to_string(), "0.1.0");
    /// ```
    #[must_use]
    pub fn semantic() -> Self {
        Self("0.1.0".to_owned())
    }
}

impl Version {
    /// Says who reads the version, and who does not: no version suits all.
    pub(crate) fn readers(&self) -> &'static str {
        match *self == Self::default() {
            true => {
                "PyPI's binsparse and the newest reference C want version 0.1.0, \
                 which can be written, too; older readers want 0.1"
            }
            false => {
                "PyPI's binsparse and the newest reference C read version 0.1.0; older readers \
                 want 0.1"
            }
        }
    }
}

impl FromStr for Version {
    type Err = String;

    /// Reads a version.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || format!("{text:?} is not 0.1, nor 0.1.0 or such");
        let patch = text.strip_prefix("0.1").ok_or_else(refused)?;
        let number = |patch: &str| !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit());
        match patch.strip_prefix('.') {
            // A semantic version may end with what tells a preview or a build.
            Some(patch) if number(patch.split(['-', '+']).next().unwrap_or_default()) => {}
            None if patch.is_empty() => {}
            _ => return Err(refused()),
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
