//! Strings of variable length, which are in global heap collections.

use std::sync::Arc;

use nnz_core::{At, Error, ErrorKind, Place, Result};

use super::file::File;
use crate::UNDEFINED;
use crate::bytes::{Fields, number};
use crate::fault::invalid;

/// Maximum number of cached collections; the limit of bytes does not apply to the last one.
const MAX_HEAPS: usize = 64;
const MAX_BYTES: usize = 8 << 20;

/// Maximum number of bytes to read for strings beyond the size of the file. Strings in order read
/// each collection once; a crafted list that alternates between large collections would take too
/// long.
const MAX_READ: u64 = 1 << 30;

/// Number of bytes read for the head of a collection.
const HEAD: usize = 16;

/// A collection (section III.E) in memory: its bytes, and the index and range of each object.
#[derive(Debug)]
struct Heap {
    address: u64,
    bytes: Vec<u8>,
    objects: Vec<(u16, usize, usize)>,
}

/// Reads strings by their ID.
#[derive(Debug)]
pub struct Heaps {
    file: Arc<File>,
    place: Place,
    recent: Vec<Heap>,
    read: u64,
    /// Whether strings are those of an attribute, which may be read several times.
    keeps: bool,
}

impl Heaps {
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

    /// Returns the string of an ID (length, address of the collection, index in it), which must have the length of one.
    ///
    /// # Errors
    ///
    /// Fails if there is no such string.
    pub fn string(&mut self, reference: &[u8]) -> Result<&[u8]> {
        let width = self.file.sizes.offset;
        let (len, rest) = reference.split_at(4);
        let (address, index) = rest.split_at(width);
        let (len, index) = (number(len), number(index));
        let address = number(address);
        if len == 0 || index == 0 || address == UNDEFINED {
            return Ok(&[]);
        }
        let place = self.place.clone();
        let heap = self.heap(address)?;
        let string = usize::try_from(len).ok();
        let string = string.and_then(|len| heap.object(u32::try_from(index).ok()?)?.get(..len));
        match string {
            // Such strings end at the first zero byte for other programs.
            Some(string) => Ok(&string[..memchr::memchr(0, string).unwrap_or(string.len())]),
            None => {
                let place = place.at(At::Byte(address));
                let found = format!("a damaged string heap without {len} bytes of object {index}");
                Err(Error::mismatch(place, found, "the string of an element"))
            }
        }
    }

    fn heap(&mut self, address: u64) -> Result<&Heap> {
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

    fn load(&mut self, address: u64) -> Result<Heap> {
        let file = &*self.file;
        let read = |address: u64, out: &mut [u8]| match self.keeps {
            true => file.read_metadata_at(address, out),
            false => file.read_at(address, out),
        };
        let heap = Heap::read(file, address, &read);
        let heap = heap.map_err(|error| error.with_context(&self.place))?;
        self.read += heap.bytes.len() as u64;
        if self.read > self.file.bytes.saturating_mul(64).saturating_add(MAX_READ) {
            let place = self.place.clone().at(At::Byte(address));
            return Err(invalid("strings in too many places of the file").with_place(place));
        }
        Ok(heap)
    }
}

impl Heap {
    fn read(
        file: &File,
        address: u64,
        read: &dyn Fn(u64, &mut [u8]) -> Result<()>,
    ) -> Result<Self> {
        let width = file.sizes.length;
        let mut head = [0; HEAD];
        read(address, &mut head)?;
        if !head.starts_with(b"GCOL\x01") {
            let place = Place::default().at(At::Byte(address));
            return Err(Error::mismatch(place, "no heap", "a heap of strings"));
        }
        let length = number(&head[8..8 + width]);
        file.check(address, length)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        if let Some((start, rest)) = bytes.split_first_chunk_mut() {
            *start = head;
            read(address.saturating_add(HEAD as u64), rest)?;
        }
        // The head of an object is an index, a number of references, and a length padded to 8 bytes.
        let object_head = 8 + width.next_multiple_of(8);
        let mut objects = Vec::new();
        let mut at = 8 + width.next_multiple_of(8);
        while let Some(head) = bytes.get(at..at + object_head) {
            let index = u16::from_le_bytes([head[0], head[1]]);
            let size = usize::try_from(number(&head[8..8 + width])).unwrap_or(usize::MAX);
            let start = at + object_head;
            // Number 0 is the free space at the end.
            let Some(end) = start.checked_add(size).filter(|&end| index != 0 && end <= bytes.len())
            else {
                break;
            };
            objects.push((index, start, end));
            at = start + size.next_multiple_of(8);
        }
        Ok(Self { address, bytes, objects })
    }

    /// Returns the bytes of an object.
    fn object(&self, index: u32) -> Option<&[u8]> {
        let wanted = u16::try_from(index).ok();
        // Objects are usually numbered from 1 in order.
        let guess = usize::try_from(index).ok().and_then(|at| self.objects.get(at.checked_sub(1)?));
        let object = guess
            .filter(|(number, ..)| Some(*number) == wanted)
            .or_else(|| self.objects.iter().find(|(number, ..)| Some(*number) == wanted));
        object.map(|&(_, start, end)| &self.bytes[start..end])
    }
}

/// Describes the first source of a virtual dataset, whose mapping (section III.F) is an object of a heap.
pub(crate) fn virtual_source(file: &File, heap: u64, index: u32) -> Result<String> {
    let missing = || invalid("a virtual dataset without sources");
    let read = |address: u64, out: &mut [u8]| file.read_metadata_at(address, out);
    let heap = Heap::read(file, heap, &read)?;
    let mut fields = Fields(heap.object(index).ok_or_else(missing)?);
    let version = fields.u8()?;
    if fields.length(file.sizes)? == 0 {
        return Err(missing());
    }
    // Names that repeat are stored once in version 1, after flags; that of the same file is not stored.
    let flags = if version == 0 { 0 } else { fields.u8()? };
    Ok(match fields.text()?.as_str() {
        _ if flags != 0 => "the data is in another dataset".to_owned(),
        "." => "the data is in another dataset".to_owned(),
        name => format!("the data is in the file {name:?}"),
    })
}
