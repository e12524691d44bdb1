//! A version 1 B-tree with the addresses of the chunks of a dataset of one dimension, read node by node: only the
//! nodes above the chunks that are read.
//!
//! HDF5 file format specification, III.A.1, "Disk Format: Level 1A1 - Version 1 B-trees", node type 1.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{At, Error, Place, Result};

use super::chunk_table::ChunkEntry;
use super::file::File;
use super::layout::Chunked;
use crate::UNDEFINED;
use crate::btree_v1::{NodeType, head_bytes, parse_head};
use crate::bytes::Fields;

/// Nodes that are kept, of about 2 KiB each.
const MOST_NODES: usize = 1 << 14;

/// Nodes of a level that are announced before they are read.
const MOST_ANNOUNCED: usize = 1 << 11;

/// Sibling nodes that are announced when a node is read on its own.
const SIBLINGS: usize = 16;

/// Size, filter mask, and offsets of the chunk and in the element.
const KEY: usize = 4 + 4 + 8 + 8;

/// The usual number of entries of a node: twice the default of its half rank.
const USUAL: usize = 64;

/// A tree whose nodes are read when they are needed.
#[derive(Debug)]
pub(crate) struct ChunkTree {
    file: Arc<File>,
    place: Place,
    nodes: Mutex<HashMap<u64, Arc<Node>>>,
}

/// A node: the chunks of a leaf, or the nodes below.
#[derive(Debug)]
struct Node {
    level: u8,
    /// Index of the first chunk of each child.
    first: Vec<u64>,
    children: Children,
}

#[derive(Debug)]
enum Children {
    Chunks(Vec<ChunkEntry>),
    Nodes(Vec<u64>),
}

impl ChunkTree {
    pub(crate) fn new(file: &Arc<File>, place: &Place) -> Self {
        Self { file: Arc::clone(file), place: place.clone(), nodes: Mutex::default() }
    }

    /// Returns a chunk, if it is stored.
    pub(crate) fn get(&self, chunked: &Chunked, chunk: u64) -> Result<Option<ChunkEntry>> {
        let mut node = self.node(chunked, chunked.address, None)?;
        loop {
            let Some(at) = node.first.partition_point(|&first| first <= chunk).checked_sub(1)
            else {
                return Ok(None);
            };
            let addresses = match &node.children {
                Children::Chunks(chunks) => {
                    return Ok(chunks.get(at).copied().filter(|entry| entry.chunk == chunk));
                }
                Children::Nodes(addresses) => addresses.get(at..).unwrap_or_default(),
            };
            let Some(&address) = addresses.first() else { return Ok(None) };
            if self.kept(address).is_none() {
                self.announce(addresses.iter().take(SIBLINGS));
            }
            node = self.node(chunked, address, Some(node.level))?;
        }
    }

    /// Reads the nodes above ranges of chunks, each level with few requests.
    pub(crate) fn prepare(&self, chunked: &Chunked, ranges: &[Range<u64>]) -> Result<()> {
        self.each_leaf(chunked, Some(ranges), |_| ())
    }

    /// Returns the number of stored chunks and their size in bytes.
    pub(crate) fn size(&self, chunked: &Chunked) -> Result<(u64, u64)> {
        let (mut count, mut bytes) = (0_u64, 0_u64);
        self.each_leaf(chunked, None, |chunks| {
            count += chunks.len() as u64;
            bytes += chunks.iter().map(|entry| u64::from(entry.bytes)).sum::<u64>();
        })?;
        Ok((count, bytes))
    }

    /// Calls `each` with the leaves above ranges of chunks, level by level; above many chunks only with some. With
    /// `None`, with all leaves.
    fn each_leaf(
        &self,
        chunked: &Chunked,
        ranges: Option<&[Range<u64>]>,
        mut each: impl FnMut(&[ChunkEntry]),
    ) -> Result<()> {
        // As many nodes as the file has room for.
        let most = self.file.bytes / (self.size_of(1) as u64) + 1;
        let mut level = None;
        let mut addresses = vec![chunked.address];
        while !addresses.is_empty() {
            let mut below = Vec::new();
            let mut parent = level;
            for some in addresses.chunks(MOST_ANNOUNCED) {
                self.announce(some.iter().filter(|address| self.kept(**address).is_none()));
                for &address in some {
                    let node = self.node(chunked, address, level)?;
                    parent = Some(node.level);
                    match &node.children {
                        Children::Chunks(chunks) => each(chunks),
                        Children::Nodes(children) => match ranges {
                            None => below.extend_from_slice(children),
                            Some(ranges) => {
                                let rest = MOST_ANNOUNCED.saturating_sub(below.len());
                                below.extend(node.above(children, ranges).take(rest));
                            }
                        },
                    }
                    // Nodes may name the same children again and again.
                    if below.len() as u64 > most {
                        let found = format!("{} nodes at one level", below.len());
                        return Err(self.invalid(address, found, format!("at most {most}")));
                    }
                }
            }
            (addresses, level) = (below, parent);
        }
        Ok(())
    }

