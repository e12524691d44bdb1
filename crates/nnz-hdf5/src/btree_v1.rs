//! B-trees of version 1 (section III.A.1), read whole or written bottom-up. `read/chunk_tree.rs` reads them node by node.

use std::io::{Seek, Write};

use nnz_core::Result;

use crate::UNDEFINED;
use crate::bytes::{Fields, PutFields as _, Sizes};
use crate::fault::invalid;
use crate::read::file::File;
use crate::superblock::{CHUNK_K, GROUP_INTERNAL_K};
use crate::write::output::Output;

/// The type of a tree.
#[derive(Clone, Copy)]
pub(crate) enum NodeType {
    /// Members of a group; keys are offsets of names.
    Group = 0,
    /// Chunks; keys are sizes and offsets.
    Chunk = 1,
}

impl NodeType {
    /// Returns the number of children of a full node.
    fn children(self) -> usize {
        2 * usize::from(match self {
            Self::Group => GROUP_INTERNAL_K,
            Self::Chunk => CHUNK_K,
        })
    }
}

/// Size of a node before its keys and children: signature, type, level, number of children, and siblings.
pub(crate) fn head_bytes(sizes: Sizes) -> usize {
    8 + 2 * sizes.offset
}

/// Parses the head of a node and returns its level and number of children.
pub(crate) fn parse_head(
    fields: &mut Fields<'_>,
    node_type: NodeType,
    sizes: Sizes,
) -> Result<(u8, usize)> {
    if fields.take(4)? != b"TREE" || fields.u8()? != node_type as u8 {
        return Err(invalid("a B-tree node with an unexpected signature or type"));
    }
    let (level, children) = (fields.u8()?, fields.u16()?);
    fields.take(2 * sizes.offset)?;
    Ok((level, children.into()))
}

/// Calls `each` with the key before each child of the leaves and its address, in order. Keys have `key` bytes.
pub(crate) fn each_leaf(
    file: &File,
    root: u64,
    (node_type, key): (NodeType, usize),
    each: &mut dyn FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    // Nodes may name the same children again and again: there are no more than the file has room for.
    let mut room = file.bytes / (head_bytes(file.sizes) as u64) + 1;
    let mut pending = vec![(root, None)];
    while let Some((address, above)) = pending.pop() {
        let head = file.metadata(address, head_bytes(file.sizes))?;
        let (level, count) = parse_head(&mut Fields(&head), node_type, file.sizes)?;
        // Levels decrease, so that there is no cycle.
        if above.is_some_and(|above| level.checked_add(1) != Some(above)) {
            return Err(invalid(format!("a B-tree node of unexpected level {level}")));
        }
        room =
            room.checked_sub(1).ok_or_else(|| invalid("a B-tree that is larger than the file"))?;
        let bytes = head.len() + count * (key + file.sizes.offset);
        let node = file.metadata(address, bytes)?;
        let mut fields = Fields(&node[head.len()..]);
        let first = pending.len();
        for _ in 0..count {
            let (key, child) = (fields.take(key)?, fields.address(file.sizes)?);
            match level {
                0 => each(key, child)?,
                _ => pending.push((child, Some(level))),
            }
        }
        pending[first..].reverse();
    }
    Ok(())
}

/// A child and the key before it.
pub(crate) struct Child {
    pub(crate) key: Vec<u8>,
    pub(crate) address: u64,
}

/// Size of a node of a group.
pub(crate) const GROUP_NODE_BYTES: u64 = 24 + 8 * (4 * GROUP_INTERNAL_K as u64 + 1);

/// Where the root of a tree is written.
#[derive(Clone, Copy)]
pub(crate) enum Root {
    New,
    At(u64),
}

/// Writes a tree of `count` children and returns its address. `last` is the key after the last
/// child.
///
/// All nodes except the last of each level are full.
pub(crate) fn write<W: Write + Seek>(
    output: &mut Output<W>,
    (node_type, root): (NodeType, Root),
    count: usize,
    children: &mut dyn Iterator<Item = Child>,
    last: &[u8],
) -> Result<u64> {
    let (mut address, mut nodes) =
        write_level(output, (node_type, 0, root), count, children, last)?;
    let mut level = 0_u8;
    while nodes.len() > 1 {
        level = level.saturating_add(1);
        let below = nodes.len();
        (address, nodes) =
            write_level(output, (node_type, level, root), below, &mut nodes.into_iter(), last)?;
    }
    Ok(address)
}

