//! Errors in a text.

use std::path::Path;

use nnz_core::{At, Error, Place};

/// The first error in a piece of text. It is reported when the piece is joined, because only then
/// its line number is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line, counted from 0 at the beginning of the piece.
    pub(super) line: u64,
    /// The byte in the line, counted from 1.
    pub(super) column: u64,
    pub(super) found: String,
    pub(super) expected: String,
}

impl Fault {
    /// Creates the error for a piece that begins with line `first_line`.
    pub(super) fn report(self, path: &Path, first_line: u64) -> Error {
        let at = At::Line { line: first_line.saturating_add(self.line), column: self.column };
        let unsorted = [ASCEND, TOGETHER].contains(&&*self.expected);
        let error = Error::mismatch(Place::path(path).at(at), self.found, self.expected);
        match unsorted {
            true => error.with_hint("sort", "reads unsorted fragments"),
            false => error,
        }
    }
}

/// The expected order of starts, and of chromosomes.
pub(super) const ASCEND: &str = "starts that ascend within a chromosome";
pub(super) const TOGETHER: &str = "all fragments of a chromosome together";

/// Shows the first field of a text, escaped and shortened.
pub(super) fn field(text: &[u8]) -> String {
    let len = text.iter().take_while(|&&byte| byte >= b' ').count();
    match text.get(len) {
        _ if len > 0 => shown(&text[..len]),
        Some(b'\t') => "an empty field".to_owned(),
        Some(b'\r') if text.get(1) != Some(&b'\n') => "a lone carriage return".to_owned(),
        Some(b'\n' | b'\r') | None => "the end of the line".to_owned(),
        Some(byte) => format!("the control character {byte:#04x}"),
    }
}

/// Quotes a name, escaped and shortened.
pub(super) fn shown(name: &[u8]) -> String {
    const SHOWN: usize = 40;
    let cut = if name.len() > SHOWN { "..." } else { "" };
    let start = String::from_utf8_lossy(&name[..name.len().min(SHOWN)]);
    format!("\"{}{cut}\"", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_short_and_escaped() {
        for (text, expected) in [
            (&b"chr 1\t2\n"[..], "\"chr 1\""),
            (b"\t2", "an empty field"),
            (b"\r\n", "the end of the line"),
            (b"\rx\n", "a lone carriage return"),
            (b"\0\n", "the control character 0x00"),
            (b"\xff\n", "\"\u{fffd}\""),
            (b"", "the end of the line"),
        ] {
            assert_eq!(field(text), expected);
        }
        assert_eq!(field(&[b'x'; 99]).len(), 40 + "\"...\"".len());
    }
}
