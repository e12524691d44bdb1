//! Whole lines from any reader, through one buffer of a fixed size.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use nnz_core::{At, Error, Place, Result};

/// The longest line that is kept. Only comments, which are not kept, may be longer.
pub(crate) const LONGEST_LINE: usize = 64 << 10;

/// Bytes of a buffer. A block of the shortest lines (4 bytes) then has some 100,000 entries.
const CAPACITY: usize = 512 << 10;

/// Hands out lines, one at a time or in blocks of whole ones, and knows their numbers.
pub(crate) struct Lines {
    reader: Box<dyn Read + Send>,
    path: PathBuf,
    /// Has one byte more than is ever read, for a final newline that is missing.
    buffer: Vec<u8>,
    unread: Range<usize>,
    /// The number of the line that `unread` starts with.
    line: u64,
    ended: bool,
}

/// Some whole lines, the last one ended by a newline too.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) text: &'a [u8],
    /// The number of the first line.
    pub(crate) line: u64,
}

/// How long the next line is.
enum LineLen {
    /// There is none.
    End,
    /// So many bytes, newline included.
    Whole(usize),
    /// More than the buffer holds.
    Longer,
}

impl Lines {
    pub(crate) fn new(reader: Box<dyn Read + Send>, path: &Path) -> Self {
        Self {
            reader,
            path: path.to_path_buf(),
            buffer: vec![0; CAPACITY + 1],
            unread: 0..0,
            line: 1,
            ended: false,
        }
    }

    /// Returns the number of the next line.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the next line with its newline, or `None` at the end.
    pub(crate) fn next_line(&mut self) -> Result<Option<Block<'_>>> {
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
    pub(crate) fn next_content(&mut self) -> Result<Option<Block<'_>>> {
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

    /// Returns as many whole lines as the buffer holds, or `None` at the end.
    ///
    /// Where blocks end does not depend on how much a single read returned.
    pub(crate) fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        loop {
            self.fill()?;
            if self.unread.is_empty() {
                return Ok(None);
            }
            if let Some(last) = memchr::memrchr(b'\n', self.text()) {
                let taken = self.unread.start..self.unread.start + last + 1;
                self.unread.start = taken.end;
                let text = &self.buffer[taken];
                let line = self.line;
                self.line += newlines(text);
                return Ok(Some(Block { text, line }));
            }
            if first_byte(self.text()) != b'%' {
                return Err(self.too_long());
            }
            self.skip_line()?;
        }
    }

    /// Returns the whole lines among the next `len` bytes, which remain to be read.
    pub(crate) fn peek(&mut self, len: usize) -> Result<&[u8]> {
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
                self.unread.start += at + 1;
                self.line += 1;
                return Ok(());
            }
            self.unread = 0..0;
            self.fill()?;
            if self.unread.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads until the buffer is full or nothing is left.
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

/// Tells damage of compressed data from what the system refused.
fn read_error(path: &Path, error: io::Error) -> Error {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    let found = match error.kind() {
        UnexpectedEof => "compressed data that is cut short".to_owned(),
        InvalidData | InvalidInput => format!("damaged compressed data ({error})"),
        _ => return Error::io(path, error),
    };
    Error::mismatch(Place::path(path), found, "complete gzip members to the end")
}

/// Returns the first byte that is no blank; a newline where there is none.
fn first_byte(text: &[u8]) -> u8 {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    match &text[blanks.count()..] {
        [] | [b'\r', b'\n', ..] => b'\n',
        [first, ..] => *first,
    }
}

/// Counts the newlines of a text.
pub(crate) fn newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}
