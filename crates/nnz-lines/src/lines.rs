//! Whole lines from a reader, through buffers of fixed size.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Error, Place, Result};

use crate::compression::{Damaged, NoMember};
use crate::encoding::not_text_error;

/// The maximum length of a line, except for comments, which are not kept.
pub const LONGEST_LINE: usize = 64 << 10;

/// The maximum number of bytes of comments that are kept.
const MAX_COMMENTS: usize = 1 << 20;

/// The size of a buffer. A block of the shortest lines (4 bytes) has about 65,000 entries.
const CAPACITY: usize = 256 << 10;

/// A reader of lines, one at a time or in blocks of whole lines, with their numbers.
pub struct Lines {
    reader: Box<dyn Read + Send>,
    path: PathBuf,
    /// Has one byte more than is read, for a missing final newline.
    buffer: Vec<u8>,
    unread: Range<usize>,
    /// The number of the first line of `unread`.
    line: u64,
    ended: bool,
    spare: Arc<Spare>,
    comments: Comments,
}

/// Comment lines.
#[derive(Debug, Default)]
pub struct Comments {
    enabled: bool,
    /// Each ends with a newline.
    pub text: Vec<u8>,
    /// Whether some were not kept.
    pub too_long: bool,
}

impl Comments {
    fn keep(&mut self, piece: &[u8]) {
        if self.enabled && piece.len() <= MAX_COMMENTS - self.text.len() {
            self.text.extend_from_slice(piece);
        } else {
            self.too_long |= self.enabled;
            self.enabled = false;
        }
    }
}

/// Whole lines, of which the last also ends with a newline.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The lines.
    pub text: &'a [u8],
    /// The number of the first line.
    pub line: u64,
}

/// A block that owns its text, and returns the buffer when it is dropped.
#[derive(Debug)]
pub struct OwnedBlock {
    buffer: Vec<u8>,
    taken: Range<usize>,
    line: u64,
    /// The number of lines that are neither blank nor comments.
    pub contents: u64,
    spare: Arc<Spare>,
}

/// Unused buffers, at most as many as were in use at once.
#[derive(Debug, Default)]
struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    fn take(&self) -> Vec<u8> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| vec![0; CAPACITY + 1])
    }
}

impl OwnedBlock {
    /// Returns the lines.
    #[must_use]
    pub fn block(&self) -> Block<'_> {
        Block { text: &self.buffer[self.taken.clone()], line: self.line }
    }
}

impl Drop for OwnedBlock {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// The length of the next line.
enum LineLen {
    /// There is no line.
    End,
    /// The number of bytes, including the newline.
    Whole(usize),
    /// The line does not fit in the buffer.
    Longer,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("path", &self.path)
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

impl Lines {
    /// Creates a reader. Messages use `path`.
    #[must_use]
    pub fn new(reader: Box<dyn Read + Send>, path: &Path) -> Self {
        Self {
            reader,
            path: path.to_path_buf(),
            buffer: vec![0; CAPACITY + 1],
            unread: 0..0,
            line: 1,
            ended: false,
            spare: Arc::default(),
            comments: Comments::default(),
        }
    }

    /// Keeps the comments that precede content.
    pub fn keep_comments(&mut self) {
        self.comments.enabled = true;
    }

    /// Stops keeping comments, and returns those that were kept.
    pub fn take_comments(&mut self) -> Comments {
        std::mem::take(&mut self.comments)
    }

    /// Returns the number of the next line.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the next line with its newline, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read, or the line is longer than [`LONGEST_LINE`].
    pub fn next_line(&mut self) -> Result<Option<Block<'_>>> {
        let len = match self.line_len()? {
            LineLen::End => return Ok(None),
            LineLen::Whole(len) if len <= LONGEST_LINE => len,
            _ => return Err(self.too_long()),
        };
        let line = self.line;
        self.line += 1;
        let taken = self.unread.start..self.unread.start + len;
        self.unread.start = taken.end;
        let text = &self.buffer[taken];
        Ok(Some(Block { text, line }))
    }

    /// Returns the next line that is neither blank nor a comment.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read, or the line is longer than [`LONGEST_LINE`].
    pub fn next_content(&mut self) -> Result<Option<Block<'_>>> {
        loop {
            let first = match self.line_len()? {
                LineLen::End => return Ok(None),
                LineLen::Whole(len) => first_byte(&self.text()[..len]),
                LineLen::Longer => first_byte(self.text()),
            };
            match first {
                b'%' | b'\n' => self.skip_line()?,
                _ => return self.next_line(),
            }
        }
    }

