//! What all lines have in common, whatever they hold.

use nnz_lines::digits::byte;

use super::fault::{Expected, Fault};
use super::number::skip_blanks;

/// What a line that does not start with a digit holds.
pub(super) enum Content {
    /// Nothing: it is blank or a comment, and the next line starts here.
    None(usize),
    /// Something, from here on.
    At(usize),
}

/// Looks past blanks for what a line holds.
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

/// Returns the position after the newline, before which only blanks may come.
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

/// Returns where the `nth` line that holds something starts to.
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
