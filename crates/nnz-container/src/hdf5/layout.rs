//! Where the elements of one dataset lie.

use std::sync::{Mutex, OnceLock};

use hdf5_reader::messages::layout::{ChunkIndexing, DataLayout};
use nnz_core::{Error, Place, Result};

use super::chunk_cache::ChunkCache;
use super::chunk_table::ChunkTable;
use super::filters::Pipeline;
use super::opened::Opened;

/// Where the elements of one dataset lie.
pub(super) enum Layout {
    /// In the dataset's own header.
    Inline(Vec<u8>),
    /// In one piece at an address.
    Contiguous(u64),
    /// Nowhere: every element is the fill value.
    Nowhere,
    /// In chunks.
    Chunked(Box<Chunked>),
}

/// A dataset in chunks of equally many elements.
pub(super) struct Chunked {
    /// Elements of a chunk.
    pub(super) elements: u64,
    /// Bytes of a chunk when decoded.
    pub(super) bytes: usize,
    pub(super) pipeline: Pipeline,
    pub(super) cache: ChunkCache,
    /// Where the index of the chunks lies, and of what kind it is.
    pub(super) address: u64,
    pub(super) indexing: Option<ChunkIndexing>,
    /// The longest the dataset may become, which decides how one kind of index counts.
    pub(super) most: Option<Vec<u64>>,
    /// Found at the first read.
    pub(super) table: OnceLock<ChunkTable>,
    pub(super) finding: Mutex<()>,
}

impl Layout {
    /// Makes sense of a layout as parsed, for `len` elements of `size` bytes.
    pub(super) fn of(
        opened: &Opened,
        parsed: &DataLayout,
        pipeline: Pipeline,
        (len, size): (u64, usize),
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
                Ok(Self::Nowhere)
            }
            DataLayout::Contiguous { address, .. } => {
                opened.check(*address, bytes, place)?;
                Ok(Self::Contiguous(*address))
            }
            DataLayout::Chunked { address, dims, chunk_indexing, .. } => {
                let elements = dims.first().copied().map_or(0, u64::from);
                let chunk = elements.checked_mul(size as u64);
                let chunk = chunk.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(0);
                if chunk == 0 {
                    let found = format!("chunks of {elements} elements of {size} bytes");
                    return Err(Error::mismatch(place.clone(), found, "1 byte to 4 GiB"));
                }
                if opened.is_undefined(*address) {
                    return Ok(Self::Nowhere);
                }
                Ok(Self::Chunked(Box::new(Chunked {
                    elements,
                    bytes: usize::try_from(chunk).unwrap_or(usize::MAX),
                    pipeline,
                    cache: ChunkCache::default(),
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
    Error::mismatch(place.clone(), format!("{len} elements"), "a number that can be stored")
}
