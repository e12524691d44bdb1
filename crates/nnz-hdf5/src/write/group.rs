//! The members of a group with a symbol table: a local heap, symbol table nodes and a B-tree.

use std::io::{Seek, Write};

use nnz_core::Result;

use super::output::Output;
use crate::btree_v1::{self, Child, NodeType, Root};
use crate::local_heap::LocalHeap;
use crate::symbol_node::{self, ENTRIES, Entry};

/// A member: the address of its header, and its B-tree and heap if it is a group.
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) header: u64,
    pub(crate) group: Option<(u64, u64)>,
}

/// Writes the members of a group, sorted by name, and returns the addresses of the B-tree and the
/// heap.
pub(crate) fn write<'a, W: Write + Seek>(
    output: &mut Output<W>,
    members: impl Iterator<Item = Member<'a>>,
) -> Result<(u64, u64)> {
    let mut heap = LocalHeap::new();
    let entries: Vec<Entry> = members
        .map(|Member { name, header, group }| Entry { name: heap.add(name), header, group })
        .collect();
    let heap = heap.write(output)?;
    let entries: Vec<_> = entries.iter().map(|entry| (entry.name, entry.encode())).collect();
    Ok((write_entries(output, &entries, Root::New)?, heap))
}

/// Writes entries, sorted by name, each with the offset of its name, and returns the address of their B-tree.
pub(crate) fn write_entries<W: Write + Seek>(
    output: &mut Output<W>,
    entries: &[(u64, Vec<u8>)],
    root: Root,
) -> Result<u64> {
    let mut nodes = Vec::with_capacity(entries.len().div_ceil(ENTRIES));
    // The key before a node is the last name of the previous node; at first the empty name.
    let mut key = 0_u64;
    for entries in entries.chunks(ENTRIES) {
        output.align()?;
        let stored = entries.iter().map(|(_, stored)| stored.as_slice());
        let address = output.append(&symbol_node::encode(stored))?;
        nodes.push(Child { key: key.to_le_bytes().to_vec(), address });
        key = entries.last().map_or(key, |(name, _)| *name);
    }
    let count = nodes.len();
    let mut nodes = nodes.into_iter();
    let last = key.to_le_bytes();
    btree_v1::write(output, (NodeType::Group, root), count, &mut nodes, &last)
}
