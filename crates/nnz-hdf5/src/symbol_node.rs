//! Symbol table nodes and entries (sections III.B and III.C): the members of a group.

use nnz_core::Result;

use crate::bytes::{Fields, PutFields as _, Sizes};
use crate::read::file::File;
use crate::superblock::GROUP_LEAF_K;

/// Number of entries of a node.
pub(crate) const ENTRIES: usize = 2 * GROUP_LEAF_K as usize;

/// Size of a node before its entries: signature, version, a reserved byte and the number of entries.
const HEAD: usize = 8;

/// Size of an entry.
const ENTRY: usize = 40;

/// The name and object header of a member.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) name: u64,
    pub(crate) header: u64,
    /// The B-tree and the local heap of a group with a symbol table.
    pub(crate) group: Option<(u64, u64)>,
}

/// An entry of a node of a file that is read.
#[derive(Clone, Debug)]
pub(crate) struct StoredEntry {
    /// The offset of its name in the local heap.
    pub(crate) name: u64,
    pub(crate) header: u64,
    /// The offset of the path of a soft link.
    pub(crate) soft: Option<u64>,
    /// The entry as it is stored, and its address.
    pub(crate) stored: Vec<u8>,
    pub(crate) at: u64,
}

/// Reads a node.
pub(crate) fn read(file: &File, address: u64) -> Result<Vec<StoredEntry>> {
    let head = file.metadata(address, HEAD)?;
    let mut fields = Fields(&head);
    fields.signature(b"SNOD", 1)?;
    fields.take(1)?;
    let count = usize::from(fields.u16()?);
    let entry = file.sizes.length + file.sizes.offset + 24;
    let bytes = file.metadata(address, HEAD + count * entry)?;
    let entries = bytes[HEAD..].chunks_exact(entry).zip(0..);
    let at = |number: u64| address + (HEAD as u64) + number * entry as u64;
    entries.map(|(stored, number)| StoredEntry::parse(stored, at(number), file.sizes)).collect()
}

impl StoredEntry {
    fn parse(stored: &[u8], at: u64, sizes: Sizes) -> Result<Self> {
        /// The scratch space has the offset of the path of a soft link.
        const SOFT: u32 = 2;
        let mut fields = Fields(stored);
        // The specification says "size of offsets", but HDF5 uses the size of lengths.
        let name = fields.number(sizes.length)?;
        let header = fields.address(sizes)?;
        let cached = fields.u32()?;
        fields.take(4)?;
        let path = fields.u32()?;
        let soft = (cached == SOFT).then_some(path.into());
        Ok(Self { name, header, soft, stored: stored.to_vec(), at })
    }
}

impl Entry {
    /// Encodes the entry.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(ENTRY);
        out.put_u64(self.name);
        out.put_u64(self.header);
        out.put_u32(self.group.is_some().into()); // what is cached
        out.put_u32(0);
        let (btree, heap) = self.group.unwrap_or_default();
        out.put_u64(btree);
        out.put_u64(heap);
        out
    }
}

/// Encodes a node of up to 8 entries, sorted by name.
pub(crate) fn encode<'a>(entries: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = b"SNOD\x01\0".to_vec();
    out.put_u16(u16::try_from(entries.len()).unwrap_or(0));
    entries.for_each(|entry| out.extend_from_slice(entry));
    out.resize(8 + ENTRIES * ENTRY, 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_room_for_8_entries() {
        let dataset = Entry { name: 8, header: 0x1234, group: None };
        let group = Entry { name: 16, header: 0x5678, group: Some((1, 2)) };
        let stored = [dataset, group].map(|entry| entry.encode());
        let bytes = encode(stored.iter().map(Vec::as_slice));
        let expected = [
            b'S', b'N', b'O', b'D', 1, 0, 2, 0, // version, reserved, entries
            8, 0, 0, 0, 0, 0, 0, 0, // place of the name
            0x34, 0x12, 0, 0, 0, 0, 0, 0, // header
            0, 0, 0, 0, 0, 0, 0, 0, // nothing cached
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
            16, 0, 0, 0, 0, 0, 0, 0, //
            0x78, 0x56, 0, 0, 0, 0, 0, 0, //
            1, 0, 0, 0, 0, 0, 0, 0, // a symbol table
            1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, // B-tree, heap
        ];
        assert_eq!(bytes[..88], expected);
        assert_eq!(bytes.len(), 328);
        assert_eq!(bytes[88..], [0; 240]);
    }
}