    /// Returns as many whole lines as fit in the buffer, or `None` at the end.
    ///
    /// The end of a block does not depend on the sizes of single reads.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read, or a line is longer than [`LONGEST_LINE`].
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        let Some(taken) = self.whole_lines()? else {
            return Ok(None);
        };
        let line = self.line;
        let text = &self.buffer[taken.clone()];
        self.line += newlines(text);
        self.unread.start = taken.end;
        Ok(Some(Block { text, line }))
    }

    /// Same as [`next_block`](Self::next_block), with an owned buffer.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read, or a line is longer than [`LONGEST_LINE`].
    pub fn next_owned(&mut self) -> Result<Option<OwnedBlock>> {
        let Some(taken) = self.whole_lines()? else {
            return Ok(None);
        };
        // The remainder is the start of a line, which begins the next block.
        let left = &self.buffer[taken.end..self.unread.end];
        let mut buffer = self.spare.take();
        buffer[..left.len()].copy_from_slice(left);
        self.unread = 0..left.len();
        let buffer = std::mem::replace(&mut self.buffer, buffer);
        let line = self.line;
        let survey = survey(&buffer[taken.clone()]);
        self.line += survey.lines;
        let spare = Arc::clone(&self.spare);
        Ok(Some(OwnedBlock { buffer, taken, line, contents: survey.contents, spare }))
    }

    /// Fills the buffer and finds the whole lines at its start, after comments of any length.
    fn whole_lines(&mut self) -> Result<Option<Range<usize>>> {
        loop {
            self.fill()?;
            if self.unread.is_empty() {
                return Ok(None);
            }
            if let Some(last) = memchr::memrchr(b'\n', self.text()) {
                return Ok(Some(self.unread.start..self.unread.start + last + 1));
            }
            if first_byte(self.text()) != b'%' {
                return Err(self.too_long());
            }
            self.skip_line()?;
        }
    }

    /// Returns the whole lines of the next `len` bytes, without consuming them.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read.
    pub fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.fill()?;
        let text = self.text();
        let text = &text[..text.len().min(len)];
        let end = memchr::memrchr(b'\n', text).map_or(0, |last| last + 1);
        Ok(&text[..end])
    }

    fn text(&self) -> &[u8] {
        &self.buffer[self.unread.clone()]
    }

    fn line_len(&mut self) -> Result<LineLen> {
        let find = |lines: &Self| memchr::memchr(b'\n', lines.text());
        if let Some(at) = find(self) {
            return Ok(LineLen::Whole(at + 1));
        }
        self.fill()?;
        Ok(match find(self) {
            Some(at) => LineLen::Whole(at + 1),
            None if self.unread.is_empty() => LineLen::End,
            None => LineLen::Longer,
        })
    }

    /// Skips a line of any length.
    fn skip_line(&mut self) -> Result<()> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', self.text()) {
                let end = self.unread.start + at + 1;
                self.comments.keep(&self.buffer[self.unread.start..end]);
                self.unread.start = end;
                self.line += 1;
                return Ok(());
            }
            self.comments.keep(&self.buffer[self.unread.clone()]);
            self.unread = 0..0;
            self.fill()?;
            if self.unread.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads until the buffer is full or the input ends.
    fn fill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while self.unread.end < CAPACITY && !self.ended {
            match self.reader.read(&mut self.buffer[self.unread.end..CAPACITY]) {
                Ok(0) => {
                    self.ended = true;
                    if self.text().last().is_some_and(|&byte| byte != b'\n') {
                        self.buffer[self.unread.end] = b'\n';
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

    fn too_long(&self) -> Error {
        let at = At::Line { line: self.line, column: LONGEST_LINE as u64 + 1 };
        Error::mismatch(
            Place::path(&self.path).at(at),
            "a longer line",
            format_args!("at most {LONGEST_LINE} bytes"),
        )
    }
}

/// Distinguishes damaged compressed data and text in another encoding from system errors.
#[must_use]
pub fn read_error(path: &Path, error: io::Error) -> Error {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    if let Some(error) = not_text_error(path, &error) {
        return error;
    }
    let inner = error.get_ref();
    let name = inner.and_then(|inner| inner.downcast_ref::<Damaged>()).map(|found| found.name);
    let name = name.unwrap_or("gzip");
    let found = match error.kind() {
        _ if inner.is_some_and(|inner| inner.is::<NoMember>()) => NoMember.to_string(),
        UnexpectedEof => "truncated compressed data".to_owned(),
        InvalidData | InvalidInput => {
            let found = format!("damaged compressed data ({error})");
            let (place, expected) = (Place::path(path), format!("a valid {name} file"));
            return Error::mismatch(place, found, expected).with_source(error);
        }
        _ => return Error::io(path, error),
    };
    let expected = format!("a complete {name} file");
    Error::mismatch(Place::path(path), found, expected).with_source(error)
}

/// Returns the first byte that is not blank; a newline if there is none.
fn first_byte(text: &[u8]) -> u8 {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    match &text[blanks.count()..] {
        [] | [b'\r', b'\n', ..] => b'\n',
        [first, ..] => *first,
    }
}

/// Counts the newlines of a text.
#[must_use]
pub fn newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// Counts over whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Survey {
    lines: u64,
    /// Lines that are neither blank nor comments.
    contents: u64,
}

fn survey(text: &[u8]) -> Survey {
    let (lines, unlike) = count_lines(text);
    if unlike == 0 {
        return Survey { lines, contents: lines };
    }
    let mut contents = 0;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text) {
        contents += u64::from(!matches!(first_byte(&text[start..=end]), b'%' | b'\n'));
        start = end + 1;
    }
    Survey { lines, contents }
}

/// Counts newlines, and lines that do not begin like an entry: with a blank, a line end or a
/// comment.
///
/// This part is sequential, so it processes many bytes at a time without branches.
fn count_lines(text: &[u8]) -> (u64, u64) {
    const LANES: usize = 32;
    let unlike = |byte: u8| (byte <= b' ') | (byte == b'%');
    let Some((&first, rest)) = text.split_first() else {
        return (0, 0);
    };
    let mut counts = (0, u64::from(unlike(first)));
    let mut add = |lines: u8, unlike: u8| {
        counts.0 += u64::from(lines);
        counts.1 += u64::from(unlike);
    };
    let (here, _) = text.as_chunks::<LANES>();
    let (next, _) = rest.as_chunks::<LANES>();
    // A byte counts up to 255.
    for (here, next) in here.chunks(255).zip(next.chunks(255)) {
        let mut sums = ([0_u8; LANES], [0_u8; LANES]);
        for (here, next) in here.iter().zip(next) {
            for lane in 0..LANES {
                let newline = here[lane] == b'\n';
                sums.0[lane] += u8::from(newline);
                sums.1[lane] += u8::from(newline & unlike(next[lane]));
            }
        }
        std::iter::zip(sums.0, sums.1).for_each(|(lines, unlike)| add(lines, unlike));
    }
    let done = next.len() * LANES;
    for (at, &byte) in text.iter().enumerate().skip(done) {
        let newline = byte == b'\n';
        // After the last line there is none.
        let unlike = newline && text.get(at + 1).is_some_and(|&byte| unlike(byte));
        add(u8::from(newline), u8::from(unlike));
    }
    counts
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    #[test]
    fn lines_are_counted_in_texts_of_any_length() {
        let mut random = Random::new(7);
        // More lines than a byte can count in a lane, with and without lines that do not begin like
        // an entry.
        for len in (0..300).chain([8159, 8160, 8161, 8162, 20_000]) {
            for alphabet in [&b"\n\r\t %1"[..], b"1\n", b"\n"] {
                let mut text: Vec<u8> = (0..len).map(|_| *random.pick(alphabet)).collect();
                text.push(b'\n');
                let lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
                let contents = lines.iter().filter(|line| {
                    let rest: Vec<u8> =
                        line.iter().copied().skip_while(|b| b" \t".contains(b)).collect();
                    rest[0] != b'%' && rest != b"\n" && rest != b"\r\n"
                });
                let contents = contents.count() as u64;
                let expected = Survey { lines: lines.len() as u64, contents };
                assert_eq!(survey(&text), expected, "{:?}", String::from_utf8_lossy(&text));
            }
        }
        assert_eq!(survey(b""), Survey { lines: 0, contents: 0 });
    }
}
