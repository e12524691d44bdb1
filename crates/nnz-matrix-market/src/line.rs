//! Parsing that is common to all lines.

use nnz_lines::digits::byte;

use super::fault::{Expected, Fault};
use super::number::skip_blanks;

/// The content of a line that does not start with a digit.
pub(super) enum Content {
    /// None: the line is blank or a comment, and the next line starts here.
    None(usize),
    /// A word that starts here.
    At(usize),
}

/// Skips blanks to find the content of a line.
pub(super) fn content(block: &[u8], at: usize) -> Content {
    let first = skip_blanks(block, at);
    match (byte(block, first), byte(block, first + 1)) {
        (b'\n', _) => Content::None(first + 1),
        (b'\r', b'\n') => Content::None(first + 2),
        (b'%', _) => {
            let rest = block.get(first..).unwrap_or(&[]);
            let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            Content::None(first + len + 1)
        }
        _ => Content::At(first),
    }
}

/// Returns the position after the newline, before which only blanks are allowed.
#[inline]
pub(super) fn end_of_line(block: &[u8], end: usize) -> Result<usize, Fault> {
    if byte(block, end) == b'\n' {
        return Ok(end + 1);
    }
    let at = skip_blanks(block, end);
    match (byte(block, at), byte(block, at + 1)) {
        (b'\n', _) => Ok(at + 1),
        (b'\r', b'\n') => Ok(at + 2),
        _ => Err(Fault { at, expected: Expected::EndOfLine }),
    }
}

/// Returns the position of the `nth` line with content.
pub(crate) fn nth_content(block: &[u8], mut nth: usize) -> usize {
    let mut at = 0;
    while at < block.len() {
        match content(block, at) {
            Content::None(next) => at = next,
            Content::At(first) if nth == 0 => return first,
            Content::At(first) => {
                nth -= 1;
                let rest = block.get(first..).unwrap_or(&[]);
                at = first + memchr::memchr(b'\n', rest).unwrap_or(rest.len()) + 1;
            }
        }
    }
    block.len()
}
