//! Strings, which are stored with the length of the longest.

use std::io::{self, Write};
use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Place, Result, StringReader};

use super::element::Element;
use super::header::Header;
use super::stored::Stored;
use nnz_storage::Texts;

/// Size of elements read at once, unless one element is larger.
const BLOCK: u64 = 256 << 10;

/// Maximum length of a string: 64 Mi code points of four bytes.
const MAX_LEN: u64 = 256 << 20;

/// Checks that an array has strings of a supported length, and returns their length in bytes.
pub(super) fn check(stored: &Stored) -> Result<usize> {
    let place = || stored.place.clone();
    if let Element::Number { value_type, .. } = stored.header.element {
        let found = format!("numbers of type {value_type}");
        return Err(Error::mismatch(place(), found, "strings"));
    }
    let size = stored.header.element.size().filter(|size| *size <= MAX_LEN);
    size.and_then(|size| usize::try_from(size).ok()).ok_or_else(|| {
        let descr = stored.header.element.descr();
        Error::mismatch(place(), format!("strings of type {descr}"), "strings of up to 256 MiB")
    })
}

/// The strings of an array, read in blocks.
pub(super) struct Strings {
    stored: Stored,
    size: usize,
    block: Vec<u8>,
    /// The offset of the next element in the block.
    at: usize,
    /// The number of remaining elements, and how many of them are not in the block.
    left: u64,
    unread: u64,
    text: Vec<u8>,
}

impl Strings {
    pub(super) fn new(stored: Stored) -> Result<Self> {
        let size = check(&stored)?;
        let left = stored.header.len;
        if size == 0 && left > BLOCK {
            // The file has no data for them.
            let found = format!("{left} strings of 0 bytes");
            return Err(Error::mismatch(stored.place, found, "strings of 1 byte or more"));
        }
        Ok(Self { stored, size, block: Vec::new(), at: 0, left, unread: left, text: Vec::new() })
    }

    fn fill(&mut self) -> Result<()> {
        let size = self.size as u64;
        let count = (BLOCK / size.max(1)).max(1).min(self.unread);
        // A block is small, or has one element, which is stored.
        self.block.resize(usize::try_from(count * size).unwrap_or(0), 0);
        let at = self.stored.header.bytes + (self.stored.header.len - self.unread) * size;
        self.stored.source.read_at(at, &mut self.block)?;
        self.unread -= count;
        self.at = 0;
        Ok(())
    }
}

impl StringReader for Strings {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.left == self.unread {
            self.fill()?;
        }
        let element = &self.block[self.at..self.at + self.size];
        let number = self.stored.header.len - self.left;
        self.at += self.size;
        self.left -= 1;
        let Element::Unicode { big, .. } = self.stored.header.element else {
            return Ok(Some(trim_zeros(element)));
        };
        self.text.clear();
        decode(element, big, &mut self.text).map_err(|code| {
            let place = self.stored.place.clone().at(At::Element(number));
            Error::mismatch(place, format!("the code point {code:#x}"), "Unicode")
        })?;
        Ok(Some(&self.text))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }
}

/// Returns a string without its padding.
pub(crate) fn trim_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// Appends 32-bit code points as UTF-8, without the zeros at the end.
pub(crate) fn decode(element: &[u8], big: bool, text: &mut Vec<u8>) -> Result<(), u32> {
    let codes = element.as_chunks().0;
    let read = |bytes: &[u8; 4]| match big {
        true => u32::from_be_bytes(*bytes),
        false => u32::from_le_bytes(*bytes),
    };
    let end = codes.iter().rposition(|code| read(code) != 0).map_or(0, |last| last + 1);
    for code in codes[..end].iter().map(read) {
        let letter = char::from_u32(code).ok_or(code)?;
        text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

/// Reads the only string of an array.
pub(super) fn text(stored: Stored) -> Result<String> {
    let place = stored.place.clone();
    // An array of one string is accepted too, as in Python.
    if stored.header.len != 1 {
        let found = format!("an array of {} elements", stored.header.len);
        check(&stored)?;
        return Err(Error::mismatch(place, found, "a single string"));
    }
    let mut strings = Strings::new(stored)?;
    let text = strings.next_string()?.unwrap_or_default().to_vec();
    String::from_utf8(text).map_err(|_| Error::mismatch(place, "text that is not UTF-8", "UTF-8"))
}

/// Checks that a string can be read back unchanged: zeros at its end are padding.
pub(crate) fn check_text<'a>(string: &'a [u8], place: &Place, number: u64) -> Result<&'a str> {
    let text = std::str::from_utf8(string).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| {
        let shown = string[..string.len().min(80)].escape_ascii();
        let place = place.clone().at(At::Element(number));
        Error::mismatch(place, format!("the string \"{shown}\""), "UTF-8 without zero bytes")
    })
}

/// Buffers strings, and returns the number of code points of the longest too.
pub(crate) fn spool_strings(
    strings: &mut dyn StringReader,
    directory: &Path,
    place: &Place,
) -> Result<(Texts, u64)> {
    let (mut texts, mut longest) = (Texts::default(), 0);
    while let Some(string) = strings.next_string()? {
        let text = check_text(string, place, texts.len())?;
        longest = longest.max(text.chars().count() as u64);
        texts
            .append(text, directory)
            .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
    }
    Ok((texts, longest))
}

/// Writes a list of strings, of which the longest has `longest` code points.
pub(crate) fn write_strings(texts: Texts, longest: u64, out: &mut dyn Write) -> io::Result<()> {
    // NumPy has no strings of length 0.
    let element = Element::Unicode { length: longest.max(1), big: false };
    out.write_all(&Header::write(element, Some(texts.len())))?;
    let size = usize::try_from(element.size().unwrap_or(u64::MAX)).map_err(io::Error::other)?;
    texts.drain(|text| {
        let text = std::str::from_utf8(text).map_err(io::Error::other)?;
        let mut codes = 0;
        for letter in text.chars() {
            out.write_all(&u32::from(letter).to_le_bytes())?;
            codes += 4;
        }
        let mut rest = size.saturating_sub(codes);
        while rest > 0 {
            let now = rest.min(ZEROS.len());
            out.write_all(&ZEROS[..now])?;
            rest -= now;
        }
        Ok(())
    })
}

const ZEROS: [u8; 256] = [0; 256];

/// Returns an array of a single string.
pub(crate) fn write_string(text: &str) -> Vec<u8> {
    let length = text.chars().count().max(1);
    let element = Element::Unicode { length: length as u64, big: false };
    let mut bytes = Header::write(element, None);
    let end = bytes.len() + 4 * length;
    bytes.extend(text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()));
    bytes.resize(end, 0);
    bytes
}
