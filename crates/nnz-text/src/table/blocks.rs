//! Blocks of whole records from a reader, through buffers that grow with the longest record.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Error, Place, Result};
use nnz_lines::{newlines, read_error};

/// The maximum length of a record in bytes.
pub const LONGEST_RECORD: usize = 64 << 20;

/// The size of a buffer, unless a record is longer.
const CAPACITY: usize = 256 << 10;

/// Reads blocks of whole records.
///
/// Quotes are only at the start and the end of a field, or doubled inside of one. So a line ends a
/// record if and only if the number of quotes before its end is even. What a text with other quotes
/// is divided into does not matter: the parser refuses them.
pub(super) struct Blocks {
    reader: Box<dyn Read + Send>,
    path: PathBuf,
    /// Has one byte more than is read, for a missing final newline.
    buffer: Vec<u8>,
    unread: Range<usize>,
    /// The number of the first line of `unread`.
    line: u64,
    ended: bool,
    spare: Arc<Spare>,
}

/// Unused buffers, at most as many as were in use at once.
#[derive(Default)]
struct Spare(Mutex<Vec<Vec<u8>>>);

/// Whole records, of which the last one also ends with a newline.
pub(super) struct Block {
    buffer: Vec<u8>,
    taken: Range<usize>,
    /// The number of the first line.
    pub(super) line: u64,
    spare: Arc<Spare>,
}

