//! Fractal heaps (section III.G): links and attributes that an object header has no room for. VariableStrings that are written have one
//! direct block.

use std::io::{Seek, Write};

use nnz_core::{Error, Result};

use crate::btree_v2::{self, RecordType};
use crate::bytes::{Fields, PutFields as _, width_of};
use crate::fault::{invalid, unsupported};
use crate::read::file::File;
use crate::write::output::Output;
use crate::{UNDEFINED, checksum};

/// Size of the header of a heap.
const HEAD: u64 = 146;

/// Size of a direct block before its objects: signature, version, heap address, offset, checksum.
const BLOCK_HEAD: usize = 5 + 8 + 4 + 4;

/// Offset of the checksum in a direct block.
const BLOCK_CHECKSUM: usize = 17;

/// Minimum size of a block, as in the HDF5 library.
const SMALLEST: usize = 1024;

/// Maximum size of a block, so that a length has 3 bytes: a heap ID has 8 bytes.
const LARGEST: usize = 16 << 20;

/// Maximum size of the first row of blocks, which other programs make much smaller.
const MAX_ROW: u64 = 1 << 40;

/// Number of bits of an offset in the heap.
const OFFSET_BITS: u16 = 32;

/// Direct blocks have checksums.
const CHECKSUMS: u8 = 0b10;

/// A heap that is read.
pub(crate) struct FractalHeap {
    id_bytes: usize,
    has_checksums: bool,
    /// The B-tree of huge objects.
    huge: u64,
    /// The number of blocks of a row, the size of the first block, and of the largest direct block.
    width: u64,
    first: u64,
    largest: u64,
    /// Sizes of an offset in the heap, and of the length of an object, in bytes.
    offset_bytes: usize,
    length_bytes: usize,
    root: u64,
    /// The number of rows of the root; 0 if it is a direct block.
    rows: u16,
    /// The last direct block: its address and bytes.
    block: Option<(u64, Vec<u8>)>,
}

impl FractalHeap {
    /// Reads the header of a heap.
    pub(crate) fn open(file: &File, address: u64) -> Result<Self> {
        let sizes = file.sizes;
        let head = file.metadata(address, 26 + 12 * sizes.length + 3 * sizes.offset)?;
        let mut fields = Fields(&head);
        fields.signature(b"FRHP", 0)?;
        let (id_bytes, filters) = (usize::from(fields.u16()?), fields.u16()?);
        if filters != 0 {
            return Err(unsupported("fractal heaps with filters are not supported"));
        }
        let fields = &mut Fields(checksum::verified(&head, "a fractal heap")?);
        fields.take(9)?;
        let has_checksums = fields.u8()? & CHECKSUMS != 0;
        let largest_object = fields.u32()?;
        fields.length(sizes)?; // next huge object
        let huge = fields.address(sizes)?;
        fields.take(sizes.length + sizes.offset + 8 * sizes.length)?; // free space, and statistics
        let (width, first, largest) = (fields.u16()?, fields.length(sizes)?, fields.length(sizes)?);
        let bits = fields.u16()?;
        fields.u16()?; // rows to start with
        let (root, rows) = (fields.address(sizes)?, fields.u16()?);
        let bits_of = |size: u64| size.checked_ilog2().unwrap_or(0);
        let row = first.checked_mul(width.into());
        if row.is_none_or(|row| row > MAX_ROW)
            || !first.is_power_of_two()
            || !largest.is_power_of_two()
            || largest < first
            || width == 0
        {
            return Err(invalid(format!(
                "a fractal heap with blocks of {first} to {largest} bytes"
            )));
        }
        let of_block = usize::try_from(bits_of(largest).div_ceil(8)).unwrap_or(8);
        Ok(Self {
            id_bytes,
            has_checksums,
            huge,
            width: width.into(),
            first,
            largest,
            offset_bytes: usize::from(bits).div_ceil(8).min(8),
            length_bytes: of_block.min(width_of(largest_object.into())),
            root,
            rows,
            block: None,
        })
    }

