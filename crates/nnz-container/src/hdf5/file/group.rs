//! The members of a group with a symbol table: a local heap, symbol table nodes and a B-tree.

use std::io::{Seek, Write};

use nnz_core::Result;

use super::btree_v1::{self, Child, NodeType};
use super::local_heap::LocalHeap;
use super::output::Output;
use super::symbol_node::{self, ENTRIES, Entry};

/// A member: the address of its header, and its B-tree and heap if it is a group.
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    pub(super) header: u64,
    pub(super) group: Option<(u64, u64)>,
}

/// Writes the members of a group, sorted by name, and returns the addresses of the B-tree and the
/// heap.
pub(super) fn write<'a, W: Write + Seek>(
    output: &mut Output<W>,
    members: impl Iterator<Item = Member<'a>>,
) -> Result<(u64, u64)> {
    let mut heap = LocalHeap::new();
    let entries: Vec<Entry> = members
        .map(|Member { name, header, group }| Entry { name: heap.add(name), header, group })
        .collect();
    let heap = heap.write(output)?;
    let mut nodes = Vec::with_capacity(entries.len().div_ceil(ENTRIES));
    // The key before a node is the last name of the previous node; at first the empty name.
    let mut key = 0_u64;
    for entries in entries.chunks(ENTRIES) {
        output.align()?;
        let address = output.append(&symbol_node::encode(entries))?;
        nodes.push(Child { key: key.to_le_bytes().to_vec(), address });
        key = entries.last().map_or(key, |last| last.name);
    }
    let count = nodes.len();
    let mut nodes = nodes.into_iter();
    let last = key.to_le_bytes();
    let btree = btree_v1::write(output, NodeType::Group, count, &mut nodes, &last)?;
    Ok((btree, heap))
}
