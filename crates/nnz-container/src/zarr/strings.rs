//! An array as a list of strings.

use nnz_core::{At, Error, Result, StringReader};

use super::chunks::{Stored, undecoded};
use super::metadata::DataType;
use crate::npy::{Element, decode, trim_zeros};

/// Maximum size of a chunk of strings.
const MAX_LEN: u64 = 256 << 20;

/// Checks that an array has strings.
pub(super) fn check(stored: &Stored) -> Result<()> {
    match stored.metadata.data_type {
        DataType::Fixed(Element::Number { value_type, .. }) => {
            let found = format!("numbers of type {value_type}");
            Err(Error::mismatch(stored.place.clone(), found, "strings"))
        }
        _ => Ok(()),
    }
}

/// Number of chunks that are announced at a time.
pub(super) const ANNOUNCED: u64 = 8;

/// The strings of an array, read by chunk.
pub(super) struct Strings {
    stored: Stored,
    /// The current chunk, if it is stored.
    chunk: Vec<u8>,
    absent: bool,
    /// The offset of the next string in the chunk.
    at: usize,
    /// The index of the next string.
    next: u64,
    text: Vec<u8>,
}

impl Strings {
    pub(super) fn new(stored: Stored) -> Result<Self> {
        check(&stored)?;
        let (chunk, text) = (Vec::new(), Vec::new());
        Ok(Self { stored, chunk, absent: false, at: 0, next: 0, text })
    }

    /// Reads the chunk that starts with the next string.
    fn load(&mut self) -> Result<()> {
        let number = self.next / self.stored.metadata.chunk;
        if number.is_multiple_of(ANNOUNCED) && self.stored.directory.has_latency() {
            let chunks = self.stored.metadata.grid.count();
            self.stored.will_read_chunks(number..chunks.min(number + ANNOUNCED));
        }
        let chunk = read(&self.stored, number)?;
        self.absent = chunk.is_none();
        self.chunk = chunk.unwrap_or_default();
        // The strings are preceded by their number.
        self.at = if self.stored.metadata.data_type == DataType::Texts { 4 } else { 0 };
        Ok(())
    }
}

/// Reads a chunk with the expected number of strings; `None` if it is not stored.
pub(super) fn read(stored: &Stored, number: u64) -> Result<Option<Vec<u8>>> {
    let metadata = &stored.metadata;
    let place = || stored.place_of(number);
    let Some(located) = stored.find(number)? else { return Ok(None) };
    let least = metadata.chunk.saturating_mul(metadata.min_bytes());
    if located.bytes > MAX_LEN || least > MAX_LEN {
        let found = format!("a chunk of {} bytes for {least} or more", located.bytes);
        return Err(Error::mismatch(place(), found, "at most 256 MiB"));
    }
    let bytes = stored.bytes(&located)?;
    let texts = metadata.data_type == DataType::Texts;
    let most = if texts { MAX_LEN } else { least };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let decoded = metadata.pipeline.decode_unknown(&bytes, most);
    let chunk = decoded.map_err(|why| undecoded(why, place(), "a chunk", most))?;
    let found = chunk.len() as u64;
    let count = chunk.first_chunk().map(|count| u32::from_le_bytes(*count));
    let whole = match texts {
        true => count.map(u64::from) == Some(metadata.chunk),
        false => found == least,
    };
    if whole {
        return Ok(Some(chunk));
    }
    let found = format!("a chunk of {found} bytes with a wrong number of strings");
    Err(Error::mismatch(place(), found, format!("{} strings", metadata.chunk)))
}

impl StringReader for Strings {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.next == self.stored.metadata.len {
            return Ok(None);
        }
        if self.next.is_multiple_of(self.stored.metadata.chunk) {
            self.load()?;
        }
        let place = self.stored.place.clone().at(At::Element(self.next));
        self.next += 1;
        if self.absent {
            return Ok(Some(&self.stored.metadata.fill));
        }
        let short = || Error::mismatch(place.clone(), "the end of a chunk", "a string");
        let rest = self.chunk.get(self.at..).unwrap_or_default();
        let DataType::Fixed(element) = self.stored.metadata.data_type else {
            let (length, rest) = rest.split_first_chunk().ok_or_else(short)?;
            let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let text = rest.get(..length).ok_or_else(short)?;
            self.at += 4 + length;
            return Ok(Some(text));
        };
        let size = element.size().and_then(|size| usize::try_from(size).ok());
        let string = size.and_then(|size| rest.get(..size)).ok_or_else(short)?;
        self.at += string.len();
        let Element::Unicode { big, .. } = element else {
            return Ok(Some(trim_zeros(string)));
        };
        self.text.clear();
        decode(string, big, &mut self.text).map_err(|code| {
            Error::mismatch(place.clone(), format!("the code point {code:#x}"), "Unicode")
        })?;
        Ok(Some(&self.text))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.stored.metadata.len - self.next)
    }
}
