//! Deviations of a file from the specification, and how severe they are.

use nnz_core::{Error, ErrorKind, Finding, Place, Result, Severity};

/// How reading treats a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gravity {
    /// An error.
    Refused,
    /// It is read, but violates the specification.
    Tolerated,
    /// It is read, and allowed.
    Noted,
}

/// The deviations found in a file.
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
        // It is allowed, so only the message of the error is used.
        self.0.push((Gravity::Noted, Error::unsupported(place, what)));
    }

    /// Returns what was read, or records the error.
    pub(crate) fn take<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.refuse(error)).ok()
    }

    /// Returns whether there is an error.
    pub(crate) fn any_refused(&self) -> bool {
        self.0.iter().any(|(gravity, _)| *gravity == Gravity::Refused)
    }

    /// Returns the notes on a file that can be read, or the first error.
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

    /// Reports all deviations as findings, except errors of the system and cancellation, the first
    /// of which is returned.
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
            each(Finding::new(severity, place, kind.to_string()));
        }
        failed
    }
}
