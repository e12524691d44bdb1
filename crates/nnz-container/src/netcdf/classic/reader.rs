//! Parsing the header of a classic NetCDF file.

use nnz_core::{At, Error, Place, Result};
use nnz_storage::InputFile;

/// Maximum size of a header, without the values of attributes. Real ones have several KiB.
const MAX_HEADER_BYTES: u64 = 16 << 20;

/// Maximum length of a name; the NetCDF library allows 256.
const MAX_NAME_LEN: u64 = 4 << 10;

/// Parses a header from start to end.
pub(super) struct HeaderReader<'a> {
    file: &'a InputFile,
    /// Size of the file.
    pub(super) length: u64,
    /// The offset of the next byte.
    pub(super) at: u64,
    /// Number of bytes read, without skipped ones.
    read: u64,
    /// Whether counts have 64 bits.
    pub(super) wide: bool,
}

impl<'a> HeaderReader<'a> {
    pub(super) fn new(file: &'a InputFile) -> Self {
        Self { file, length: file.len(), at: 0, read: 0, wide: false }
    }

    /// Returns the location of the next byte, for messages.
    pub(super) fn place(&self) -> Place {
        self.file.place().at(At::Byte(self.at))
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        let wanted = out.len() as u64;
        self.check(wanted)?;
        self.read += wanted;
        if self.read > MAX_HEADER_BYTES {
            let what = format!("a NetCDF header of more than {MAX_HEADER_BYTES} bytes");
            return Err(Error::unsupported(self.place(), what));
        }
        self.file.read_metadata_at(out, self.at).map_err(|error| self.file.error(error))?;
        self.at += wanted;
        Ok(())
    }

    /// Checks that there are `wanted` more bytes.
    pub(super) fn check(&self, wanted: u64) -> Result<()> {
        let left = self.length.saturating_sub(self.at);
        if wanted <= left {
            return Ok(());
        }
        let found = format!("the end of the file after {left} more bytes");
        Err(Error::mismatch(self.place(), found, format!("{wanted} more bytes of the header")))
    }

    pub(super) fn bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT]> {
        let mut bytes = [0; COUNT];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a number of 32 bits.
    pub(super) fn word(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_be_bytes)
    }

    /// Reads a number of 64 bits.
    pub(super) fn double_word(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_be_bytes)
    }

    /// Reads a count without checking it; all ones are left to the caller.
    pub(super) fn raw_count(&mut self) -> Result<u64> {
        if self.wide { self.double_word() } else { self.word().map(u64::from) }
    }

    /// Reads a count.
    pub(super) fn count(&mut self) -> Result<u64> {
        let place = self.place();
        let count = self.raw_count()?;
        let most =
            if self.wide { i64::MAX.unsigned_abs() } else { u64::from(i32::MAX.unsigned_abs()) };
        if count > most {
            return Err(Error::mismatch(place, format!("a count of {count}"), "0 or more"));
        }
        Ok(count)
    }

    /// Reads a name.
    pub(super) fn name(&mut self) -> Result<String> {
        let place = self.place();
        let length = self.count()?;
        if length > MAX_NAME_LEN {
            let found = format!("a name of {length} bytes");
            return Err(Error::mismatch(place, found, format!("at most {MAX_NAME_LEN}")));
        }
        let length = usize::try_from(length).unwrap_or(0);
        let mut name = vec![0; length.next_multiple_of(4)];
        self.fill(&mut name)?;
        name.truncate(length);
        String::from_utf8(name).map_err(|error| {
            Error::mismatch(place, "a name that is not UTF-8", "UTF-8").with_source(error)
        })
    }

    /// Reads the number of items of a list, which have at least `least` bytes each.
    pub(super) fn list(&mut self, tag: u32, what: &str, least: u64) -> Result<u64> {
        let place = self.place();
        let found = self.word()?;
        let count = self.count()?;
        if found != tag && (found, count) != (0, 0) {
            let found = format!("the tag {found} and a count of {count}");
            let expected = format!("the tag {tag} of {what}, or an absent list");
            return Err(Error::mismatch(place, found, expected));
        }
        self.check(count.saturating_mul(least))?;
        Ok(count)
    }

    /// Skips bytes and their padding to a multiple of 4.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<()> {
        let padded = bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX);
        self.check(padded)?;
        self.at += padded;
        Ok(())
    }
}
