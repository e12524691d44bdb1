//! Fields of a record, and what separates them.

use std::borrow::Cow;

use nnz_lines::digits::byte;

use super::fault::{Expected, Fault};
use super::options::Separator;

/// A separator, for code that is compiled for each kind of it.
pub(super) trait Delimiter: Copy + Send + Sync {
    /// The byte, if it is always one.
    const ONE_BYTE: bool;

    /// Returns whether a byte separates fields.
    fn is(self, byte: u8) -> bool;

    /// Returns the byte of a separator of one byte.
    fn byte(self) -> u8;

    /// Returns the start of the field after a separator.
    fn pass(self, text: &[u8], at: usize) -> usize;

    /// Returns the start of the first field of a record.
    fn start(self, text: &[u8], at: usize) -> usize;
}

/// Separates fields by one byte.
#[derive(Clone, Copy)]
pub(super) struct OneByte(pub(super) u8);

impl Delimiter for OneByte {
    const ONE_BYTE: bool = true;

    #[inline(always)]
    fn is(self, byte: u8) -> bool {
        byte == self.0
    }

    #[inline(always)]
    fn byte(self) -> u8 {
        self.0
    }

    #[inline(always)]
    fn pass(self, _: &[u8], at: usize) -> usize {
        at + 1
    }

    #[inline(always)]
    fn start(self, _: &[u8], at: usize) -> usize {
        at
    }
}

/// Separates fields by spaces and tabs, which are also ignored before and after a record.
#[derive(Clone, Copy)]
pub(super) struct Blanks;

impl Delimiter for Blanks {
    const ONE_BYTE: bool = false;

    #[inline(always)]
    fn is(self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t')
    }

    fn byte(self) -> u8 {
        b' '
    }

    fn pass(self, text: &[u8], mut at: usize) -> usize {
        while self.is(byte(text, at)) {
            at += 1;
        }
        at
    }

    fn start(self, text: &[u8], at: usize) -> usize {
        self.pass(text, at)
    }
}

/// Runs `$body` with `$delimiter` as the delimiter of a separator.
macro_rules! with_delimiter {
    ($separator:expr, $delimiter:ident => $body:expr) => {
        match $separator {
            $crate::table::options::Separator::Byte(byte) => {
                let $delimiter = $crate::table::field::OneByte(byte);
                $body
            }
            $crate::table::options::Separator::Blanks => {
                let $delimiter = $crate::table::field::Blanks;
                $body
            }
        }
    };
}
pub(super) use with_delimiter;

/// Returns the end of the record if it ends at a position: the start of the next one.
#[inline(always)]
pub(super) fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match byte(text, at) {
        b'\n' => Some(at + 1),
        b'\r' if byte(text, at + 1) == b'\n' => Some(at + 2),
        _ => None,
    }
}

/// Returns a field of any text at a position, and its end. It is valid UTF-8.
pub(super) fn any_field(
    text: &[u8],
    at: usize,
    delimiter: impl Delimiter,
) -> Result<(Cow<'_, [u8]>, usize), Fault> {
    let (field, end) = match byte(text, at) {
        b'"' if at < text.len() => quoted(text, at)?,
        _ => plain(text, at, delimiter)?,
    };
    if let Err(error) = std::str::from_utf8(&field) {
        return Err(Fault::new(at + error.valid_up_to(), Expected::Utf8));
    }
    if let Some(zero) = memchr::memchr(0, &field) {
        return Err(Fault::new(at + zero, Expected::NoZeroByte));
    }
    let ended = delimiter.is(byte(text, end)) || line_end(text, end).is_some();
    match (ended, byte(text, end)) {
        (true, _) => Ok((field, end)),
        (false, b'\r') => Err(Fault::new(end, Expected::LineFeed)),
        (false, _) => Err(Fault::new(end, Expected::AfterQuote)),
    }
}

fn plain(
    text: &[u8],
    at: usize,
    delimiter: impl Delimiter,
) -> Result<(Cow<'_, [u8]>, usize), Fault> {
    let mut end = at;
    loop {
        match byte(text, end) {
            b'\n' | b'\r' => break,
            b'"' => return Err(Fault::new(end, Expected::WholeQuotes)),
            other if delimiter.is(other) => break,
            _ => end += 1,
        }
    }
    Ok((Cow::Borrowed(text.get(at..end).unwrap_or_default()), end))
}

