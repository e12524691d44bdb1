//! A dataset of an HDF5 file.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nnz_chunk::grid::{self, Grid};
use nnz_core::{At, Error, Place, Result};
use nnz_hdf5::{self as hdf5, ChunkData, ChunkEntry, Chunked, Dataspace, Object};

use super::attribute::AttributeList;
use super::texts::Texts;
use super::{Shared, element};
use crate::tree::{
    ArrayStorage, Attribute, Chunk, Chunks, Layout, ReadRange, Source, StoredType, StringBlock,
    check_rank,
};

/// A dataset of any shape.
pub(super) struct Dataset {
    shared: Arc<Shared>,
    object: Object,
    pub(super) stored: hdf5::Dataset,
    element: StoredType,
    /// Distance of adjacent elements in bytes, in the dataset or in a chunk.
    strides: Vec<u64>,
    attributes: OnceLock<AttributeList>,
}

impl Dataset {
    /// Reads the metadata of a dataset.
    pub(super) fn open(shared: &Arc<Shared>, object: Object, place: Place) -> Result<Self> {
        let stored = hdf5::Dataset::open(&object, place, shared.threads)?;
        check_rank(stored.shape().len(), stored.place())?;
        let lengths = match stored.layout()? {
            hdf5::Layout::Chunked(chunked) => chunked.grid().chunk(),
            _ => stored.shape(),
        };
        // The layout was read with a check that the size of all elements fits.
        let strides = grid::strides(lengths, stored.datatype().bytes as u64).unwrap_or_default();
        let strides = if strides.is_empty() { vec![0; lengths.len()] } else { strides };
        let element = element::element(stored.datatype());
        let (shared, attributes) = (Arc::clone(shared), OnceLock::new());
        Ok(Self { shared, object, stored, element, strides, attributes })
    }

    fn attribute_list(&self) -> Result<&AttributeList> {
        AttributeList::of(&self.object, &self.attributes, self.stored.place())
    }

    fn chunked(&self) -> Option<&Chunked> {
        match self.stored.layout() {
            Ok(hdf5::Layout::Chunked(chunked)) => Some(chunked),
            _ => None,
        }
    }
}

impl Source for Dataset {
    fn place(&self) -> &Place {
        self.stored.place()
    }

    fn shape(&self) -> &[u64] {
        self.stored.shape()
    }

    fn is_null(&self) -> bool {
        matches!(self.stored.space(), Dataspace::Null)
    }

    fn element(&self) -> &StoredType {
        &self.element
    }

    fn layout(&self) -> Result<Layout<'_>> {
        Ok(match self.stored.layout()? {
            hdf5::Layout::Unallocated { .. } => Layout::Fill(self.stored.fill_value()),
            hdf5::Layout::Chunked(_) => Layout::Chunked(self),
            _ => Layout::Flat { storage: self, first: 0, strides: self.strides.clone() },
        })
    }

    fn storage(&self) -> ArrayStorage {
        let Some(chunked) = self.chunked() else { return ArrayStorage::default() };
        let chunk_shape = Some(chunked.grid().chunk().to_vec());
        ArrayStorage { chunk_shape, shard_shape: None, filters: chunked.filters() }
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.stored.stored_bytes()
    }

    fn is_fully_stored(&self) -> Result<bool> {
        Ok(match self.stored.layout()? {
            hdf5::Layout::Unallocated { .. } => self.stored.is_empty(),
            _ => self.stored.missing_chunks()? == 0,
        })
    }

    fn missing_chunks(&self) -> Result<u64> {
        self.stored.missing_chunks()
    }

    fn threads(&self) -> usize {
        self.stored.threads()
    }

    fn read_run(&self, first: u64, out: &mut [u8]) -> Result<bool> {
        self.stored.read(first, out).map(|()| true)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.stored.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.shared.file.file().has_latency()
    }

    fn check_extent(&self) -> Result<()> {
        self.stored.check_extent()
    }

    fn attributes(&self) -> Result<Vec<String>> {
        Ok(self.attribute_list()?.names())
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let mut place = self.stored.place().clone();
        place.array = Some(format!("{}@{name}", place.array.as_deref().unwrap_or_default()));
        self.attribute_list()?.find(&self.shared, name, &place)
    }

    fn variable(self: Arc<Self>, _: &[Range<u64>]) -> Result<Box<dyn StringBlock>> {
        Ok(Box::new(Texts::new(&self)))
    }
}

impl ReadRange for Dataset {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.stored.read_bytes(at, out)
    }

    fn damaged(&self) -> Error {
        let place = self.stored.place().clone().at(At::Element(self.stored.len()));
        Error::mismatch(place, "the end of the dataset", "more elements")
    }
}

/// A chunk that is stored unchanged.
struct Plain<'a>(&'a Dataset, ChunkEntry);

impl ReadRange for Plain<'_> {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.0.stored.read_plain(self.1, at, out)
    }

    fn damaged(&self) -> Error {
        Error::mismatch(self.0.stored.place().clone(), "a short chunk", "more bytes")
    }
}

impl Chunks for Dataset {
    fn grid(&self) -> &Grid {
        static NONE: OnceLock<Grid> = OnceLock::new();
        match self.chunked() {
            Some(chunked) => chunked.grid(),
            None => NONE.get_or_init(Grid::default),
        }
    }

    fn strides(&self) -> &[u64] {
        &self.strides
    }

    fn fill(&self) -> &[u8] {
        self.stored.fill_value()
    }

    fn decoded_bytes(&self) -> u64 {
        self.chunked().map_or(0, |chunked| chunked.bytes() as u64)
    }

    fn chunk(&self, at: &[u64], part: bool) -> Result<Chunk<'_>> {
        Ok(match self.stored.chunk(at, part)? {
            ChunkData::Missing => Chunk::Missing,
            ChunkData::Plain(entry) => Chunk::Plain(Box::new(Plain(self, entry)), 0),
            ChunkData::Decoded(chunk) => Chunk::Decoded(chunk),
        })
    }
}
