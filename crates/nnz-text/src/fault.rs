//! The first error in a block, and its position.

use std::borrow::Cow;

use nnz_core::{Error, Place};
use nnz_lines::digits::byte;
use nnz_lines::number::Invalid;

use crate::blocks::Block;
use crate::text::Text;

/// The expected token, and the offset in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    at: usize,
    expected: Cow<'static, str>,
    /// The option that decides, and how.
    hint: Option<(&'static str, &'static str)>,
}

impl Fault {
    pub(crate) fn new(at: usize, expected: impl Into<Cow<'static, str>>) -> Self {
        Self { at, expected: expected.into(), hint: None }
    }

    /// Adds the option that decides how the text is read.
    pub(crate) fn with_hint(self, option: &'static str, effect: &'static str) -> Self {
        Self { hint: Some((option, effect)), ..self }
    }

    /// Creates a fault for a number that was not parsed.
    pub(crate) fn number(at: usize, invalid: Invalid, expected: &'static str) -> Self {
        match invalid {
            Invalid::Malformed => Self::new(at, expected),
            Invalid::Inexact => Self::new(
                at,
                "an integer that float64 holds exactly, as other values are not integers of one type",
            ),
            Invalid::TooWide => {
                Self::new(at, "a 64-bit integer, or a float with a decimal point or an exponent")
            }
            Invalid::OutOfRange => Self::new(at, "a number in the range of float64"),
        }
    }

    /// Creates the error, with line and column.
    pub(crate) fn report(self, text: &Text, block: &Block) -> Error {
        let place = Place::path(text.path()).at(block.position(self.at));
        let error = Error::mismatch(place, word(block.text(), self.at), self.expected);
        match self.hint {
            Some((option, effect)) => error.with_hint(option, effect),
            None => error,
        }
    }
}

/// Returns the position of the first byte that is not a blank.
#[inline]
pub(crate) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Returns whether a line ends here: at a newline, or a carriage return before one.
#[inline]
pub(crate) fn is_line_end(text: &[u8], at: usize) -> bool {
    match byte(text, at) {
        b'\n' => true,
        b'\r' => byte(text, at + 1) == b'\n',
        _ => false,
    }
}

/// Returns the position after the next newline, or the end of the text.
#[inline]
pub(crate) fn next_line(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |newline| at + newline + 1)
}

/// Returns the end of the word at a position.
#[inline]
pub(crate) fn word_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let blank = rest.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    blank.map_or(text.len(), |len| at + len)
}

/// Shows the word at a position, escaped and shortened.
fn word(text: &[u8], at: usize) -> String {
    const SHOWN: usize = 40;
    let word = text.get(at..word_end(text, at)).unwrap_or_default();
    if word.is_empty() {
        return match byte(text, at) {
            b' ' | b'\t' => "a blank".to_owned(),
            b'\r' if !is_line_end(text, at) => "a lone carriage return".to_owned(),
            _ => "the end of the line".to_owned(),
        };
    }
    let shown = word.get(..SHOWN).unwrap_or(word);
    let cut = if word.len() > SHOWN { "..." } else { "" };
    format!("\"{}{cut}\"", String::from_utf8_lossy(shown).escape_debug())
}
