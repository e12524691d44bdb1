//! Dividing a text into blocks that any thread can parse.

use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Error, Place, Result};
use nnz_lines::{newlines, read_error};

use crate::text::Text;

/// The size of a buffer.
const CAPACITY: usize = 256 << 10;

/// The maximum length of a word.
const LONGEST_WORD: usize = 64 << 10;

/// The layout of lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The byte that begins a comment.
    pub(crate) comment: u8,
    /// The number of words before the words of `group`.
    pub(crate) leading: u64,
    /// The number of words that are not divided.
    pub(crate) group: u64,
}

impl From<u8> for Layout {
    fn from(comment: u8) -> Self {
        Self { comment, leading: 0, group: 1 }
    }
}

/// The state of the text at the start of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A line.
    Line,
    /// A word in a line whose start is in an earlier block.
    Word,
    /// The rest of a comment.
    Comment,
}

/// A part of a text, of whole lines; a line that is longer than a buffer is divided between words.
///
/// The end of a block does not depend on the sizes of single reads.
#[derive(Debug)]
pub(crate) struct Block {
    buffer: Vec<u8>,
    taken: Range<usize>,
    /// The number of blocks before it.
    pub(crate) index: u64,
    pub(crate) start: Start,
    /// The number of words before it in the same line.
    pub(crate) words: u64,
    /// Line and column of its first byte.
    line: u64,
    column: u64,
    spare: Spare,
}

type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

impl Block {
    /// Returns the text. Unless the block ends in the middle of a line, its last byte is a newline.
    pub(crate) fn text(&self) -> &[u8] {
        self.buffer.get(self.taken.clone()).unwrap_or_default()
    }

    /// Returns line and column of a byte.
    pub(crate) fn position(&self, at: usize) -> At {
        let text = self.text();
        let before = text.get(..at).unwrap_or(text);
        match memchr::memrchr(b'\n', before) {
            None => At::Line { line: self.line, column: self.column + before.len() as u64 },
            Some(newline) => At::Line {
                line: self.line + newlines(before),
                column: (before.len() - newline) as u64,
            },
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// A reader of blocks.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    path: PathBuf,
    layout: Layout,
    /// Has one byte more than is read, for a missing final newline.
    buffer: Vec<u8>,
    unread: usize,
    ended: bool,
    index: u64,
    start: Start,
    words: u64,
    line: u64,
    column: u64,
    spare: Spare,
}

impl Blocks {
    /// Starts reading a text from its start.
    pub(crate) fn new(text: &Text, layout: impl Into<Layout>) -> Result<Self> {
        Ok(Self {
            reader: text.reader()?,
            path: text.path().to_path_buf(),
            layout: layout.into(),
            buffer: vec![0; CAPACITY + 1],
            unread: 0,
            ended: false,
            index: 0,
            start: Start::Line,
            words: 0,
            line: 1,
            column: 1,
            spare: Spare::default(),
        })
    }

    /// Returns the next block, or `None` at the end.
    pub(crate) fn next_block(&mut self) -> Result<Option<Block>> {
        self.fill()?;
        let filled = self.buffer.get(..self.unread).unwrap_or_default();
        if filled.is_empty() {
            return Ok(None);
        }
        let newline = memchr::memrchr(b'\n', filled);
        let len = match newline {
            Some(newline) => newline + 1,
            None => self.cut(filled)?,
        };
        let taken = filled.get(..len).unwrap_or_default();
        let (start, words, line, column) = (self.start, self.words, self.line, self.column);
        (self.line, self.column, self.words, self.start) = match newline {
            Some(_) => (line + newlines(taken), 1, 0, Start::Line),
            None => {
                let more = count_words(taken);
                (line, column + len as u64, words + more, self.start_after(taken))
            }
        };
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = spare.unwrap_or_else(|| vec![0; CAPACITY + 1]);
        let left = filled.get(len..).unwrap_or_default();
        if let Some(to) = buffer.get_mut(..left.len()) {
            to.copy_from_slice(left);
        }
        self.unread = left.len();
        let buffer = std::mem::replace(&mut self.buffer, buffer);
        let index = self.index;
        self.index += 1;
        let spare = Arc::clone(&self.spare);
        Ok(Some(Block { buffer, taken: 0..len, index, start, words, line, column, spare }))
    }

    /// Finds where a buffer within one line is divided.
    fn cut(&self, filled: &[u8]) -> Result<usize> {
        if self.start_after(filled) == Start::Comment {
            return Ok(filled.len());
        }
        let blank = filled.iter().rposition(is_blank);
        let mut len = blank.map_or(0, |blank| blank + 1);
        let mut words = self.words + count_words(filled.get(..len).unwrap_or_default());
        let Layout { leading, group, .. } = self.layout;
        // The value of an entry of SVMlight may be after blanks.
        let ends_in_colon =
            |len| filled.get(..len).is_some_and(|part| part.trim_ascii_end().ends_with(b":"));
        while len > 0
            && words > leading
            && (ends_in_colon(len) || !(words - leading).is_multiple_of(group))
        {
            let before = filled.get(..len).unwrap_or_default().trim_ascii_end();
            len = before.iter().rposition(is_blank).map_or(0, |blank| blank + 1);
            words -= 1;
        }
        if filled.len() - len > LONGEST_WORD {
            let at = At::Line { line: self.line, column: self.column + len as u64 };
            let place = Place::path(&self.path).at(at);
            let expected = format_args!("at most {LONGEST_WORD} bytes");
            return Err(Error::mismatch(place, "a longer word", expected));
        }
        Ok(len)
    }

    /// Returns what follows a part of a line.
    fn start_after(&self, part: &[u8]) -> Start {
        match self.start {
            Start::Comment => Start::Comment,
            _ if memchr::memchr(self.layout.comment, part).is_some() => Start::Comment,
            Start::Line if part.iter().all(|byte| matches!(byte, b' ' | b'\t')) => Start::Line,
            _ => Start::Word,
        }
    }

    /// Reads until the buffer is full or the text ends.
    fn fill(&mut self) -> Result<()> {
        while self.unread < CAPACITY && !self.ended {
            let free = self.buffer.get_mut(self.unread..CAPACITY).unwrap_or_default();
            match self.reader.read(free) {
                Ok(0) => {
                    self.ended = true;
                    let last = self.unread.checked_sub(1).and_then(|last| self.buffer.get(last));
                    // In the middle of a line of several blocks there is none either.
                    let open = last.map_or(self.column > 1, |&last| last != b'\n');
                    if open && let Some(end) = self.buffer.get_mut(self.unread) {
                        *end = b'\n';
                        self.unread += 1;
                    }
                }
                Ok(count) => self.unread += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(read_error(&self.path, error)),
            }
        }
        Ok(())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a predicate of iterators")]
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn count_words(text: &[u8]) -> u64 {
    text.split(is_blank).filter(|word| !word.is_empty()).count() as u64
}
