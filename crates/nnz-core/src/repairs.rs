//! What is mended while a broken file is read.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::{Place, escaped};

/// One thing that was wrong in a file, and is right in what is read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Where it is in the file.
    pub place: Place,
    /// What was found, and what it is read as.
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

/// Collects what sources mend. A source that is opened with it mends what is certain and lists it here; all else
/// is refused as ever.
#[derive(Debug, Default)]
pub struct Repairs {
    found: Mutex<Vec<Repair>>,
    complete: bool,
}

impl Repairs {
    /// Starts with none.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says that files end where they should, so that fewer entries than a header states are all there are. By
    /// default such a file is refused where it may have been cut short.
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

    /// Adds what was mended, unless it is there already: files may be read several times.
    pub fn add(&self, place: Place, what: impl Into<String>) {
        let repair = Repair { place, what: what.into() };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if !found.contains(&repair) {
            found.push(repair);
        }
    }

    /// Returns what was mended so far.
    #[must_use]
    pub fn list(&self) -> Vec<Repair> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