/// Returns the content of a quoted field, in which quotes are doubled, and the position after it.
fn quoted(text: &[u8], at: usize) -> Result<(Cow<'_, [u8]>, usize), Fault> {
    let mut content = Cow::Borrowed(&b""[..]);
    let mut start = at + 1;
    loop {
        let rest = text.get(start..).unwrap_or_default();
        let Some(len) = memchr::memchr(b'"', rest) else {
            return Err(Fault::new(at, Expected::ClosingQuote));
        };
        let after = start + len + 1;
        let doubled = byte(text, after) == b'"' && after < text.len();
        let part = rest.get(..len + usize::from(doubled)).unwrap_or_default();
        match &mut content {
            Cow::Borrowed([]) => content = Cow::Borrowed(part),
            other => other.to_mut().extend_from_slice(part),
        }
        if !doubled {
            return Ok((content, after));
        }
        start = after + 1;
    }
}

/// A field of a record, with its position.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) text: Vec<u8>,
    pub(super) at: usize,
}

/// Returns the fields of the record at a position, and the start of the next one.
pub(super) fn record(
    text: &[u8],
    at: usize,
    separator: Separator,
) -> Result<(Vec<Field>, usize), Fault> {
    with_delimiter!(separator, delimiter => {
        let mut fields = Vec::new();
        let mut at = delimiter.start(text, at);
        loop {
            let (field, end) = any_field(text, at, delimiter)?;
            fields.push(Field { text: field.into_owned(), at });
            if let Some(next) = line_end(text, end) {
                return Ok((fields, next));
            }
            at = delimiter.pass(text, end);
            // Blanks before the end of a record separate nothing.
            if !same_kind(delimiter) && let Some(next) = line_end(text, at) {
                return Ok((fields, next));
            }
        }
    })
}

fn same_kind<D: Delimiter>(_: D) -> bool {
    D::ONE_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, separator: Separator) -> Result<Vec<String>, Fault> {
        let (fields, end) = record(text.as_bytes(), 0, separator)?;
        assert_eq!(end, text.find("\n|").map_or(text.len(), |at| at + 1));
        let text = |field: Field| String::from_utf8(field.text).unwrap();
        Ok(fields.into_iter().map(text).collect())
    }

    #[test]
    fn records_are_divided_at_separators_outside_of_quotes() {
        let comma = Separator::Byte(b',');
        assert_eq!(split("a,b\n|", comma).unwrap(), ["a", "b"]);
        assert_eq!(split(",,\r\n", comma).unwrap(), ["", "", ""]);
        assert_eq!(split("\"a,b\",\"q\"\"x\"\"\",\"\"\n", comma).unwrap(), ["a,b", "q\"x\"", ""]);
        assert_eq!(split("\"line\nbreak\",1\n|", comma).unwrap(), ["line\nbreak", "1"]);
        assert_eq!(split("\"\"\"\",1\n", comma).unwrap(), ["\"", "1"]);
        assert_eq!(split(" a \t\"b c\"  \n", Separator::Blanks).unwrap(), ["a", "b c"]);
        assert_eq!(split("a b\tc,d\n", Separator::Byte(b'\t')).unwrap(), ["a b", "c,d"]);
    }

    #[test]
    fn other_quotes_are_refused() {
        for (text, at, expected) in [
            (&b"a,\"b"[..], 2, Expected::ClosingQuote),
            (b"a,\"b\"c\n", 5, Expected::AfterQuote),
            (b"a,b\"c\"\n", 3, Expected::WholeQuotes),
            (b"a,b\rc\n", 3, Expected::LineFeed),
            (b"a,b\xe9c\n", 3, Expected::Utf8),
            (b"a,b\0c\n", 3, Expected::NoZeroByte),
        ] {
            let fault = record(text, 0, Separator::Byte(b',')).unwrap_err();
            assert_eq!(fault, Fault::new(at, expected));
        }
    }
}
