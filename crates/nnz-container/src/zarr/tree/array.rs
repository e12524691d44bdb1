//! An array of a Zarr store.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Error, Place, Result};

use super::attribute;
use super::presence;
use super::texts::Texts;
use crate::npy::Element;
use crate::tree::{
    ArrayStorage, Attribute, Chunk, Chunks, Layout, ReadRange, Source, StoredType, StringBlock,
};
use crate::zarr::chunks::{self, ChunkLocation};
use crate::zarr::metadata::{DataType, Metadata};
use crate::zarr::node::Fields;
use crate::zarr::read::Elements;
use crate::zarr::store::Store;
use nnz_chunk::ChunkCache;
use nnz_chunk::byte_order;
use nnz_chunk::grid::{Grid, strides};

/// An array of any shape.
pub(super) struct Array {
    pub(super) elements: Elements,
    /// Cached chunks of strings of variable length.
    pub(super) texts: ChunkCache,
    attributes: Fields,
    strides: Vec<u64>,
}

impl Array {
    /// Opens a directory as an array.
    pub(super) fn open(directory: Store, place: Place, threads: usize) -> Result<Self> {
        let (stored, mut fields, version) = chunks::StoredArray::open(directory, place)?;
        let attributes = match version {
            2 => stored.directory.json(".zattrs", &stored.place)?,
            _ => match fields.remove("attributes") {
                None => None,
                Some(raw) => Some(serde_json::from_str(raw.get()).map_err(|error| {
                    Error::mismatch(stored.place.clone(), "invalid attributes", "a JSON object")
                        .with_source(error)
                })?),
            },
        };
        let metadata = &stored.metadata;
        let size = metadata.element.bytes().unwrap_or(0);
        let strides = ordered_strides(metadata, size as u64);
        let fill = stored_fill(metadata);
        let texts = match metadata.grid.shape().len() {
            0 | 1 => ChunkCache::default(),
            _ => ChunkCache::of_stripe(),
        };
        let elements = Elements::new(stored, size, fill, threads);
        let attributes = attributes.unwrap_or_default();
        Ok(Self { elements, texts, attributes, strides })
    }

    fn metadata(&self) -> &Metadata {
        &self.elements.stored.metadata
    }

    /// Returns the indices in a chunk of the element at a stored position.
    pub(super) fn local(&self, mut place: u64) -> Vec<u64> {
        let Metadata { grid, order, .. } = self.metadata();
        let mut local = vec![0; order.len()];
        for &dimension in order.iter().rev() {
            let length = grid.chunk()[dimension];
            local[dimension] = place % length;
            place /= length;
        }
        local
    }
}

/// Returns the strides in a chunk.
fn ordered_strides(metadata: &Metadata, size: u64) -> Vec<u64> {
    let chunk = metadata.grid.chunk();
    let lengths: Vec<u64> = metadata.order.iter().map(|&dimension| chunk[dimension]).collect();
    // The metadata was parsed with a check that the size of a chunk fits.
    let steps = strides(&lengths, size).unwrap_or_else(|| vec![0; lengths.len()]);
    let mut ordered = vec![0; lengths.len()];
    for (&dimension, step) in metadata.order.iter().zip(steps) {
        ordered[dimension] = step;
    }
    ordered
}

/// Returns the fill value in stored form.
fn stored_fill(metadata: &Metadata) -> Vec<u8> {
    let mut fill = metadata.fill.clone();
    match metadata.data_type {
        DataType::Fixed(Element::Number { value_type, big }) => {
            byte_order::to_native(&mut fill, value_type, big);
        }
        DataType::Fixed(Element::Unicode { length, big }) => {
            let text = String::from_utf8(fill).unwrap_or_default();
            let order = |code: u32| if big { code.to_be_bytes() } else { code.to_le_bytes() };
            fill = text.chars().flat_map(|letter| order(letter.into())).collect();
            if !fill.is_empty() {
                let bytes = length.saturating_mul(4);
                // Its size is bounded by the metadata.
                fill.resize(usize::try_from(bytes).unwrap_or(0).min(chunks::MAX_FILL_LEN), 0);
            }
        }
        _ => {}
    }
    let size = metadata.element.bytes().unwrap_or(0);
    if fill.len() == size { fill } else { Vec::new() }
}

