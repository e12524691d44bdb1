//! Strings of variable length, which are in global heap collections.

use std::sync::Arc;

use nnz_core::{At, Error, ErrorKind, Place, Result};

use super::opened::Opened;

/// Maximum number of cached collections; the limit of bytes does not apply to the last one.
const MAX_HEAPS: usize = 64;
const MAX_BYTES: usize = 8 << 20;

/// Maximum number of bytes to read for strings beyond the size of the file. Strings in order read
/// each collection once; a crafted list that alternates between large collections would take too
/// long.
const MAX_READ: u64 = 1 << 30;

/// Size of the header of a collection and of an object: 8, and a length padded to 8.
const HEAD: usize = 16;

/// A collection in memory: its bytes, and the index and range of each object.
struct Heap {
    address: u64,
    bytes: Vec<u8>,
    objects: Vec<(u16, usize, usize)>,
}

/// Reads strings by their ID.
pub(super) struct Heaps {
    opened: Arc<Opened>,
    place: Place,
    recent: Vec<Heap>,
    read: u64,
    /// Whether strings are those of an attribute, which may be read several times.
    keeps: bool,
}

impl Heaps {
    pub(super) fn new(opened: &Arc<Opened>, place: Place) -> Self {
        Self { opened: Arc::clone(opened), place, recent: Vec::new(), read: 0, keeps: false }
    }

    /// Reads strings of attributes. Their collections are cached with the metadata.
    pub(super) fn of_attributes(opened: &Arc<Opened>, place: Place) -> Self {
        Self { keeps: true, ..Self::new(opened, place) }
    }

    fn read_at(&self, address: u64, out: &mut [u8]) -> Result<()> {
        match self.keeps {
            true => self.opened.read_metadata_at(address, out, &self.place),
            false => self.opened.read_at(address, out, &self.place),
        }
    }

    /// Returns whether `bytes` has the length of an ID.
    pub(super) fn is_reference(&self, bytes: &[u8]) -> bool {
        bytes.len() == 8 + usize::from(self.opened.meta.superblock().offset_size)
    }

    /// Returns the string of an ID (length, address of the collection, index in it).
    pub(super) fn string(&mut self, reference: &[u8]) -> Result<&[u8]> {
        let width = usize::from(self.opened.meta.superblock().offset_size);
        let (len, rest) = reference.split_at(4);
        let (address, index) = rest.split_at(width);
        let (len, index) = (number(len), number(index));
        let address = number(address);
        if len == 0 || index == 0 || self.opened.is_undefined(address) {
            return Ok(&[]);
        }
        let place = self.place.clone();
        let heap = self.heap(address)?;
        let wanted = u16::try_from(index).ok();
        // Objects are usually numbered from 1 in order.
        let guess = usize::try_from(index - 1).ok().and_then(|at| heap.objects.get(at));
        let object = guess
            .filter(|(number, ..)| Some(*number) == wanted)
            .or_else(|| heap.objects.iter().find(|(number, ..)| Some(*number) == wanted));
        let range = object.map(|&(_, start, end)| &heap.bytes[start..end]);
        let string = usize::try_from(len).ok().and_then(|len| range?.get(..len));
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
        let width = usize::from(self.opened.meta.superblock().length_size);
        let place = self.place.clone().at(At::Byte(address));
        if !matches!(width, 2 | 4 | 8) {
            return Err(Error::mismatch(place, format!("lengths of {width} bytes"), "2, 4 or 8"));
        }
        let mut head = [0; HEAD];
        self.read_at(address, &mut head)?;
        if !head.starts_with(b"GCOL\x01") {
            return Err(Error::mismatch(place, "no heap", "a heap of strings"));
        }
        let length = number(&head[8..8 + width]);
        self.opened.check(address, length, &self.place)?;
        self.read += length;
        if self.read > self.opened.bytes.saturating_mul(64).saturating_add(MAX_READ) {
            let what = "invalid HDF5: strings in too many places of the file";
            return Err(Error::new(ErrorKind::Unrecognized(what.to_owned()), place));
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        if let Some((start, rest)) = bytes.split_first_chunk_mut() {
            *start = head;
            self.read_at(address.saturating_add(HEAD as u64), rest)?;
        }
        let mut objects = Vec::new();
        let mut at = HEAD;
        while let Some(head) = bytes.get(at..at + HEAD) {
            let index = u16::from_le_bytes([head[0], head[1]]);
            let size = usize::try_from(number(&head[8..8 + width])).unwrap_or(usize::MAX);
            let start = at + HEAD;
            // Number 0 is the free space at the end.
            let Some(end) = start.checked_add(size).filter(|&end| index != 0 && end <= bytes.len())
            else {
                break;
            };
            objects.push((index, start, end));
            at = start + size.next_multiple_of(8);
        }
        Ok(Heap { address, bytes, objects })
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
