//! The three file layouts that are all version 1.

use std::fmt;
use std::str::FromStr;

/// A layout of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The published specification. No release of DAPHNE reads it. The default.
    #[default]
    Spec,
    /// The layout of DAPHNE since June 2023 (version 0.2).
    Daphne,
    /// The layout of DAPHNE before that (version 0.1).
    Daphne2022,
}

impl Dialect {
    /// All dialects, the published one first.
    pub const ALL: [Self; 3] = [Self::Spec, Self::Daphne, Self::Daphne2022];

    /// Returns the name, such as `daphne-2022`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Daphne => "daphne",
            Self::Daphne2022 => "daphne-2022",
        }
    }

    /// Returns the number of bytes between the data type and the number of rows.
    pub(crate) fn padding_after_type(self) -> usize {
        if self == Self::Daphne2022 { 6 } else { 0 }
    }

    /// Returns the number of bytes between the type of a block and its value type.
    pub(crate) fn padding_after_block_type(self) -> usize {
        if self == Self::Daphne2022 { 3 } else { 0 }
    }

    /// Returns the length of the header up to the value types.
    pub(crate) fn header_len(self) -> u64 {
        18 + self.padding_after_type() as u64
    }

    /// Returns the length of the position, size and type of a block.
    pub(crate) fn block_header_len(self) -> u64 {
        25 + self.padding_after_block_type() as u64
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    /// Parses a name. `daphne-2023` is another name of the current layout of DAPHNE.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "daphne-2023" => Ok(Self::Daphne),
            _ => Self::ALL
                .into_iter()
                .find(|dialect| dialect.name() == text)
                .ok_or_else(|| "expected spec, daphne or daphne-2022".to_owned()),
        }
    }
}
