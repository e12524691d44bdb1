//! What validation has to say.

use std::fmt;

use crate::{Place, escaped};

/// Says whether a finding makes a file invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, and allowed.
    Note,
    /// Against the format: the file is invalid.
    Fault,
}

/// One thing found while checking a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Whether it makes the file invalid.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// What was found, and what was expected.
    pub message: String,
}

impl Finding {
    /// Makes a finding that the file breaks its format at `place`.
    pub fn fault(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Fault, place, message: message.into() }
    }

    /// Makes a finding that does not make the file invalid.
    pub fn note(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, place, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.severity == Severity::Note {
            f.write_str("note: ")?;
        }
        if !self.place.is_unknown() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&escaped(&self.message))
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
