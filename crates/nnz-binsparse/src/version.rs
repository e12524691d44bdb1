//! The version in a descriptor.

use std::fmt;
use std::str::FromStr;

/// A supported version: `0.1`, or `0.1.` and a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version(String);

impl Default for Version {
    fn default() -> Self {
        Self("0.1".to_owned())
    }
}

impl Version {
    /// Returns the version `0.1.0`, which drafts after `0.1` use.
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
    /// Describes which programs read the version, because no version works for all.
    pub(crate) fn readers(&self) -> &'static str {
        match *self == Self::default() {
            true => {
                "PyPI's binsparse and the newest reference C require version 0.1.0, \
                 which can be written, too; older readers require 0.1"
            }
            false => {
                "PyPI's binsparse and the newest reference C read version 0.1.0; older readers \
                 require 0.1"
            }
        }
    }
}

impl FromStr for Version {
    type Err = String;

    /// Parses a version.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || format!("{text:?} is not 0.1 or 0.1.x");
        let patch = text.strip_prefix("0.1").ok_or_else(refused)?;
        let number = |patch: &str| !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit());
        match patch.strip_prefix('.') {
            // A semantic version may end with a pre-release or build label.
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
