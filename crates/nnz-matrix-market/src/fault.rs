//! The first error in a block of text, and its position.

use std::fmt;
use std::path::Path;

use nnz_core::{At, Error, Place};

use nnz_lines::{Block, LONGEST_LINE, newlines};

/// The first error in a block of lines: what was expected, and where.
///
/// It is small and has only a byte position. Line and column are counted when it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) expected: Expected,
}

/// The expected token.
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
    Elements,
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
            0 => write!(f, "no entry, since there are no {what}s"),
            _ => write!(f, "a {what} from 1 to {len}"),
        };
        match self {
            Self::Banner => f.write_str("%%MatrixMarket"),
            Self::Object => f.write_str("matrix"),
            Self::Layout => f.write_str("coordinate or array"),
            Self::Field => f.write_str("real, integer, unsigned-integer, complex or pattern"),
            Self::Symmetry => f.write_str("general, symmetric, skew-symmetric or hermitian"),
            Self::ArrayField => f.write_str("a field with values, which arrays require"),
            Self::HermitianField => {
                f.write_str("a symmetry other than hermitian, or complex values")
            }
            Self::SymmetryOfField => f.write_str("general or symmetric, since values have no sign"),
            Self::Size(what) => write!(f, "the number of {what}, less than 2^63"),
            Self::Square(rows) => {
                write!(f, "{rows} columns, since a symmetric matrix is square")
            }
            Self::Elements => write!(f, "a shape of fewer than 2^64 elements"),
            Self::Row(rows) => index(f, "row", rows),
            Self::Col(cols) => index(f, "column", cols),
            Self::Integer => f.write_str("a 64-bit integer"),
            Self::Unsigned => f.write_str("an unsigned 64-bit integer"),
            Self::Real => f.write_str("a number"),
            Self::FiniteReal => f.write_str("a number in the range of float64"),
            Self::RealPart => f.write_str("the real part, a number"),
            Self::ImaginaryPart => f.write_str("the imaginary part, a number"),
            Self::RealDiagonal => f.write_str(
                "an imaginary part of 0, since the diagonal of a hermitian matrix is real",
            ),
            Self::OffDiagonal => {
                f.write_str("a position off the diagonal, which is zero in a skew-symmetric matrix")
            }
            Self::EndOfLine => f.write_str("the end of the line"),
            Self::ShorterLine => write!(f, "at most {LONGEST_LINE} bytes"),
            Self::NoMoreThan(count) => write!(f, "the end of the file after {}", counted(*count)),
        }
    }
}

impl Fault {
    /// Replaces the number of entries left for the block with the number in the whole file.
    pub(crate) fn out_of(mut self, stored: u64) -> Self {
        if let Expected::NoMoreThan(left) = &mut self.expected {
            *left = stored;
        }
        self
    }

    /// Creates the error, with line and column.
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

/// Shows the first word of a text, escaped and shortened.
fn token(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    let len = text
        .iter()
        .take(SHOWN + 1)
        .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    if len == 0 {
        return match text.first() {
            Some(b' ' | b'\t') => "a blank".to_owned(),
            Some(b'\r') if text.get(1) != Some(&b'\n') => "a lone carriage return".to_owned(),
            _ => "the end of the line".to_owned(),
        };
    }
    if text[..len.min(SHOWN)].contains(&0) {
        let start = String::from_utf8_lossy(&text[..len.min(4)]);
        return format!("binary data (\"{}...\")", start.escape_debug());
    }
    let cut = if len > SHOWN { "..." } else { "" };
    let shown = String::from_utf8_lossy(&text[..len.min(SHOWN)]);
    format!("\"{}{cut}\"", shown.escape_debug())
}

/// Formats a number of entries.
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
    fn tokens_are_short_and_escaped() {
        let shown = [
            (&b"abc def\n"[..], "\"abc\""),
            (b"\x1b[31m\n", "\"\\u{1b}[31m\""),
            (b"g\xc3\xa8ne\n", "\"g\u{e8}ne\""),
            (b"\xff\n", "\"\u{fffd}\""),
            (b"PK\x03\x04\0\0", "binary data (\"PK\\u{3}\\u{4}...\")"),
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
