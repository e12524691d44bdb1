//! The global heap (section III.E): collections of strings of variable length.

use std::io::{Seek, Write};

use nnz_core::{At, Error, Place, Result};

use crate::bytes::{PutFields as _, number};
use crate::fault::unsupported;
use crate::read::file::File;
use crate::write::output::Output;

/// Size of the first collection. Each is twice as large as the previous one, up to [`LARGEST`].
const SMALLEST: usize = 4096;

/// Size of a collection, unless an object is larger. Readers keep one in memory at a time.
const LARGEST: usize = 64 << 10;

/// Size of the header of a collection, and of an object.
const HEAD: usize = 16;

/// Objects of the current collection, until it is full.
#[derive(Default)]
pub(crate) struct GlobalHeap {
    open: Option<Collection>,
    bytes: usize,
}

impl GlobalHeap {
    /// Stores bytes and returns their ID: length, address of the collection, and index in it.
    pub(crate) fn insert<W: Write + Seek>(
        &mut self,
        output: &mut Output<W>,
        data: &[u8],
    ) -> Result<[u8; 16]> {
        let len = u32::try_from(data.len());
        let len = len.map_err(|_| Error::argument("a string of 4 GiB or more"))?;
        let needed = HEAD + data.len().next_multiple_of(8);
        if needed > LARGEST - HEAD {
            let mut alone = Collection::reserve(output, HEAD + needed)?;
            let id = alone.push(len, data);
            alone.write(output)?;
            return Ok(id);
        }
        if self.open.as_ref().is_none_or(|open| open.free() < needed) {
            self.finish(output)?;
            let grown = (2 * self.bytes).clamp(SMALLEST, LARGEST);
            self.bytes = grown.max((HEAD + needed).next_power_of_two());
            self.open = Some(Collection::reserve(output, self.bytes)?);
        }
        let open = self.open.as_mut().map(|open| open.push(len, data));
        open.ok_or_else(|| Error::argument("no collection is open"))
    }

    /// Writes the current collection.
    pub(crate) fn finish<W: Write + Seek>(&mut self, output: &mut Output<W>) -> Result<()> {
        self.open.take().map_or(Ok(()), |open| open.write(output))
    }
}

/// Objects that are written together, in space that is already reserved.
struct Collection {
    address: u64,
    size: usize,
    bytes: Vec<u8>,
    objects: u16,
}

impl Collection {
    fn reserve<W: Write + Seek>(output: &mut Output<W>, size: usize) -> Result<Self> {
        let address = output.reserve(size as u64)?;
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(b"GCOL\x01\0\0\0");
        bytes.put_u64(size as u64);
        Ok(Self { address, size, bytes, objects: 0 })
    }

    fn free(&self) -> usize {
        self.size - self.bytes.len()
    }

    fn push(&mut self, len: u32, data: &[u8]) -> [u8; 16] {
        // A collection of 64 KiB has at most 4,095 objects.
        self.objects = self.objects.saturating_add(1);
        self.bytes.put_u16(self.objects);
        self.bytes.extend([0; 6]); // references, reserved
        self.bytes.put_u64(len.into());
        self.bytes.extend_from_slice(data);
        self.bytes.pad8();
        let mut id = [0; 16];
        id[..4].copy_from_slice(&len.to_le_bytes());
        id[4..12].copy_from_slice(&self.address.to_le_bytes());
        id[12..14].copy_from_slice(&self.objects.to_le_bytes());
        id
    }

    fn write<W: Write + Seek>(mut self, output: &mut Output<W>) -> Result<()> {
        let free = self.free();
        if free >= HEAD {
            self.bytes.put_u64(0); // object 0: free space
            self.bytes.put_u64(free as u64);
        }
        self.bytes.resize(self.size, 0);
        output.write_at(self.address, &self.bytes)
    }
}

/// A collection of a file that is read: its bytes, and the index and range of each object.
#[derive(Debug)]
pub(crate) struct StoredCollection {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
    objects: Vec<(u16, usize, usize)>,
}

impl StoredCollection {
    /// Reads a collection with a function that reads at an address.
    pub(crate) fn read(
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
        // A file may be longer than what is stored of it.
        let zeroed = usize::try_from(length).ok();
        let zeroed = zeroed.and_then(|len| bytemuck::allocation::try_zeroed_vec(len).ok());
        let mut bytes = zeroed.ok_or_else(|| unsupported("a heap that does not fit in memory"))?;
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
    pub(crate) fn object(&self, index: u32) -> Option<&[u8]> {
        let wanted = u16::try_from(index).ok();
        // Objects are usually numbered from 1 in order.
        let guess = usize::try_from(index).ok().and_then(|at| self.objects.get(at.checked_sub(1)?));
        let object = guess
            .filter(|(number, ..)| Some(*number) == wanted)
            .or_else(|| self.objects.iter().find(|(number, ..)| Some(*number) == wanted));
        object.map(|&(_, start, end)| &self.bytes[start..end])
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn stored(strings: &[&[u8]]) -> (Vec<[u8; 16]>, Vec<u8>) {
        let mut output = Output::new(Cursor::new(Vec::new()));
        let mut heap = GlobalHeap::default();
        let ids = strings.iter().map(|string| heap.insert(&mut output, string).unwrap()).collect();
        heap.finish(&mut output).unwrap();
        (ids, output.finish().unwrap().into_inner())
    }

    #[test]
    fn strings_are_numbered_from_1() {
        let (ids, bytes) = stored(&[b"hello", b""]);
        assert_eq!(ids[0], [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(ids[1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
        let expected = [
            &b"GCOL\x01\0\0\0"[..],
            &[0, 16, 0, 0, 0, 0, 0, 0], // 4,096 bytes
            &[1, 0, 0, 0, 0, 0, 0, 0],  // number, references
            &[5, 0, 0, 0, 0, 0, 0, 0],  // length
            b"hello\0\0\0",
            &[2, 0, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 0, 0, 0, 0],
            &[0, 0, 0, 0, 0, 0, 0, 0], // free space
            &[0xc8, 15, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(bytes[..72], expected.concat());
        assert_eq!(bytes.len(), 4096);
    }

    #[test]
    fn collections_double_in_size() {
        let (ids, bytes) = stored(&[&[1; 4064], &[2; 8], &[3; 70_000], &[4; 8]]);
        let addresses: Vec<u64> =
            ids.iter().map(|id| u64::from_le_bytes(id[4..12].try_into().unwrap())).collect();
        assert_eq!(addresses, [0, 4096, 4096 + 8192, 4096]);
        assert_eq!(bytes.len(), 4096 + 8192 + 70_032);
        // The first is full: it has no free space.
        assert_eq!(bytes[4088..4096], [1; 8]);
        assert_eq!(ids[3][12], 2);
    }
}
