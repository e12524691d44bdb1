//! Little-endian fields of metadata.

use nnz_core::{Error, Result};

use crate::UNDEFINED;
use crate::fault::invalid;

/// Appends fields as HDF5 stores them.
pub(crate) trait PutFields {
    /// Appends 2 bytes.
    fn put_u16(&mut self, value: u16);
    /// Appends 4 bytes.
    fn put_u32(&mut self, value: u32);
    /// Appends 8 bytes, such as an address or a length.
    fn put_u64(&mut self, value: u64);
    /// Appends zeros up to a multiple of 8 bytes.
    fn pad8(&mut self);
}

impl PutFields for Vec<u8> {
    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn pad8(&mut self) {
        self.resize(self.len().next_multiple_of(8), 0);
    }
}

/// The sizes of addresses and lengths in bytes: section II, "Size of Offsets" and "Size of Lengths".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// The bytes of a structure that were not parsed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    /// Takes bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or_else(truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Takes an integer of up to 8 bytes.
    pub(crate) fn number(&mut self, bytes: usize) -> Result<u64> {
        Ok(number(self.take(bytes)?))
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(truncated)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(truncated)?;
        self.0 = rest;
        Ok(u16::from_le_bytes(*taken))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(truncated)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*taken))
    }

    /// Takes an integer that is a length in memory.
    pub(crate) fn size(&mut self, bytes: usize) -> Result<usize> {
        usize::try_from(self.number(bytes)?).map_err(|_| truncated())
    }

    /// Takes an address. Undefined ones are [`UNDEFINED`] whatever their size is.
    pub(crate) fn address(&mut self, sizes: Sizes) -> Result<u64> {
        let bytes = self.take(sizes.offset)?;
        Ok(if bytes.iter().all(|byte| *byte == 255) { UNDEFINED } else { number(bytes) })
    }

    /// Takes a length.
    pub(crate) fn length(&mut self, sizes: Sizes) -> Result<u64> {
        self.number(sizes.length)
    }

    /// Takes a text that ends with a zero byte, and that byte.
    pub(crate) fn text(&mut self) -> Result<String> {
        let end = memchr::memchr(0, self.0).ok_or_else(truncated)?;
        let text = self.take(end + 1)?;
        Ok(String::from_utf8_lossy(&text[..end]).into_owned())
    }

    /// Takes a signature of 4 bytes and a version, which must be the expected ones.
    pub(crate) fn signature(&mut self, signature: &[u8; 4], version: u8) -> Result<()> {
        let found = self.take(4)?;
        if found != signature {
            let name = signature.escape_ascii();
            return Err(invalid(format!(
                "the signature \"{}\" instead of \"{name}\"",
                found.escape_ascii()
            )));
        }
        match self.u8()? {
            found if found == version => Ok(()),
            found => {
                let name = signature.escape_ascii();
                Err(invalid(format!("version {found} of \"{name}\" instead of {version}")))
            }
        }
    }
}

/// Returns an integer in stored form; what does not fit in 8 bytes is lost.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Returns the number of bytes in which numbers up to `most` are stored.
pub(crate) fn width_of(most: u64) -> usize {
    usize::try_from(most.checked_ilog2().unwrap_or(0) / 8 + 1).unwrap_or(8)
}

fn truncated() -> Error {
    invalid("truncated metadata")
}
