//! Strings as lines of text.

use std::io::Read;
use std::ops::Range;

/// Maximum length of a line, so that a file of another kind is not read into memory.
pub(super) const MAX_LEN: usize = 1 << 20;

/// The error of reading a line.
pub(super) enum LineError {
    Io(std::io::Error),
    TooLong { line: u64 },
}

/// Reads lines without their `\n` or `\r\n`. The last line may have no line end.
pub(super) struct Lines<R> {
    from: R,
    block: Vec<u8>,
    unread: Range<usize>,
    /// The start of a line that continues in the next block.
    begun: Vec<u8>,
    line: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, block: vec![0; 64 << 10], unread: 0..0, begun: Vec::new(), line: 1 }
    }

    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, LineError> {
        self.begun.clear();
        let head = loop {
            let rest = &self.block[self.unread.clone()];
            if let Some(end) = memchr::memchr(b'\n', rest) {
                let start = self.unread.start;
                self.unread.start += end + 1;
                self.line += 1;
                break start..start + end;
            }
            self.begun.extend_from_slice(rest);
            self.unread = 0..0;
            if self.begun.len() > MAX_LEN {
                return Err(LineError::TooLong { line: self.line });
            }
            match self.from.read(&mut self.block) {
                Ok(0) if self.begun.is_empty() => return Ok(None),
                Ok(0) => break 0..0,
                Ok(read) => self.unread = 0..read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(LineError::Io(error)),
            }
        };
        if self.begun.is_empty() {
            return Ok(Some(without_return(&self.block[head])));
        }
        self.begun.extend_from_slice(&self.block[head]);
        Ok(Some(without_return(&self.begun)))
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut lines = Lines::new(text);
        while let Ok(Some(line)) = lines.next_line() {
            found.push(line.to_vec());
        }
        assert!(matches!(lines.next_line(), Ok(None)));
        found
    }

    #[test]
    fn line_ends_may_be_unix_dos_or_missing() {
        assert_eq!(lines(b"a\nb\r\nc"), [b"a", b"b", b"c"]);
        assert_eq!(lines(b""), Vec::<Vec<u8>>::new());
        assert_eq!(lines(b"\n"), [b""]);
        assert_eq!(lines(b"a\r\r\n"), [b"a\r"]);
    }

    #[test]
    fn lines_may_cross_blocks() {
        let long = vec![b'x'; 200_000];
        let text = [&b"a\n"[..], &long, b"\nb"].concat();
        assert_eq!(lines(&text), [b"a".to_vec(), long, b"b".to_vec()]);
    }

    #[test]
    fn a_file_without_line_ends_is_not_read_into_memory() {
        let mut zeros = Lines::new(std::io::repeat(0));
        assert!(matches!(zeros.next_line(), Err(LineError::TooLong { line: 1 })));
    }
}
