//! The index of a dataset's chunks: a B-tree of version 1, type 1 (section III.A.1).

use std::io::{Seek, Write};

use nnz_core::Result;

use super::super::output::Output;
use super::chunks::ChunkList;
use crate::UNDEFINED;
use crate::btree_v1::{self, Child, NodeType, Root};
use crate::bytes::PutFields as _;
use nnz_chunk::Tiles;

/// Writes the index and returns its address, or the undefined address without chunks.
pub(crate) fn write<W: Write + Seek>(
    output: &mut Output<W>,
    list: ChunkList,
    tiles: &Tiles,
    chunk: &[u32],
    element: u32,
) -> Result<u64> {
    let count = list.addresses.len();
    let Some(last) = count.checked_sub(1) else { return Ok(UNDEFINED) };
    // After the last chunk along every axis, the last one being within an element.
    let past_end = tiles.offsets(last).into_iter().zip(chunk).map(|(at, len)| at + u64::from(*len));
    let end = key(0, past_end, element.into());
    let ChunkList { addresses, sizes } = list;
    let mut children = tiles.in_row_major_order(count).filter_map(|number| {
        let (&address, &size) = (addresses.get(number)?, sizes.get(number)?);
        Some(Child { key: key(size, tiles.offsets(number).into_iter(), 0), address })
    });
    btree_v1::write(output, (NodeType::Chunk, Root::New), count, &mut children, &end)
}

/// Encodes a key: stored size of the chunk, filter mask, and its offset along each axis and within
/// an element.
fn key(size: u32, offsets: impl Iterator<Item = u64>, element: u64) -> Vec<u8> {
    let mut out = Vec::new();
    out.put_u32(size);
    out.put_u32(0);
    offsets.for_each(|offset| out.put_u64(offset));
    out.put_u64(element);
    out
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn keys_match_h5py() {
        // As written by h5py for 3 x 5 elements of 4 bytes in chunks of 2 x 2.
        let tiles = Tiles::new(&[3, 5], &[2, 2], 4).unwrap();
        let list = ChunkList { addresses: (100..106).collect(), sizes: vec![14; 6] };
        let mut output = Output::new(Cursor::new(Vec::new()));
        assert_eq!(write(&mut output, list, &tiles, &[2, 2], 4).unwrap(), 0);
        let bytes = output.finish().unwrap().into_inner();
        assert_eq!(bytes[..8], *b"TREE\x01\x00\x06\x00");
        let keys: Vec<Vec<u8>> =
            bytes[24..24 + 6 * 40].chunks(40).map(|child| child.to_vec()).collect();
        let expected = [
            14, 0, 0, 0, 0, 0, 0, 0, // bytes, filters skipped
            2, 0, 0, 0, 0, 0, 0, 0, // offset along axis 0
            4, 0, 0, 0, 0, 0, 0, 0, // along axis 1
            0, 0, 0, 0, 0, 0, 0, 0, // in the element
            105, 0, 0, 0, 0, 0, 0, 0, // address
        ];
        assert_eq!(keys[5], expected);
        let last = &bytes[24 + 6 * 40..24 + 7 * 40 - 8];
        let expected = [0_u64, 4, 6, 4].map(u64::to_le_bytes).concat();
        assert_eq!(last, expected);
        assert_eq!(bytes.len(), 24 + 64 * 8 + 65 * 32);
    }
}
