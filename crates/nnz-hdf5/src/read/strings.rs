//! Strings of variable length, which are in global heap collections.

use std::sync::Arc;

use nnz_core::{At, Error, ErrorKind, Place, Result};

use super::file::File;
use crate::UNDEFINED;
use crate::bytes::Fields;
use crate::fault::invalid;
use crate::global_heap::StoredCollection;

/// Maximum number of cached collections; the limit of bytes does not apply to the last one.
const MAX_HEAPS: usize = 64;
const MAX_BYTES: usize = 8 << 20;

/// Maximum number of bytes to read for strings beyond the size of the file. Strings in order read
/// each collection once; a crafted list that alternates between large collections would take too
/// long.
const MAX_READ: u64 = 1 << 30;

/// Reads strings by their ID.
#[derive(Debug)]
pub struct VariableStrings {
    file: Arc<File>,
    place: Place,
    recent: Vec<StoredCollection>,
    read: u64,
    /// Whether strings belong to an attribute, which may be read several times.
    keeps: bool,
}

impl VariableStrings {
    /// Reads strings of datasets, with a location for messages.
    #[must_use]
    pub fn new(file: &Arc<File>, place: Place) -> Self {
        Self { file: Arc::clone(file), place, recent: Vec::new(), read: 0, keeps: false }
    }

    /// Reads strings of attributes. Their collections are cached with the metadata.
    #[must_use]
    pub fn of_attributes(file: &Arc<File>, place: Place) -> Self {
        Self { keeps: true, ..Self::new(file, place) }
    }

    /// Returns whether `bytes` has the length of an ID.
    #[must_use]
    pub fn is_reference(&self, bytes: &[u8]) -> bool {
        bytes.len() == 8 + self.file.sizes.offset
    }

    /// Returns the string of an ID: length, address of the collection, index in it.
    ///
    /// # Errors
    ///
    /// Fails if the ID is too short, or if there is no such string.
    pub fn string(&mut self, reference: &[u8]) -> Result<&[u8]> {
        let mut fields = Fields(reference);
        let (len, address) = (fields.u32()?, fields.address(self.file.sizes)?);
        let index = fields.u32()?;
        if len == 0 || index == 0 || address == UNDEFINED {
            return Ok(&[]);
        }
        let place = self.place.clone();
        let heap = self.heap(address)?;
        let string = usize::try_from(len).ok();
        let string = string.and_then(|len| heap.object(index)?.get(..len));
        match string {
            // Such strings end at the first zero byte for other programs.
            Some(string) => Ok(&string[..memchr::memchr(0, string).unwrap_or(string.len())]),
            None => {
                let place = place.at(At::Byte(address));
                let found =
                    format!("a damaged string heap without the {len} bytes of object {index}");
                Err(Error::mismatch(place, found, "the string of an element"))
            }
        }
    }

    fn heap(&mut self, address: u64) -> Result<&StoredCollection> {
        match self.recent.iter().position(|heap| heap.address == address) {
            Some(0) => {}
            Some(at) => self.recent[..=at].rotate_right(1),
            None => {
                let heap = self.load(address)?;
                let most = (MAX_BYTES / heap.bytes.len().max(1)).clamp(1, MAX_HEAPS);
                self.recent.truncate(most - 1);
                self.recent.insert(0, heap);
            }
        }
        self.recent.first().ok_or_else(|| Error::new(ErrorKind::Missing, self.place.clone()))
    }

    fn load(&mut self, address: u64) -> Result<StoredCollection> {
        let file = &*self.file;
        let read = |address: u64, out: &mut [u8]| match self.keeps {
            true => file.read_metadata_at(address, out),
            false => file.read_at(address, out),
        };
        let heap = StoredCollection::read(file, address, &read);
        let heap = heap.map_err(|error| error.with_context(&self.place))?;
        self.read += heap.bytes.len() as u64;
        if self.read > self.file.bytes.saturating_mul(64).saturating_add(MAX_READ) {
            let place = self.place.clone().at(At::Byte(address));
            return Err(invalid("strings scattered over too many heaps").with_place(place));
        }
        Ok(heap)
    }
}