/// Writes the nodes of a level contiguously, and returns the address of the first one and all of
/// them as children of the next level. A single node is the root.
fn write_level<W: Write + Seek>(
    output: &mut Output<W>,
    (node_type, level, root): (NodeType, u8, Root),
    count: usize,
    children: &mut dyn Iterator<Item = Child>,
    last: &[u8],
) -> Result<(u64, Vec<Child>)> {
    let full = node_type.children();
    let bytes = 24 + full * 8 + (full + 1) * last.len();
    let nodes = count.div_ceil(full).max(1);
    output.align()?;
    let first = match root {
        Root::At(address) if nodes == 1 => address,
        _ => output.end(),
    };
    let at = |node: usize| first + node as u64 * bytes as u64;
    let mut above = Vec::with_capacity(nodes);
    let mut children = children.take(count).peekable();
    for node in 0..nodes {
        let used = full.min(count - node * full);
        let mut out = b"TREE".to_vec();
        out.extend([node_type as u8, level]);
        out.put_u16(u16::try_from(used).unwrap_or(0));
        out.put_u64(if node == 0 { UNDEFINED } else { at(node - 1) });
        out.put_u64(if node + 1 == nodes { UNDEFINED } else { at(node + 1) });
        let mut start = None;
        for child in children.by_ref().take(used) {
            out.extend_from_slice(&child.key);
            out.put_u64(child.address);
            start.get_or_insert(child.key);
        }
        let end = children.peek().map_or(last, |next| &next.key);
        out.extend_from_slice(end);
        out.resize(bytes, 0);
        match at(node) == output.end() {
            true => drop(output.append(&out)?),
            false => output.write_at(at(node), &out)?,
        }
        above.push(Child { key: start.unwrap_or_default(), address: at(node) });
    }
    Ok((first, above))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn tree(count: u64) -> (u64, Vec<u8>) {
        let key = |n: u64| (8 * n).to_le_bytes().to_vec();
        let mut children = (0..count).map(|n| Child { key: key(n), address: 1000 + n });
        let mut output = Output::new(Cursor::new(Vec::new()));
        let number = usize::try_from(count).unwrap();
        let last = key(count);
        let root =
            write(&mut output, (NodeType::Group, Root::New), number, &mut children, &last).unwrap();
        (root, output.finish().unwrap().into_inner())
    }

    #[test]
    fn a_node_without_children_is_empty() {
        let (root, bytes) = tree(0);
        assert_eq!(root, 0);
        assert_eq!(bytes[..8], *b"TREE\0\0\0\0");
        assert_eq!(bytes[8..24], [255; 16]);
        assert_eq!(bytes[24..], [0; 520]);
    }

    #[test]
    fn children_are_between_keys() {
        let (_, bytes) = tree(2);
        let expected = [
            b'T', b'R', b'E', b'E', 0, 0, 2, 0, // type, level, children
            255, 255, 255, 255, 255, 255, 255, 255, // left
            255, 255, 255, 255, 255, 255, 255, 255, // right
            0, 0, 0, 0, 0, 0, 0, 0, // key
            232, 3, 0, 0, 0, 0, 0, 0, // child
            8, 0, 0, 0, 0, 0, 0, 0, //
            233, 3, 0, 0, 0, 0, 0, 0, //
            16, 0, 0, 0, 0, 0, 0, 0, // last key
        ];
        assert_eq!(bytes[..64], expected);
    }

    #[test]
    fn a_full_node_is_followed_by_another() {
        assert_eq!(tree(32).1.len(), 544);
        let (root, bytes) = tree(33);
        assert_eq!(root, 2 * 544);
        assert_eq!(bytes.len(), 3 * 544);
        // The last key of the first node is the first of the second.
        assert_eq!(bytes[24 + 32 * 16..544], 256_u64.to_le_bytes());
        assert_eq!(bytes[544 + 24..544 + 32], 256_u64.to_le_bytes());
        // The second node is the right sibling of the first.
        assert_eq!(bytes[16..24], 544_u64.to_le_bytes());
        assert_eq!(bytes[544 + 8..544 + 16], 0_u64.to_le_bytes());
        let top = [&b"TREE\0\x01\x02\0"[..], &[255; 16], &[0; 16]].concat();
        assert_eq!(bytes[1088..1088 + 40], top);
        assert_eq!(tree(32 * 32 + 1).1.len(), (33 + 2 + 1) * 544);
    }
}
