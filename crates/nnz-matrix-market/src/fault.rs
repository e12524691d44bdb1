//! What is wrong at a byte of a text.

use std::fmt;
use std::path::Path;

use nnz_core::{At, Error, Place};

use nnz_lines::{Block, LONGEST_LINE, newlines};

/// The first thing wrong in a block of lines: what was expected, and where.
///
/// It is small and says where by the byte: line and column are counted only when it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) expected: Expected,
}

/// What has to be where something else was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Banner,
    Object,
    Layout,
    Field,
    Symmetry,
    ArrayField,
    HermitianField,
    SymmetryOfField,
    Size(&'static str),
    Square(u64),
    Cells,
    Row(u64),
    Col(u64),
    Integer,
    Unsigned,
    Real,
    FiniteReal,
    RealPart,
    ImaginaryPart,
    RealDiagonal,
    OffDiagonal,
    EndOfLine,
    ShorterLine,
    NoMoreThan(u64),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = |f: &mut fmt::Formatter<'_>, what, len: &u64| match len {
            0 => write!(f, "no entry, as there are no {what}s"),
            _ => write!(f, "a {what} from 1 to {len}"),
        };
        match self {
            Self::Banner => f.write_str("%%MatrixMarket"),
            Self::Object => f.write_str("matrix"),
            Self::Layout => f.write_str("coordinate or array"),
            Self::Field => f.write_str("real, integer, unsigned-integer, complex or pattern"),
            Self::Symmetry => f.write_str("general, symmetric, skew-symmetric or hermitian"),
            Self::ArrayField => {
                f.write_str("a field with values, as every cell of an array has one")
            }
            Self::HermitianField => {
                f.write_str("a symmetry other than hermitian, or complex values")
            }
            Self::SymmetryOfField => f.write_str("general or symmetric, as values have no sign"),
            Self::Size(what) => write!(f, "the number of {what}, from 0 to {}", i64::MAX),
            Self::Square(rows) => write!(f, "{rows} columns, as many as rows, by the symmetry"),
            Self::Cells => write!(f, "a shape of less than 2^64 cells"),
            Self::Row(rows) => index(f, "row", rows),
            Self::Col(cols) => index(f, "column", cols),
            Self::Integer => f.write_str("an integer of 64 bits"),
            Self::Unsigned => f.write_str("an unsigned integer of 64 bits"),
            Self::Real => f.write_str("a number"),
            Self::FiniteReal => f.write_str("a number that float64 can hold"),
            Self::RealPart => f.write_str("the real part, a number"),
            Self::ImaginaryPart => f.write_str("the imaginary part, a number"),
            Self::RealDiagonal => {
                f.write_str("the imaginary part 0, as the diagonal of a hermitian matrix is real")
            }
            Self::OffDiagonal => {
                f.write_str("a place off the diagonal, which is zero in a skew-symmetric matrix")
            }
            Self::EndOfLine => f.write_str("the end of the line"),
            Self::ShorterLine => write!(f, "at most {LONGEST_LINE} bytes"),
            Self::NoMoreThan(count) => write!(f, "the end of the file after {}", counted(*count)),
        }
    }
}

impl Fault {
    /// Puts the count of the whole file in the place of what was left for a block.
    pub(crate) fn out_of(mut self, stored: u64) -> Self {
        if let Expected::NoMoreThan(left) = &mut self.expected {
            *left = stored;
        }
        self
    }

    /// Makes the error, now that it has to be told.
    pub(crate) fn report(self, path: &Path, block: Block<'_>) -> Error {
        let at = self.at.min(block.text.len());
        let (before, from) = block.text.split_at(at);
        let place = Place::path(path).at(position(block, before.len()));
        match self.expected {
            Expected::ShorterLine => Error::mismatch(place, "a longer line", self.expected),
            _ => Error::mismatch(place, token(from), self.expected),
        }
    }
}

/// Returns line and column of a byte of a block.
pub(crate) fn position(block: Block<'_>, at: usize) -> At {
    let before = &block.text[..at.min(block.text.len())];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    At::Line { line: block.line + newlines(before), column: (before.len() - line_start) as u64 + 1 }
}

/// Shows what stands at the start of a text: printable, and not much of it.
fn token(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    let len = text
        .iter()
        .take(SHOWN + 1)
        .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    if len == 0 {
        return match text.first() {
            Some(b'\r') if text.get(1) != Some(&b'\n') => "a lone carriage return".to_owned(),
            _ => "the end of the line".to_owned(),
        };
    }
    let cut = if len > SHOWN { "..." } else { "" };
    let shown = String::from_utf8_lossy(&text[..len.min(SHOWN)]);
    format!("\"{}{cut}\"", shown.escape_debug())
}

/// Counts entries in words.
pub(crate) fn counted(entries: u64) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        _ => format!("{entries} entries"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_short_and_printable() {
        let shown = [
            (&b"abc def\n"[..], "\"abc\""),
            (b"\x1b[31m\n", "\"\\u{1b}[31m\""),
            (b"g\xc3\xa8ne\n", "\"g\u{e8}ne\""),
            (b"\xff\n", "\"\u{fffd}\""),
            (b"\r\n", "the end of the line"),
            (b"\rx\n", "a lone carriage return"),
            (b"", "the end of the line"),
        ];
        for (text, expected) in shown {
            assert_eq!(token(text), expected);
        }
        assert_eq!(token(&[b'x'; 41]).len(), 40 + "\"...\"".len());
    }

    #[test]
    fn positions_are_counted_from_one() {
        let block = Block { text: b"12\n\n  x\n", line: 7 };
        assert_eq!(position(block, 0), At::Line { line: 7, column: 1 });
        assert_eq!(position(block, 6), At::Line { line: 9, column: 3 });
        assert_eq!(position(block, 99), At::Line { line: 10, column: 1 });
    }
}