    /// Returns an object by its ID.
    pub(crate) fn object(&mut self, file: &File, id: &[u8]) -> Result<Vec<u8>> {
        let mut fields = Fields(id.get(..self.id_bytes).unwrap_or(id));
        let flags = fields.u8()?;
        match flags >> 4 & 3 {
            0 => {
                let offset = fields.number(self.offset_bytes)?;
                let length = fields.size(self.length_bytes)?;
                self.managed(file, offset, length)
            }
            1 => self.huge(file, fields),
            // A tiny object is in the ID, after its length less 1.
            2 if self.id_bytes <= 17 => Ok(fields.take(usize::from(flags & 15) + 1)?.to_vec()),
            2 => {
                let low = fields.u8()?;
                Ok(fields.take((usize::from(flags & 15) << 8 | usize::from(low)) + 1)?.to_vec())
            }
            _ => Err(invalid("a fractal heap object of unknown type")),
        }
    }

    fn huge(&self, file: &File, mut id: Fields<'_>) -> Result<Vec<u8>> {
        let sizes = file.sizes;
        if id.0.len() >= sizes.offset + sizes.length {
            let address = id.address(sizes)?;
            return file.metadata(address, id.size(sizes.length)?);
        }
        let wanted = id.number(id.0.len().min(sizes.length))?;
        let mut found = None;
        btree_v2::each_record(file, self.huge, &[RecordType::HUGE], &mut |_, record| {
            let mut fields = Fields(record);
            let (address, bytes) = (fields.address(sizes)?, fields.size(sizes.length)?);
            if fields.length(sizes)? == wanted {
                found = Some((address, bytes));
            }
            Ok(())
        })?;
        let missing = || invalid(format!("a fractal heap without object {wanted}"));
        let (address, bytes) = found.ok_or_else(missing)?;
        file.metadata(address, bytes)
    }

    fn managed(&mut self, file: &File, offset: u64, length: usize) -> Result<Vec<u8>> {
        let (mut address, mut rows) = (self.root, self.rows);
        let (mut start, mut size) = (0, self.first);
        while rows > 0 {
            let (row, column) = self.place(offset - start);
            if row >= rows {
                return Err(invalid(format!(
                    "offset {offset} outside of a fractal heap of {rows} rows"
                )));
            }
            let entry = u64::from(row) * self.width + column;
            // Signature, version, address of the heap, offset of the block.
            let head = 5 + file.sizes.offset + self.offset_bytes;
            let at = entry.saturating_mul(file.sizes.offset as u64).saturating_add(head as u64);
            let child = file.metadata(address.saturating_add(at), file.sizes.offset)?;
            if file.metadata(address, 4)? != b"FHIB" {
                return Err(invalid("an indirect block of a fractal heap without its signature"));
            }
            address = Fields(&child).address(file.sizes)?;
            size = self.first << row.saturating_sub(1);
            let before = if row == 0 { 0 } else { self.width * size };
            start += before + column * size;
            // Blocks of more than the largest direct one are indirect, with fewer rows.
            let below = size.checked_ilog2().unwrap_or(0) + 1;
            let bits = (self.first * self.width).checked_ilog2().unwrap_or(0);
            let below = u16::try_from(below.saturating_sub(bits)).unwrap_or(0);
            rows = if size > self.largest { below.clamp(1, rows - 1) } else { 0 };
        }
        let from = usize::try_from(offset - start).unwrap_or(usize::MAX);
        let block = self.direct_block(file, address, size)?;
        let object = block.get(from..).and_then(|rest| rest.get(..length));
        let object =
            object.ok_or_else(|| invalid("an object of a fractal heap outside its block"))?;
        Ok(object.to_vec())
    }

    /// Returns the row and column of the block with an offset. The first two rows have blocks of the same size; each
    /// further row has blocks twice as large.
    fn place(&self, offset: u64) -> (u16, u64) {
        let row_bytes = self.first.saturating_mul(self.width);
        let row = (offset / row_bytes).checked_ilog2().map_or(0, |row| row + 1);
        let (before, size) = match row.checked_sub(1) {
            None => (0, self.first),
            Some(row) => (row_bytes << row, self.first << row),
        };
        (u16::try_from(row).unwrap_or(u16::MAX), (offset - before) / size)
    }

    /// Returns a direct block, which may be kept.
    fn direct_block(&mut self, file: &File, address: u64, size: u64) -> Result<&[u8]> {
        if self.block.as_ref().is_none_or(|(kept, _)| *kept != address) {
            let bytes = usize::try_from(size).unwrap_or(usize::MAX);
            let mut block = file.metadata(address, bytes)?;
            Fields(&block).signature(b"FHDB", 0)?;
            let at = 5 + file.sizes.offset + self.offset_bytes;
            if let Some(sum) = block.get_mut(at..at + 4).filter(|_| self.has_checksums) {
                // It is computed as if it were zero.
                let stored = Fields(sum).u32()?;
                sum.fill(0);
                checksum::verify(&block, stored, "a block of a fractal heap")?;
            }
            self.block = Some((address, block));
        }
        Ok(self.block.as_ref().map_or(&[], |(_, block)| block))
    }
}

