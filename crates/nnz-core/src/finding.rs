//! Results of validation.

use std::fmt;

use crate::{Place, escaped};

/// Whether a finding makes a file invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Information; the file is valid.
    Note,
    /// A violation of the format; the file is invalid.
    Fault,
}

/// One result of validating a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Whether the file is invalid.
    pub severity: Severity,
    /// The location.
    pub place: Place,
    /// Message with the data found and expected.
    pub message: String,
}

impl Finding {
    /// Describes a finding of a severity.
    pub fn new(severity: Severity, place: Place, message: impl Into<String>) -> Self {
        Self { severity, place, message: message.into() }
    }

    /// Creates a finding for a violation of the format.
    pub fn fault(place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Fault, place, message)
    }

    /// Creates a finding that does not make the file invalid.
    pub fn note(place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, place, message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.severity == Severity::Note {
            f.write_str("note: ")?;
        }
        crate::error::write_message(f, &self.place, &escaped(&self.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_without_control_characters() {
        let finding = Finding::note(Place::path("m"), "key \x1b[31m\n\u{202e}");
        assert_eq!(finding.to_string(), r"note: m: key \u{1b}[31m\n\u{202e}");
    }
}
