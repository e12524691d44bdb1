//! Symbol table nodes and entries (sections III.B and III.C): the members of a group.

use super::bytes::PutFields as _;
use super::superblock::GROUP_LEAF_K;

/// Number of entries of a node.
pub(super) const ENTRIES: usize = 2 * GROUP_LEAF_K as usize;

/// Size of an entry.
const ENTRY: usize = 40;

/// The name and object header of a member.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: u64,
    pub(super) header: u64,
    /// The B-tree and the local heap of a group with a symbol table.
    pub(super) group: Option<(u64, u64)>,
}

impl Entry {
    /// Encodes the entry.
    pub(super) fn encode(&self) -> Vec<u8> {
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
pub(super) fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut out = b"SNOD\x01\0".to_vec();
    out.put_u16(u16::try_from(entries.len()).unwrap_or(0));
    entries.iter().for_each(|entry| out.extend(entry.encode()));
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
        let bytes = encode(&[dataset, group]);
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
