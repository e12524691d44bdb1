//! Fractal heaps (section III.G) with one direct block, for attributes that are too large for an
//! object header.

use std::io::{Seek, Write};

use nnz_core::{Error, Result};

use super::bytes::PutFields as _;
use super::output::Output;
use super::{UNDEFINED, checksum};

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

/// Number of bits of an offset in the heap.
const OFFSET_BITS: u16 = 32;

/// Direct blocks have checksums.
const CHECKSUMS: u8 = 0b10;

/// A written heap, and the IDs of its objects.
pub(super) struct Written {
    pub(super) address: u64,
    pub(super) ids: Vec<[u8; 8]>,
}

/// Writes a heap with objects.
pub(super) fn write<W: Write + Seek>(
    output: &mut Output<W>,
    objects: &[Vec<u8>],
) -> Result<Written> {
    let used = objects.iter().fold(BLOCK_HEAD, |sum, object| sum.saturating_add(object.len()));
    if used > LARGEST {
        let what =
            format!("attributes of {used} bytes: HDF5 files have at most {LARGEST} per object");
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
    Ok(Written { address, ids })
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
