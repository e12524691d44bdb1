//! The storage layout of a dataset.

use std::sync::{Mutex, OnceLock};

use hdf5_reader::messages::layout::{ChunkIndexing, DataLayout};
use nnz_core::{At, Error, Place, Result};

use super::chunk_cache::ChunkCache;
use super::chunk_table::ChunkTable;
use super::filters::Pipeline;
use super::opened::Opened;
use crate::tree::{Grid, shown};

/// The storage layout of a dataset.
pub(super) enum Layout {
    /// Compact, in the header of the dataset.
    Inline(Vec<u8>),
    /// Contiguous at an address.
    Contiguous(u64),
    /// Not stored: all elements are the fill value.
    Nowhere {
        /// The number of its chunks.
        chunks: u64,
    },
    /// Chunked.
    Chunked(Box<Chunked>),
}

/// The layout of a chunked dataset.
pub(super) struct Chunked {
    pub(super) grid: Grid,
    /// Number of elements of a chunk.
    pub(super) elements: u64,
    /// Decoded size of a chunk in bytes.
    pub(super) bytes: usize,
    pub(super) pipeline: Pipeline,
    pub(super) cache: ChunkCache,
    /// The address and type of the chunk index.
    pub(super) address: u64,
    pub(super) indexing: Option<ChunkIndexing>,
    /// The maximum shape of the dataset, which the numbering of one index type depends on.
    pub(super) most: Option<Vec<u64>>,
    /// Read at the first access.
    pub(super) table: OnceLock<ChunkTable>,
    pub(super) finding: Mutex<()>,
}

impl Layout {
    /// Converts a parsed layout, for `len` elements of `size` bytes with a shape.
    pub(super) fn of(
        opened: &Opened,
        parsed: &DataLayout,
        pipeline: Pipeline,
        (shape, len, size): (&[u64], u64, usize),
        most: Option<Vec<u64>>,
        place: &Place,
    ) -> Result<Self> {
        let bytes = len.checked_mul(size as u64).ok_or_else(|| too_long(len, place))?;
        match parsed {
            DataLayout::Compact { data } => {
                if data.len() as u64 != bytes {
                    let found = format!("{} bytes in the header", data.len());
                    return Err(Error::mismatch(place.clone(), found, format!("{bytes} bytes")));
                }
                Ok(Self::Inline(data.clone()))
            }
            DataLayout::Contiguous { address, .. } if opened.is_undefined(*address) => {
                Ok(Self::Nowhere { chunks: 0 })
            }
            DataLayout::Contiguous { address, .. } => {
                opened.check(*address, bytes, place)?;
                Ok(Self::Contiguous(*address))
            }
            DataLayout::Chunked { address, dims, chunk_indexing, .. } => {
                let mut dims: Vec<u64> = dims.iter().copied().map(u64::from).collect();
                // Newer versions have the size of an element as another dimension. Some programs write another
                // number, so that of the datatype is used.
                if dims.len() == shape.len() + 1 {
                    dims.pop();
                }
                let grid = Grid::new(shape, &dims);
                let bytes = grid.as_ref().and_then(|grid| grid.elements().checked_mul(size as u64));
                let chunk = bytes.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(0);
                let Some(grid) = grid.filter(|_| chunk > 0) else {
                    let found = format!("chunks of {} elements of {size} bytes", shown(&dims));
                    let expected = format!("1 byte to 4 GiB, for {}", shown(shape));
                    return Err(Error::mismatch(place.clone(), found, expected));
                };
                if opened.is_undefined(*address) {
                    return Ok(Self::Nowhere { chunks: grid.count() });
                }
                let cache = match shape.len() {
                    0 | 1 => ChunkCache::default(),
                    _ => ChunkCache::of_stripe(),
                };
                Ok(Self::Chunked(Box::new(Chunked {
                    elements: grid.elements(),
                    grid,
                    bytes: usize::try_from(chunk).unwrap_or(usize::MAX),
                    pipeline,
                    cache,
                    address: *address,
                    indexing: chunk_indexing.clone(),
                    most,
                    table: OnceLock::new(),
                    finding: Mutex::new(()),
                })))
            }
        }
    }
}

fn too_long(len: u64, place: &Place) -> Error {
    Error::mismatch(place.clone(), format!("{len} elements"), "a length that can be stored")
}

impl Chunked {
    /// Returns the location of a chunk: its first element if there is one dimension.
    pub(super) fn place_of(&self, chunk: u64, place: &Place) -> Place {
        match self.grid.shape().len() {
            1 => place.clone().at(At::Element(chunk.saturating_mul(self.elements))),
            _ => place.clone(),
        }
    }

    /// Returns the shape by which a fixed array numbers chunks: the maximum shape.
    pub(super) fn counted_shape(&self) -> Vec<u64> {
        let shape = self.grid.shape();
        let most = self.most.as_deref().filter(|most| most.len() == shape.len());
        let most = most.filter(|most| most.iter().zip(shape).all(|(most, len)| most >= len));
        most.filter(|most| !most.contains(&u64::MAX)).unwrap_or(shape).to_vec()
    }

    /// Refuses a dataset whose chunks are numbered in a grid of another width than its own.
    pub(super) fn check_most(&self, place: &Place) -> Result<()> {
        let counted = Grid::new(&self.counted_shape(), self.grid.chunk());
        let widths = |grid: &Grid| grid.counts().get(1..).unwrap_or_default().to_vec();
        if counted.is_some_and(|counted| widths(&counted) == widths(&self.grid)) {
            return Ok(());
        }
        let what = "HDF5 chunks without an index in a dataset with a wider maximum shape are not supported";
        Err(Error::unsupported(place.clone(), what))
    }
}
