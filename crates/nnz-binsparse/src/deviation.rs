//! Where a file departs from the specification, and how much that matters.

use nnz_core::{Error, ErrorKind, Finding, Place, Result, Severity};

/// Says what reading makes of a departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gravity {
    /// It is not read.
    Refused,
    /// It is read, and against the specification.
    Tolerated,
    /// It is read, and allowed.
    Noted,
}

/// A list of departures that is added to while a file is looked at.
#[derive(Debug, Default)]
pub(crate) struct Deviations(Vec<(Gravity, Error)>);

impl Deviations {
    pub(crate) fn refuse(&mut self, error: Error) {
        self.0.push((Gravity::Refused, error));
    }

    pub(crate) fn tolerate(&mut self, error: Error) {
        self.0.push((Gravity::Tolerated, error));
    }

    pub(crate) fn note(&mut self, place: Place, what: impl Into<String>) {
        // Not an error to anybody: it is told as it stands.
        self.0.push((Gravity::Noted, Error::unsupported(place, what)));
    }

    /// Takes what was read, or keeps the reason why it was not.
    pub(crate) fn take<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.refuse(error)).ok()
    }

    /// Returns whether there is one that is not read.
    pub(crate) fn any_refused(&self) -> bool {
        self.0.iter().any(|(gravity, _)| *gravity == Gravity::Refused)
    }

    /// Returns what is to be told of a file that is read, or the first reason not to.
    pub(crate) fn into_notes(self) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for (gravity, error) in self.0 {
            match gravity {
                Gravity::Refused => return Err(error),
                Gravity::Tolerated | Gravity::Noted => notes.push(error.to_string()),
            }
        }
        Ok(notes)
    }

    /// Passes all on as findings, but for errors of the system and of what was cancelled, the
    /// first of which is returned.
    pub(crate) fn report(self, each: &mut dyn FnMut(Finding)) -> Result<()> {
        let mut failed = Ok(());
        for (gravity, error) in self.0 {
            let cancelled = matches!(error.kind(), ErrorKind::Cancelled);
            if gravity == Gravity::Refused && (cancelled || error.is_system()) {
                failed = failed.and(Err(error));
                continue;
            }
            let (kind, place) = error.into_parts();
            let severity = match gravity {
                Gravity::Noted => Severity::Note,
                _ => Severity::Fault,
            };
            each(Finding { severity, place, message: kind.to_string() });
        }
        failed
    }
}