    fn kept(&self, address: u64) -> Option<Arc<Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner).get(&address).cloned()
    }

    /// Announces reads of nodes.
    fn announce<'a>(&self, addresses: impl Iterator<Item = &'a u64>) {
        let usual = self.size_of(USUAL) as u64;
        let ranges: Vec<_> =
            addresses.map(|&address| address..address.saturating_add(usual)).collect();
        self.file.will_read_metadata(&ranges);
    }

    /// Returns the size of a node with so many entries, in bytes.
    fn size_of(&self, entries: usize) -> usize {
        head_bytes(self.file.sizes) + entries * (KEY + self.file.sizes.offset) + KEY
    }

    /// Returns a node, which is read if it is not kept. `above` is the level of its parent.
    fn node(&self, chunked: &Chunked, address: u64, above: Option<u8>) -> Result<Arc<Node>> {
        let node = match self.kept(address) {
            Some(node) => node,
            None => {
                let node = Arc::new(self.read(chunked, address)?);
                let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
                if nodes.len() >= MOST_NODES {
                    nodes.clear();
                }
                nodes.insert(address, Arc::clone(&node));
                node
            }
        };
        // Levels decrease, so that there is no cycle.
        match above {
            Some(above) if node.level.checked_add(1) != Some(above) => {
                let found = format!("a node of level {}", node.level);
                let expected = format!("one of level {}", above.saturating_sub(1));
                Err(self.invalid(address, found, expected))
            }
            _ => Ok(node),
        }
    }

    fn read(&self, chunked: &Chunked, address: u64) -> Result<Node> {
        // Most nodes are read at once.
        let mut bytes = vec![0; self.size_of(USUAL).min(self.file.room(address))];
        let read = |bytes: &mut [u8]| {
            let read = self.file.read_metadata_at(address, bytes);
            read.map_err(|error| error.with_context(&self.place))
        };
        read(&mut bytes)?;
        let head = parse_head(&mut Fields(&bytes), NodeType::Chunk, self.file.sizes);
        let (level, entries) =
            head.map_err(|error| error.with_context(&self.place.clone().at(At::Byte(address))))?;
        let size = self.size_of(entries);
        if size > bytes.len() {
            let check = self.file.check(address, size as u64);
            check.map_err(|error| error.with_context(&self.place))?;
            bytes.resize(size, 0);
            read(&mut bytes)?;
        }
        self.parse(chunked, &bytes, entries, level)
    }

    fn parse(&self, chunked: &Chunked, bytes: &[u8], entries: usize, level: u8) -> Result<Node> {
        let mut fields = Fields(bytes);
        fields.take(head_bytes(self.file.sizes))?;
        let mut first = Vec::with_capacity(entries);
        let (mut chunks, mut nodes) = (Vec::new(), Vec::new());
        for _ in 0..entries {
            let (stored, skipped) = (fields.u32()?, fields.u32()?);
            let element = fields.number(8)?;
            fields.take(8)?;
            let address = fields.address(self.file.sizes)?;
            if !element.is_multiple_of(chunked.elements) {
                let place = self.place.clone().at(At::Element(element));
                let found = format!("a chunk that starts at element {element}");
                let expected = format!("a multiple of {}", chunked.elements);
                return Err(Error::mismatch(place, found, expected));
            }
            let chunk = element / chunked.elements;
            if first.last().is_some_and(|&last| last >= chunk) {
                let place = chunked.place_of(chunk, &self.place);
                return Err(Error::mismatch(place, "chunks out of order", "increasing offsets"));
            }
            if level > 0 {
                first.push(chunk);
                nodes.push(address);
                continue;
            }
            // Chunks past the end are left from when the dataset was longer.
            if chunk >= chunked.grid.count() || address == UNDEFINED {
                continue;
            }
            let whole = u32::try_from(chunked.bytes).unwrap_or(u32::MAX);
            let bytes = if stored == 0 { whole } else { stored };
            let entry = ChunkEntry { chunk, address, bytes, skipped };
            entry.check(&self.file, chunked, &self.place)?;
            first.push(chunk);
            chunks.push(entry);
        }
        let children = if level > 0 { Children::Nodes(nodes) } else { Children::Chunks(chunks) };
        Ok(Node { level, first, children })
    }

    fn invalid(&self, address: u64, found: String, expected: String) -> Error {
        let place = self.place.clone().at(At::Byte(address));
        Error::mismatch(place, found, expected)
    }
}

impl Node {
    /// Returns the children above ranges of chunks.
    fn above<'a>(
        &'a self,
        children: &'a [u64],
        ranges: &'a [Range<u64>],
    ) -> impl Iterator<Item = u64> + 'a {
        children.iter().enumerate().filter_map(move |(at, &child)| {
            let start = self.first.get(at).copied().unwrap_or(0);
            let end = self.first.get(at + 1).copied().unwrap_or(u64::MAX);
            let wanted = ranges.iter().any(|range| range.start < end && range.end > start);
            wanted.then_some(child)
        })
    }
}
