//! Faults that are repaired while a file is read.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::{Place, escaped};

/// A fault of a file that was repaired in what is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The location in the file.
    pub place: Place,
    /// Description of the data found, and of how it is read.
    pub what: String,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_unknown() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&escaped(&self.what))
    }
}

/// A list of repairs. A source that is opened with it repairs unambiguous faults and adds them to
/// the list; other faults are still errors.
#[derive(Debug, Default)]
pub struct Repairs {
    found: Mutex<Vec<Repair>>,
    complete: bool,
}

impl Repairs {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether files are known to be complete, so that fewer entries than the header states
    /// are all there are. By default such a file is refused if it may be truncated.
    #[must_use]
    pub fn complete(mut self, complete: bool) -> Self {
        self.complete = complete;
        self
    }

    /// Returns whether files are known to be complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Adds a repair, unless it is in the list: files may be read several times.
    pub fn add(&self, place: Place, what: impl Into<String>) {
        let repair = Repair { place, what: what.into() };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if !found.contains(&repair) {
            found.push(repair);
        }
    }

    /// Returns the repairs so far.
    #[must_use]
    pub fn list(&self) -> Vec<Repair> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