impl Block {
    pub(super) fn text(&self) -> &[u8] {
        self.buffer.get(self.taken.clone()).unwrap_or_default()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

impl Blocks {
    pub(super) fn new(reader: Box<dyn Read + Send>, path: &Path) -> Self {
        Self {
            reader,
            path: path.to_path_buf(),
            buffer: vec![0; CAPACITY + 1],
            unread: 0..0,
            line: 1,
            ended: false,
            spare: Arc::default(),
        }
    }

    /// Returns the number of the next line.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the start of the text that is not read yet, with at least `records` whole records
    /// unless there are fewer, and whether it is the rest of the text.
    pub(super) fn peek(&mut self, records: usize) -> Result<(&[u8], bool)> {
        loop {
            self.fill()?;
            if self.ended || count_records(self.text(), records) >= records {
                break;
            }
            self.grow()?;
        }
        let text = self.buffer.get(self.unread.clone()).unwrap_or_default();
        Ok((text, self.ended))
    }

    /// Passes bytes that were [peeked](Self::peek).
    pub(super) fn skip(&mut self, len: usize) {
        let end = self.unread.start.saturating_add(len).min(self.unread.end);
        let text = self.buffer.get(self.unread.start..end).unwrap_or_default();
        self.line += newlines(text);
        self.unread.start = end;
    }

    /// Returns as many whole records as fit in the buffer, or `None` at the end.
    ///
    /// The end of a block does not depend on the sizes of single reads.
    pub(super) fn next_block(&mut self) -> Result<Option<Block>> {
        let len = loop {
            self.fill()?;
            if self.unread.is_empty() {
                return Ok(None);
            }
            match last_boundary(self.text()) {
                Some(len) => break len,
                // A quote that is never closed, which the parser refuses.
                None if self.ended => break self.unread.len(),
                None => self.grow()?,
            }
        };
        // The remainder is the start of a record, which begins the next block.
        let taken = self.unread.start..self.unread.start + len;
        let left = self.buffer.get(taken.end..self.unread.end).unwrap_or_default();
        let mut buffer = self.spare_buffer();
        if let Some(start) = buffer.get_mut(..left.len()) {
            start.copy_from_slice(left);
        }
        self.unread = 0..left.len();
        let buffer = std::mem::replace(&mut self.buffer, buffer);
        let line = self.line;
        self.line += newlines(buffer.get(taken.clone()).unwrap_or_default());
        Ok(Some(Block { buffer, taken, line, spare: Arc::clone(&self.spare) }))
    }

    /// Returns a buffer of the current size.
    fn spare_buffer(&self) -> Vec<u8> {
        let spare = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = spare.unwrap_or_default();
        if buffer.len() != self.buffer.len() {
            buffer = vec![0; self.buffer.len()];
        }
        buffer
    }

    fn text(&self) -> &[u8] {
        self.buffer.get(self.unread.clone()).unwrap_or_default()
    }

    /// Reads until the buffer is full or the input ends.
    fn fill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        let capacity = self.buffer.len() - 1;
        while self.unread.end < capacity && !self.ended {
            let free = self.buffer.get_mut(self.unread.end..capacity).unwrap_or_default();
            match self.reader.read(free) {
                Ok(0) => {
                    self.ended = true;
                    if self.text().last().is_some_and(|&byte| byte != b'\n')
                        && let Some(after) = self.buffer.get_mut(self.unread.end)
                    {
                        *after = b'\n';
                        self.unread.end += 1;
                    }
                }
                Ok(count) => self.unread.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(read_error(&self.path, error)),
            }
        }
        Ok(())
    }

    /// Doubles the buffer.
    fn grow(&mut self) -> Result<()> {
        let capacity = self.buffer.len() - 1;
        if capacity >= LONGEST_RECORD {
            let at = At::Line { line: self.line, column: 1 };
            let expected = format_args!("at most {} MiB", LONGEST_RECORD >> 20);
            return Err(Error::mismatch(
                Place::path(&self.path).at(at),
                "a longer row, or a quote that is not closed",
                expected,
            ));
        }
        self.buffer.resize(2 * capacity + 1, 0);
        Ok(())
    }
}

/// Counts the records of a text, up to `most`.
fn count_records(text: &[u8], most: usize) -> usize {
    let (mut count, mut quoted, mut start) = (0, false, 0);
    for end in memchr::memchr_iter(b'\n', text) {
        quoted ^= count_quotes(text.get(start..end).unwrap_or_default()) % 2 == 1;
        start = end;
        count += usize::from(!quoted);
        if count >= most {
            break;
        }
    }
    count
}

/// Returns the end of the last whole record of a text.
pub(super) fn last_boundary(text: &[u8]) -> Option<usize> {
    let mut end = memchr::memrchr(b'\n', text)? + 1;
    let mut quotes = count_quotes(text.get(..end)?);
    while quotes % 2 == 1 {
        let line = memchr::memrchr(b'\n', text.get(..end - 1)?)? + 1;
        quotes -= count_quotes(text.get(line..end)?);
        end = line;
    }
    Some(end)
}

/// Counts quotes, many bytes at a time.
fn count_quotes(text: &[u8]) -> usize {
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|&byte| u8::from(byte == b'"')).sum::<u8>();
    text.chunks(255).map(|chunk| usize::from(in_chunk(chunk))).sum()
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    /// Reads a few bytes at a time.
    struct Slow(Vec<u8>, usize, Random);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = (1 + self.2.below(60_000)).min(out.len()).min(self.0.len() - self.1);
            out[..count].copy_from_slice(&self.0[self.1..self.1 + count]);
            self.1 += count;
            Ok(count)
        }
    }

    #[test]
    fn blocks_are_whole_records() {
        let mut random = Random::new(5);
        for len in [0, 1, 1000, 700_000, 3_000_000] {
            let mut text = Vec::new();
            while text.len() < len {
                match random.below(4) {
                    0 => text.extend_from_slice(b"\"a\n,\"\"b\",1\n"),
                    1 => text.extend(std::iter::repeat_n(b'7', random.below(400_000))),
                    _ => text.extend_from_slice(b"xyz,1,2\n"),
                }
            }
            text.push(b'1');
            let divided = |seed| {
                let reader = Slow(text.clone(), 0, Random::new(seed));
                let mut blocks = Blocks::new(Box::new(reader), Path::new("x"));
                let (mut all, mut lines) = (Vec::new(), Vec::new());
                while let Some(block) = blocks.next_block().unwrap() {
                    assert_eq!(count_quotes(block.text()) % 2, 0);
                    assert_eq!(block.line, 1 + newlines(&all));
                    all.extend_from_slice(block.text());
                    lines.push(block.line);
                }
                (all, lines)
            };
            let (all, lines) = divided(1);
            assert_eq!(all, [&*text, b"\n"].concat());
            assert_eq!(divided(2), (all, lines));
        }
    }

    #[test]
    fn a_line_break_in_quotes_is_no_boundary() {
        assert_eq!(last_boundary(b"a\n\"b\n"), Some(2));
        assert_eq!(last_boundary(b"a\n\"b\n\"\nc"), Some(7));
        assert_eq!(last_boundary(b"\"b\nc\n"), None);
        assert_eq!(last_boundary(b"abc"), None);
        assert_eq!(count_records(b"a\n\"b\n\"\nc\n", 9), 3);
        assert_eq!(count_records(b"a\n\"b\n\"\nc\n", 2), 2);
    }
}
