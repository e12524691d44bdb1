//! An array in any storage: its header, and random access to its elements.

use nnz_core::{Error, Names, Place, Result, ValueType};

use super::element::Element;
use super::header::{Header, PREAMBLE};
use super::strings::{self, Strings};
use crate::NumberArray;
use crate::array::check_range;
use crate::byte_order;

/// The bytes of an array, including its header.
pub(crate) trait ReadAt: Send + Sync {
    /// Returns their number.
    fn bytes(&self) -> u64;

    /// Returns their stored size.
    fn stored_bytes(&self) -> u64 {
        self.bytes()
    }

    /// Fills `out` with the first bytes, which have the header.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn read_header(&self, out: &mut [u8]) -> Result<()> {
        self.read_at(0, out)
    }

    /// Fills `out` with bytes from `at` on.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()>;
}

/// Reads the complete header.
pub(super) fn header_bytes(source: &dyn ReadAt, place: &Place) -> Result<Vec<u8>> {
    let bytes = source.bytes();
    let mut start = [0; PREAMBLE];
    let read = usize::try_from(bytes).unwrap_or(PREAMBLE).min(PREAMBLE);
    source.read_header(&mut start[..read])?;
    let length = Header::length(&start[..read], place)?;
    if length as u64 > bytes {
        let found = format!("the end after {bytes} bytes");
        return Err(Error::mismatch(place.clone(), found, format!("a header of {length} bytes")));
    }
    let mut header = vec![0; length];
    source.read_header(&mut header)?;
    Ok(header)
}

/// An array whose header has been read.
pub(crate) struct Stored {
    pub(super) source: Box<dyn ReadAt>,
    pub(super) header: Header,
    pub(super) place: Place,
    /// Number of bytes after the last element.
    trailing: u64,
}

impl Stored {
    /// Reads the header, and checks that its elements exist.
    pub(crate) fn open(source: Box<dyn ReadAt>, place: Place) -> Result<Self> {
        let header = Header::parse(&header_bytes(&*source, &place)?, &place)?;
        let there = source.bytes() - header.bytes;
        match header.data_bytes().and_then(|data| there.checked_sub(data)) {
            Some(trailing) => Ok(Self { source, header, place, trailing }),
            None => {
                let descr = header.element.descr();
                let expected = format!("{} elements of type {descr}", header.len);
                Err(Error::mismatch(place, format!("{there} bytes after the header"), expected))
            }
        }
    }

    /// Returns it as an array of numbers.
    pub(crate) fn numbers(self) -> Result<Numbers> {
        match self.header.element {
            Element::Number { value_type, big } if !self.header.scalar => {
                Ok(Numbers { stored: self, value_type, big })
            }
            Element::Number { .. } => {
                Err(Error::mismatch(self.place, "a single number", "one dimension"))
            }
            _ => Err(Error::mismatch(self.place, "strings", "numbers")),
        }
    }

    /// Returns the stored size of strings in bytes.
    pub(crate) fn strings_size(&self) -> Result<u64> {
        strings::check(self)?;
        Ok(self.source.stored_bytes())
    }

    /// Returns it as a list of strings.
    pub(crate) fn strings(self) -> Result<Names<'static>> {
        Ok(Box::new(Strings::new(self)?))
    }

    /// Returns it as a text, which is a single string.
    pub(crate) fn text(self) -> Result<String> {
        strings::text(self)
    }
}

/// An array of numbers.
pub(crate) struct Numbers {
    stored: Stored,
    value_type: ValueType,
    big: bool,
}

impl NumberArray for Numbers {
    fn place(&self) -> Place {
        self.stored.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.stored.header.len
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.stored.source.stored_bytes())
    }

    fn trailing_bytes(&self) -> u64 {
        self.stored.trailing
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        check_range(self, first, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let at = self.stored.header.bytes + first * self.value_type.size() as u64;
        self.stored.source.read_at(at, out)?;
        byte_order::to_native(out, self.value_type, self.big);
        Ok(())
    }
}