impl Source for Array {
    fn place(&self) -> &Place {
        &self.elements.stored.place
    }

    fn shape(&self) -> &[u64] {
        self.metadata().grid.shape()
    }

    fn element(&self) -> &StoredType {
        &self.metadata().element
    }

    fn layout(&self) -> Result<Layout<'_>> {
        Ok(Layout::Chunked(self))
    }

    fn storage(&self) -> ArrayStorage {
        let Metadata { grid, shard, filters, .. } = self.metadata();
        let chunk = grid.chunk().to_vec();
        let shard_shape = shard.as_ref().map(|shard| {
            chunk.iter().zip(&shard.counts).map(|(by, count)| by.saturating_mul(*count)).collect()
        });
        ArrayStorage { chunk_shape: Some(chunk), shard_shape, filters: filters.clone() }
    }

    fn stored_bytes(&self) -> Result<u64> {
        presence::stored_bytes(&self.elements.stored)
    }

    fn is_fully_stored(&self) -> Result<bool> {
        presence::is_complete(&self.elements.stored)
    }

    fn missing_chunks(&self) -> Result<u64> {
        presence::missing_files(&self.elements.stored)
    }

    fn missing_in_shards(&self) -> Result<u64> {
        presence::missing_in_shards(&self.elements.stored)
    }

    fn threads(&self) -> usize {
        self.elements.threads
    }

    fn read_run(&self, first: u64, out: &mut [u8]) -> Result<bool> {
        self.elements.read(first, out).map(|()| true)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.elements.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.elements.stored.directory.has_latency()
    }

    fn check_extent(&self) -> Result<()> {
        self.elements.stored.check_extent()
    }

    fn attributes(&self) -> Result<Vec<String>> {
        Ok(attribute::names(&self.attributes))
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        Ok(attribute::find(&self.attributes, name))
    }

    fn variable(self: Arc<Self>, selection: &[Range<u64>]) -> Result<Box<dyn StringBlock>> {
        Ok(Box::new(Texts::new(self, selection)))
    }
}

impl Chunks for Array {
    fn grid(&self) -> &Grid {
        &self.metadata().grid
    }

    fn strides(&self) -> &[u64] {
        &self.strides
    }

    fn fill(&self) -> &[u8] {
        &self.elements.fill
    }

    fn decoded_bytes(&self) -> u64 {
        self.elements.chunk_bytes()
    }

    fn will_read(&self, chunks: &mut dyn Iterator<Item = Vec<u64>>) {
        self.elements.will_read_chunks(chunks);
    }

    fn chunk(&self, at: &[u64], part: bool) -> Result<Chunk<'_>> {
        let number = self.grid().number(at);
        if let Some(kept) = self.elements.cached(number) {
            return Ok(Chunk::Decoded(kept));
        }
        let stored = &self.elements.stored;
        let Some(located) = stored.find_at(at)? else { return Ok(Chunk::Missing) };
        if stored.metadata.pipeline.is_plain() {
            self.elements.check_length(&located, number)?;
            return Ok(Chunk::Plain(Box::new(Plain { array: self, located }), 0));
        }
        let decoded = match part {
            true => self.elements.decode_to_keep(number, &located),
            false => self.elements.decode_chunk(number, &located),
        };
        decoded.map(Chunk::Decoded)
    }
}

/// A chunk that is stored unchanged.
struct Plain<'a> {
    array: &'a Array,
    located: ChunkLocation,
}

impl ReadRange for Plain<'_> {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let end = at.checked_add(out.len() as u64);
        match usize::try_from(at) {
            Ok(at) if end.is_some_and(|end| end <= self.located.bytes) => {
                self.array.elements.stored.read_part(&self.located, at, out)
            }
            _ => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> Error {
        let found = format!("a chunk of {} bytes", self.located.bytes);
        Error::mismatch(self.array.elements.stored.place.clone(), found, "more bytes")
    }
}
