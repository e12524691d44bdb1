//! Parsing the lines of a block: `label[,label...][:weight] [qid:N] index:value...  # comment`.

use nnz_lines::digits::{byte, digits};

use super::first::{FirstWords, first_word};
use crate::blocks::{Block, Start};
use crate::fault::{Fault, is_line_end, next_line, skip_blanks};

/// The largest index.
const LARGEST: u64 = i64::MAX.unsigned_abs();

/// A visitor of the parts of a line.
pub(super) trait Visit {
    /// A row starts, with the text of its labels, which may be empty.
    fn row(&mut self, labels: &[u8], at: usize) -> Result<(), Fault>;

    /// The weight of the row, a number.
    fn weight(&mut self, weight: &[u8], at: usize) -> Result<(), Fault> {
        let _ = (weight, at);
        Ok(())
    }

    /// The number of the query of the row.
    fn query(&mut self, query: i64) -> Result<(), Fault> {
        let _ = query;
        Ok(())
    }

    /// An entry, whose value is at `at`; returns the position after the value.
    fn entry(
        &mut self,
        text: &[u8],
        index: u64,
        index_at: usize,
        at: usize,
    ) -> Result<usize, Fault>;

    /// A line that is only a comment.
    fn comment(&mut self, comment: &[u8]) {
        let _ = comment;
    }
}

/// Returns whether a word may end here.
#[inline]
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    matches!(byte(text, at), b' ' | b'\t' | b'\n' | b'#') || is_line_end(text, at)
}

/// Parses a block.
pub(super) fn parse(block: &Block, words: FirstWords, visit: &mut impl Visit) -> Result<(), Fault> {
    let text = block.text();
    let mut at = match block.start {
        Start::Line => 0,
        Start::Word => entries(text, 0, visit)?,
        Start::Comment => next_line(text, 0),
    };
    while at < text.len() {
        let first = skip_blanks(text, at);
        at = match byte(text, first) {
            b'#' => {
                let next = next_line(text, first);
                visit.comment(text.get(first..next).unwrap_or_default());
                next
            }
            _ if is_line_end(text, first) => next_line(text, first),
            _ => {
                let start = labels(text, first, first > at, words, visit)?;
                let start = query(text, skip_blanks(text, start), visit)?;
                entries(text, start, visit)?
            }
        };
    }
    Ok(())
}

/// Parses labels, and returns the position after them.
fn labels(
    text: &[u8],
    at: usize,
    indented: bool,
    words: FirstWords,
    visit: &mut impl Visit,
) -> Result<usize, Fault> {
    let word = first_word(text, at);
    let end = at + word.len();
    if let Some(len) = words.label_len(word, at, indented)? {
        visit.row(word.get(..len).unwrap_or_default(), at)?;
        visit.weight(word.get(len + 1..).unwrap_or_default(), at + len + 1)?;
        return Ok(end);
    }
    // A row of a file with several labels may have none.
    if memchr::memchr(b':', word).is_some() {
        visit.row(&[], at)?;
        return Ok(at);
    }
    visit.row(word, at)?;
    match ends(text, end) {
        true => Ok(end),
        false => Err(Fault::new(end, "the end of the line")),
    }
}

/// Parses the number of the query, if there is one, and returns the position after it.
fn query(text: &[u8], at: usize, visit: &mut impl Visit) -> Result<usize, Fault> {
    if text.get(at..).is_none_or(|rest| !rest.starts_with(b"qid:")) {
        return Ok(at);
    }
    match nnz_lines::number::integer(text, at + 4) {
        Some((value, end)) if ends(text, end) => {
            visit.query(value)?;
            Ok(end)
        }
        _ => Err(Fault::new(at + 4, "the number of a query, a 64-bit integer")),
    }
}

/// Parses entries up to the end of the line or block, and returns the position after it.
#[inline]
fn entries(text: &[u8], mut at: usize, visit: &mut impl Visit) -> Result<usize, Fault> {
    loop {
        at = skip_blanks(text, at);
        let Some((index, end)) = digits(text, at) else {
            return match byte(text, at) {
                b'#' => Ok(next_line(text, at)),
                _ if is_line_end(text, at) => Ok(next_line(text, at)),
                _ => Err(Fault::new(at, "an index, an integer from 0 to 2^63 - 1")),
            };
        };
        if byte(text, end) != b':' {
            let what = match byte(text, end) {
                b'.' => return Err(Fault::new(at, "an index, an integer from 0 to 2^63 - 1")),
                _ => "a colon after the index",
            };
            return Err(Fault::new(end, what));
        }
        if index > LARGEST {
            return Err(Fault::new(at, "an index, an integer from 0 to 2^63 - 1"));
        }
        // LIBSVM skips blanks before a number.
        let value = skip_blanks(text, end + 1);
        at = visit.entry(text, index, at, value)?;
        if !ends(text, at) {
            return Err(Fault::new(value, "a number"));
        }
    }
}
