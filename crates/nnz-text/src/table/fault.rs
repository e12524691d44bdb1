//! The first error in a text, and its position.

use std::fmt;
use std::path::Path;

use nnz_core::{At, Error, Place};
use nnz_lines::newlines;

/// The first error in some records: what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The position of the byte.
    pub(super) at: usize,
    pub(super) expected: Expected,
}

/// The expected token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Number,
    /// A number whose fraction begins with a point, not a comma.
    Point,
    FiniteNumber,
    /// An integer of at most 64 bits, or a float.
    Integer64,
    /// An integer that a float represents exactly.
    ExactInteger,
    /// As many fields as the header has; the text ends after fewer.
    Fields {
        found: u64,
        expected: u64,
    },
    /// The end of the row.
    EndOfRow {
        fields: u64,
    },
    ClosingQuote,
    /// A separator after a closing quote.
    AfterQuote,
    /// Quotes around a whole field.
    WholeQuotes,
    Utf8,
    NoZeroByte,
    /// No blank line before rows.
    Row,
    LineFeed,
    /// A size in the second line of GCT.
    Size(&'static str),
    /// A row for each of the rows that GCT states.
    Rows(u64),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number | Self::Point => f.write_str("a number"),
            Self::FiniteNumber => f.write_str("a number in the range of float64"),
            Self::Integer64 => {
                f.write_str("a 64-bit integer, or a float with a decimal point or an exponent")
            }
            Self::ExactInteger => f.write_str(
                "an integer that float64 holds exactly, since no type of 64-bit integers holds all values of the table",
            ),
            Self::Fields { expected, .. } => write!(f, "{}", fields(*expected)),
            Self::EndOfRow { fields: count } => {
                write!(f, "the end of the line after {}", fields(*count))
            }
            Self::ClosingQuote => f.write_str("another"),
            Self::AfterQuote => f.write_str("a separator or the end of the line"),
            Self::WholeQuotes => f.write_str("quotes around the whole field"),
            Self::Utf8 => f.write_str("UTF-8"),
            Self::NoZeroByte => f.write_str("text"),
            Self::Row => f.write_str("a row"),
            Self::LineFeed => f.write_str("a line feed after it"),
            Self::Size(what) => write!(f, "the number of {what}"),
            Self::Rows(count) => write!(f, "{count}, as in the second line"),
        }
    }
}

fn fields(count: u64) -> String {
    format!("{count} field{}", if count == 1 { "" } else { "s" })
}

impl Fault {
    pub(super) fn new(at: usize, expected: Expected) -> Self {
        Self { at, expected }
    }

    /// Creates the error for a fault in a text whose first line has this number.
    pub(super) fn report(&self, path: &Path, text: &[u8], line: u64) -> Error {
        let at = self.at.min(text.len());
        let place = Place::path(path).at(position(text, line, at));
        let token = self.token(text, at);
        let found = match &self.expected {
            Expected::Fields { found, .. } => fields(*found),
            Expected::EndOfRow { .. } => "another field".to_owned(),
            Expected::ClosingQuote => "a quote that is never closed".to_owned(),
            Expected::AfterQuote => "text after a closing quote".to_owned(),
            Expected::WholeQuotes => "a quote inside of a field".to_owned(),
            Expected::NoZeroByte => "a zero byte".to_owned(),
            Expected::Row => "a blank line".to_owned(),
            Expected::LineFeed => "a lone carriage return".to_owned(),
            Expected::Utf8 => {
                format!("the byte {:#04x}", text.get(at).copied().unwrap_or_default())
            }
            _ if token.is_empty() => "an empty field".to_owned(),
            _ => shown(&token),
        };
        let error = Error::mismatch(place, found, &self.expected);
        match self.expected {
            Expected::Number if is_missing(&token) => {
                error.with_hint("na", "names the text of missing values, which are read as NaN")
            }
            Expected::Point => {
                error.with_hint("decimal", "sets the character before a fraction, such as a comma")
            }
            _ => error,
        }
    }

    /// Returns the field at a position, without quotes.
    fn token(&self, text: &[u8], at: usize) -> Vec<u8> {
        let rest = text.get(at..).unwrap_or_default();
        match rest.split_first() {
            Some((b'"', quoted)) => {
                let len = memchr::memchr(b'"', quoted).unwrap_or(quoted.len());
                quoted.get(..len).unwrap_or_default().to_vec()
            }
            _ => {
                // A decimal comma is part of the number.
                let comma = self.expected != Expected::Point;
                let ends = |byte: &u8| {
                    matches!(byte, b';' | b'\t' | b'\n' | b'\r') || (comma && *byte == b',')
                };
                let len = rest.iter().position(ends).unwrap_or(rest.len());
                rest.get(..len).unwrap_or_default().trim_ascii().to_vec()
            }
        }
    }
}

/// Returns whether programs write missing values like this.
fn is_missing(token: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"", b"NA", b"N/A", b"NULL", b"null", b"na"];
    words.contains(&token)
}

/// Returns line and column of a byte of a text.
pub(super) fn position(text: &[u8], line: u64, at: usize) -> At {
    let before = text.get(..at).unwrap_or(text);
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    At::Line { line: line + newlines(before), column: (before.len() - line_start) as u64 + 1 }
}

/// Shows the start of a field, escaped.
fn shown(token: &[u8]) -> String {
    const SHOWN: usize = 40;
    let cut = if token.len() > SHOWN { "..." } else { "" };
    let start = token.get(..SHOWN).unwrap_or(token);
    format!("\"{}{cut}\"", String::from_utf8_lossy(start).escape_debug())
}
