//! The storage layout of a dataset.

use std::sync::{Mutex, OnceLock};

use nnz_chunk::ChunkCache;
use nnz_chunk::grid::{Grid, shown};
use nnz_core::{At, Error, Place, Result};

use super::chunk_table::ChunkTable;
use super::file::File;
use crate::UNDEFINED;
use crate::dataspace::Dataspace;
use crate::filters::Pipeline;
use crate::message::layout::{Index, LayoutMessage};
use crate::virtual_mapping;

/// The storage layout of a dataset.
#[derive(Debug)]
pub enum Layout {
    /// Compact, in the header of the dataset.
    Compact(Vec<u8>),
    /// Contiguous at an address.
    Contiguous(u64),
    /// Not stored: all elements are the fill value.
    Unallocated {
        /// The number of its chunks.
        chunks: u64,
    },
    /// Chunked.
    Chunked(Box<Chunked>),
    /// In other files, which are not read: the reason.
    External(String),
}

/// The layout of a chunked dataset.
#[derive(Debug)]
pub struct Chunked {
    pub(crate) grid: Grid,
    /// Number of elements of a chunk.
    pub(crate) elements: u64,
    /// Decoded size of a chunk in bytes.
    pub(crate) bytes: usize,
    pub(crate) pipeline: Pipeline,
    /// Whether filters are not applied to chunks that are partly outside the dataset.
    pub(crate) plain_edges: bool,
    pub(crate) cache: ChunkCache,
    /// The address and type of the chunk index.
    pub(crate) address: u64,
    pub(crate) index: Index,
    /// The maximum shape of the dataset, which the numbering of some index types depends on.
    pub(crate) most: Vec<Option<u64>>,
    /// Read at the first access.
    pub(crate) table: OnceLock<ChunkTable>,
    pub(crate) finding: Mutex<()>,
}

impl Layout {
    /// Converts a parsed layout, for elements of `size` bytes, `bytes` in all, with a shape.
    pub(crate) fn of(
        file: &File,
        parsed: LayoutMessage,
        pipeline: Pipeline,
        (space, shape): (&Dataspace, &[u64]),
        (bytes, size): (u64, usize),
    ) -> Result<Self> {
        let mismatch = |found, expected| Error::mismatch(Place::default(), found, expected);
        match parsed {
            LayoutMessage::Compact(data) => {
                if data.len() as u64 != bytes {
                    let found = format!("{} bytes in the header", data.len());
                    return Err(mismatch(found, format!("{bytes} bytes")));
                }
                Ok(Self::Compact(data))
            }
            LayoutMessage::Contiguous(UNDEFINED) => Ok(Self::Unallocated { chunks: 0 }),
            LayoutMessage::Contiguous(address) => {
                file.check(address, bytes)?;
                Ok(Self::Contiguous(address))
            }
            LayoutMessage::Virtual(heap, index) => {
                let source = virtual_mapping::first_source(file, heap, index)?;
                Ok(Self::External(format!("HDF5 virtual datasets are not supported: {source}")))
            }
            LayoutMessage::Chunked { index, address, mut chunk, plain_edges } => {
                // The size of an element is another dimension. Some programs write another number, so the size of
                // the datatype is used.
                if chunk.len() == shape.len() + 1 {
                    chunk.pop();
                }
                let grid = Grid::new(shape, &chunk);
                let bytes = grid.as_ref().and_then(|grid| grid.elements().checked_mul(size as u64));
                let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(0);
                let Some(grid) = grid.filter(|_| bytes > 0) else {
                    let found = format!("chunks of {} elements of {size} bytes", shown(&chunk));
                    let expected =
                        format!("chunks of 1 byte to 4 GiB for the shape {}", shown(shape));
                    return Err(mismatch(found, expected));
                };
                if address == UNDEFINED {
                    return Ok(Self::Unallocated { chunks: grid.count() });
                }
                let cache = match shape.len() {
                    0 | 1 => ChunkCache::default(),
                    _ => ChunkCache::of_stripe(),
                };
                let most = match space {
                    Dataspace::Simple { max_shape: Some(most), .. } => most.clone(),
                    _ => shape.iter().copied().map(Some).collect(),
                };
                Ok(Self::Chunked(Box::new(Chunked {
                    elements: grid.elements(),
                    grid,
                    bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
                    pipeline,
                    plain_edges,
                    cache,
                    address,
                    index,
                    most,
                    table: OnceLock::new(),
                    finding: Mutex::new(()),
                })))
            }
        }
    }
}

impl Chunked {
    /// Returns the grid of chunks.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the decoded size of a chunk in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the names of the filters.
    #[must_use]
    pub fn filters(&self) -> Vec<String> {
        self.pipeline.names()
    }

    /// Returns the location of a chunk: its first element if there is one dimension.
    pub(crate) fn place_of(&self, chunk: u64, place: &Place) -> Place {
        match self.grid.shape().len() {
            1 => place.clone().at(At::Element(chunk.saturating_mul(self.elements))),
            _ => place.clone(),
        }
    }

    /// Returns the filters that were skipped for a chunk with a mask.
    pub(crate) fn skipped(&self, at: &[u64], mask: u32) -> u32 {
        let by = self.grid.chunk().iter().zip(self.grid.shape());
        let is_edge = at.iter().zip(by).any(|(at, (by, len))| (at + 1).saturating_mul(*by) > *len);
        if self.plain_edges && is_edge { u32::MAX } else { mask }
    }

    /// Returns the grid in which an index numbers chunks, which covers the maximum shape, and the dimension that is its
    /// first: extensible arrays begin with the unlimited one.
    pub(crate) fn numbering(&self) -> Option<(Grid, usize)> {
        let unlimited = self.most.iter().position(Option::is_none);
        let first = match self.index {
            Index::ExtensibleArray => unlimited.unwrap_or(0),
            _ => 0,
        };
        let shape = self.grid.shape();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        order.get_mut(..=first)?.rotate_right(1);
        let length = |&at: &usize| self.most.get(at).copied().flatten().or(shape.get(at).copied());
        let lengths: Vec<u64> = order.iter().filter_map(length).collect();
        let chunk: Vec<u64> =
            order.iter().filter_map(|&at| self.grid.chunk().get(at).copied()).collect();
        Some((Grid::new(&lengths, &chunk)?, first))
    }
}