/// A written heap, and the IDs of its objects.
pub(crate) struct WrittenHeap {
    pub(crate) address: u64,
    pub(crate) ids: Vec<[u8; 8]>,
}

/// Writes a heap with objects.
pub(crate) fn write<W: Write + Seek>(
    output: &mut Output<W>,
    objects: &[Vec<u8>],
) -> Result<WrittenHeap> {
    let used = objects.iter().fold(BLOCK_HEAD, |sum, object| sum.saturating_add(object.len()));
    if used > LARGEST {
        let what =
            format!("attributes of {used} bytes: at most {LARGEST} per object are supported");
        return Err(Error::argument(what));
    }
    let size = used.next_power_of_two().max(SMALLEST);
    output.align()?;
    let address = output.end();
    output.append(&head(size, used, objects.len(), address + HEAD))?;

    let mut block = Vec::with_capacity(size);
    block.extend_from_slice(b"FHDB\0");
    block.put_u64(address);
    block.put_u32(0); // offset of the block in the heap
    block.put_u32(0); // checksum
    let mut ids = Vec::with_capacity(objects.len());
    for object in objects {
        ids.push(id(block.len(), object.len()));
        block.extend_from_slice(object);
    }
    block.resize(size, 0);
    let sum = checksum::lookup3(&block);
    block[BLOCK_CHECKSUM..BLOCK_HEAD].copy_from_slice(&sum.to_le_bytes());
    output.append(&block)?;
    Ok(WrittenHeap { address, ids })
}

fn head(size: usize, used: usize, objects: usize, block: u64) -> Vec<u8> {
    let bytes = size as u64;
    let mut out = b"FRHP\0".to_vec();
    out.put_u16(8); // bytes of an ID
    out.put_u16(0); // no filters
    out.push(CHECKSUMS);
    out.put_u32(u32::try_from(size - BLOCK_HEAD).unwrap_or(0)); // an object at most
    out.put_u64(0); // next huge object
    out.put_u64(UNDEFINED); // huge objects
    out.put_u64((size - used) as u64); // free
    out.put_u64(UNDEFINED); // free space manager
    out.put_u64(bytes); // managed
    out.put_u64(bytes); // allocated
    out.put_u64(bytes); // where the next block begins
    out.put_u64(objects as u64);
    out.extend([0; 32]); // huge and tiny objects: sizes and numbers
    out.put_u16(4); // blocks of a row
    out.put_u64(bytes); // first block
    out.put_u64(LARGEST.max(size) as u64); // largest direct block
    out.put_u16(OFFSET_BITS);
    out.put_u16(1); // rows to start with
    out.put_u64(block);
    out.put_u16(0); // rows: the root is a direct block
    checksum::append(&mut out);
    out
}

/// Returns the ID of a managed object: its type, offset in 4 bytes and length in 3.
fn id(offset: usize, len: usize) -> [u8; 8] {
    let [a, b, c, d, ..] = (offset as u64).to_le_bytes();
    let [e, f, g, ..] = (len as u64).to_le_bytes();
    [0, a, b, c, d, e, f, g]
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn objects_follow_the_head_of_the_block() {
        let mut output = Output::new(Cursor::new(Vec::new()));
        let written = write(&mut output, &[vec![7; 3], vec![8; 258]]).unwrap();
        assert_eq!(written.ids[0], [0, 21, 0, 0, 0, 3, 0, 0]);
        assert_eq!(written.ids[1], [0, 24, 0, 0, 0, 2, 1, 0]);
        let bytes = output.finish().unwrap().into_inner();
        assert_eq!(bytes.len(), 146 + 1024);
        let expected = [
            b'F', b'R', b'H', b'P', 0, // signature, version
            8, 0, 0, 0, 2, // bytes of an ID, no filters, checksums
            0xeb, 3, 0, 0, // an object at most: 1,003 bytes
        ];
        assert_eq!(bytes[..14], expected);
        assert_eq!(bytes[146..151], *b"FHDB\0");
        assert_eq!(bytes[146 + 21..146 + 25], [7, 7, 7, 8]);
        assert!(write(&mut Output::new(Cursor::new(Vec::new())), &[vec![0; 16 << 20]]).is_err());
    }
}
