//! The first bytes of a text: byte order marks, and other data than text in UTF-8.

use std::fmt;
use std::io::{self, Read};

use nnz_core::{At, BYTE_ORDER_MARK, Error, Place, TEXT_START, not_text};

/// A reader that skips a byte order mark, and refuses UTF-16 and other data.
pub(crate) struct Unmarked<R> {
    reader: R,
    /// The first bytes; `None` before they are read.
    start: Option<io::Cursor<Vec<u8>>>,
}

impl<R: Read> Unmarked<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, start: None }
    }
}

impl<R: Read> Read for Unmarked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let start = match &mut self.start {
            Some(start) => start,
            None => {
                let mut first = Vec::with_capacity(TEXT_START);
                self.reader.by_ref().take(TEXT_START as u64).read_to_end(&mut first)?;
                if let Some(fault) = not_text(&first) {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, NotText(fault)));
                }
                if first.starts_with(BYTE_ORDER_MARK) {
                    first.drain(..BYTE_ORDER_MARK.len());
                }
                self.start.insert(io::Cursor::new(first))
            }
        };
        match start.read(out)? {
            0 => self.reader.read(out),
            count => Ok(count),
        }
    }
}

/// The found and the expected start of a file that is not UTF-8 text.
#[derive(Debug)]
struct NotText([&'static str; 2]);

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [found, _] = self.0;
        f.write_str(found)
    }
}

impl std::error::Error for NotText {}

/// Returns the error for a text that is not UTF-8, if an error of reading is that.
#[must_use]
pub fn not_text_error(path: &std::path::Path, error: &io::Error) -> Option<Error> {
    let NotText([found, expected]) = error.get_ref()?.downcast_ref::<NotText>()?;
    let place = Place::path(path).at(At::Line { line: 1, column: 1 });
    Some(Error::mismatch(place, found, expected))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_are_skipped_once() {
        for (text, expected) in [
            (&b""[..], &b""[..]),
            (b"a", b"a"),
            (b"\xef\xbb", b"\xef\xbb"),
            (b"\xef\xbb\xbf", b""),
            (b"\xef\xbb\xbfabc", b"abc"),
            (b"\xef\xbb\xbf\xef\xbb\xbf", b"\xef\xbb\xbf"),
            (b"a\xef\xbb\xbf", b"a\xef\xbb\xbf"),
        ] {
            let mut read = Vec::new();
            Unmarked::new(text).read_to_end(&mut read).unwrap();
            assert_eq!(read, expected);
        }
        for text in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a", b"a\0b\0", b"\0a\0b"] {
            let error = Unmarked::new(text).read_to_end(&mut Vec::new()).unwrap_err();
            let error = not_text_error("a.txt".as_ref(), &error).unwrap();
            let says = "a.txt: line 1, column 1: found UTF-16 text, expected UTF-8";
            assert_eq!(error.to_string(), says);
        }
    }
}
