//! Options of storages.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use crate::credentials::is_known;

/// Options by name: the options of object_store (`aws_access_key_id`, `endpoint`, `region`, `token`, ...), and
/// `spool_limit`. Their values are not shown.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StorageOptions(BTreeMap<String, String>);

impl StorageOptions {
    /// Uses the environment and the configuration files of the user only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option. Names are compared in lower case.
    #[must_use]
    pub fn with(mut self, name: impl AsRef<str>, value: impl Into<String>) -> Self {
        self.0.insert(name.as_ref().to_ascii_lowercase(), value.into());
        self
    }

    /// Returns the value of an option.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Checks the names of options, and those that are numbers of bytes. Others are checked when they are used.
    ///
    /// # Errors
    ///
    /// Fails if there is no such option, or if it is not a number of bytes.
    pub fn check(&self) -> io::Result<()> {
        if let Some(name) = self.0.keys().find(|name| !is_known(name)) {
            let what = format!("unknown storage option {name:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let is_size = |name: &&str| self.get(name).is_none_or(|text| text.parse::<u64>().is_ok());
        match ["part_size", "spool_limit"].iter().find(|name| !is_size(name)) {
            None => Ok(()),
            Some(name) => {
                let what = format!("the storage option {name} is not a number of bytes");
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
        }
    }

    /// Returns whether an option is set to a true value.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(is_yes)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Parses a boolean.
pub(crate) fn is_yes(text: &str) -> bool {
    ["1", "true", "yes", "on"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
}

impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for StorageOptions {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(options: I) -> Self {
        options.into_iter().fold(Self::new(), |all, (name, value)| all.with(name, value))
    }
}

impl fmt::Debug for StorageOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
