//! A dataset of an HDF5 file.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nnz_core::{At, Error, Place, Result};

use super::texts::Texts;
use super::{Shared, attribute};
use crate::hdf5::attribute::AttributeList;
use crate::hdf5::chunk_table::Entry;
use crate::hdf5::dataset;
use crate::hdf5::layout::{self, Chunked};
use crate::hdf5::read::Worker;
use crate::tree::{
    ArrayStorage, Attribute, Chunk, Chunks, Grid, Layout, ReadRange, Source, Stored, StringBlock,
};

/// A dataset of any shape.
pub(super) struct Dataset {
    shared: Arc<Shared>,
    pub(super) stored: dataset::Stored,
    handle: hdf5_reader::Dataset,
    /// Distance of adjacent elements in bytes, in the dataset or in a chunk.
    strides: Vec<u64>,
    attributes: OnceLock<AttributeList>,
}

impl Dataset {
    /// Reads the metadata of a dataset.
    pub(super) fn open(
        shared: &Arc<Shared>,
        handle: &hdf5_reader::Dataset,
        place: Place,
        threads: usize,
    ) -> Result<Self> {
        let stored = dataset::Stored::of(&shared.opened, handle, place, threads)?;
        let lengths = match &stored.layout {
            layout::Layout::Chunked(chunked) => chunked.grid.chunk(),
            _ => &stored.shape,
        };
        // The layout was read with a check that the size of all elements fits.
        let strides = crate::tree::strides(lengths, stored.size as u64).unwrap_or_default();
        let strides = if strides.is_empty() { vec![0; lengths.len()] } else { strides };
        let (shared, attributes) = (Arc::clone(shared), OnceLock::new());
        Ok(Self { shared, stored, handle: handle.clone(), strides, attributes })
    }

    fn attribute_list(&self) -> Result<&AttributeList> {
        if let Some(all) = self.attributes.get() {
            return Ok(all);
        }
        let (opened, place) = (&self.shared.opened, &self.stored.place);
        let all = AttributeList::of_dataset(opened, &self.handle, place)?;
        Ok(self.attributes.get_or_init(|| all))
    }

    fn chunked(&self) -> Option<&Chunked> {
        match &self.stored.layout {
            layout::Layout::Chunked(chunked) => Some(chunked),
            _ => None,
        }
    }
}

impl Source for Dataset {
    fn place(&self) -> &Place {
        &self.stored.place
    }

    fn shape(&self) -> &[u64] {
        &self.stored.shape
    }

    fn is_null(&self) -> bool {
        self.stored.null
    }

    fn element(&self) -> &Stored {
        &self.stored.element
    }

    fn layout(&self) -> Result<Layout<'_>> {
        Ok(match &self.stored.layout {
            layout::Layout::Nowhere { .. } => Layout::Fill(&self.stored.fill),
            layout::Layout::Chunked(_) => Layout::Chunked(self),
            layout::Layout::Inline(_) | layout::Layout::Contiguous(_) => {
                Layout::Flat { storage: self, first: 0, strides: self.strides.clone() }
            }
        })
    }

    fn storage(&self) -> ArrayStorage {
        let Some(chunked) = self.chunked() else { return ArrayStorage::default() };
        let chunk_shape = Some(chunked.grid.chunk().to_vec());
        ArrayStorage { chunk_shape, shard_shape: None, filters: chunked.pipeline.names() }
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.stored.stored_bytes()
    }

    fn is_fully_stored(&self) -> Result<bool> {
        Ok(match &self.stored.layout {
            layout::Layout::Nowhere { .. } => self.stored.len == 0,
            layout::Layout::Inline(_) | layout::Layout::Contiguous(_) => true,
            layout::Layout::Chunked(chunked) => {
                self.stored.table(chunked)?.size(chunked)?.0 >= chunked.grid.count()
            }
        })
    }

    fn missing_chunks(&self) -> Result<u64> {
        Ok(match &self.stored.layout {
            layout::Layout::Nowhere { chunks } => *chunks,
            layout::Layout::Inline(_) | layout::Layout::Contiguous(_) => 0,
            layout::Layout::Chunked(chunked) => {
                let stored = self.stored.table(chunked)?.size(chunked)?.0;
                chunked.grid.count().saturating_sub(stored)
            }
        })
    }

    fn threads(&self) -> usize {
        self.stored.threads
    }

    fn read_run(&self, first: u64, out: &mut [u8]) -> Result<bool> {
        self.stored.read(first, out).map(|()| true)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.stored.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.stored.opened.file().has_latency()
    }

    fn check_extent(&self) -> Result<()> {
        self.stored.check_extent()
    }

    fn attributes(&self) -> Result<Vec<String>> {
        Ok(self.attribute_list()?.names())
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let mut place = self.stored.place.clone();
        place.array = Some(format!("{}@{name}", place.array.as_deref().unwrap_or_default()));
        attribute::find(&self.shared, self.attribute_list()?, name, &place)
    }

    fn variable(self: Arc<Self>, _: &[Range<u64>]) -> Result<Box<dyn StringBlock>> {
        Ok(Box::new(Texts::new(&self)))
    }
}

impl ReadRange for Dataset {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        match &self.stored.layout {
            layout::Layout::Contiguous(address) => match address.checked_add(at) {
                Some(address) => self.stored.opened.read_at(address, out, &self.stored.place),
                None => Err(self.damaged()),
            },
            layout::Layout::Inline(bytes) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX);
                let part = bytes.get(start..).and_then(|rest| rest.get(..out.len()));
                out.copy_from_slice(part.ok_or_else(|| self.damaged())?);
                Ok(())
            }
            _ => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> Error {
        let place = self.stored.place.clone().at(At::Element(self.stored.len));
        Error::mismatch(place, "the end of the dataset", "more elements")
    }
}

/// A chunk that is stored unchanged.
struct Plain<'a>(&'a Dataset, Entry);

impl ReadRange for Plain<'_> {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let Self(dataset, entry) = self;
        let end = at.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > u64::from(entry.bytes)) {
            return Err(self.damaged());
        }
        dataset.stored.opened.read_at(entry.address + at, out, &dataset.stored.place)
    }

    fn damaged(&self) -> Error {
        let found = format!("a chunk of {} bytes", self.1.bytes);
        Error::mismatch(self.0.stored.place.clone(), found, "more bytes")
    }
}

impl Chunks for Dataset {
    fn grid(&self) -> &Grid {
        static NONE: OnceLock<Grid> = OnceLock::new();
        match self.chunked() {
            Some(chunked) => &chunked.grid,
            None => NONE.get_or_init(Grid::default),
        }
    }

    fn strides(&self) -> &[u64] {
        &self.strides
    }

    fn fill(&self) -> &[u8] {
        &self.stored.fill
    }

    fn decoded_bytes(&self) -> u64 {
        self.chunked().map_or(0, |chunked| chunked.bytes as u64)
    }

    fn chunk(&self, at: &[u64], part: bool) -> Result<Chunk<'_>> {
        let Some(chunked) = self.chunked() else { return Ok(Chunk::Missing) };
        let number = chunked.grid.number(at);
        let Some(entry) = self.stored.table(chunked)?.get(chunked, number)? else {
            return Ok(Chunk::Missing);
        };
        if chunked.pipeline.is_plain(entry.skipped) {
            return Ok(Chunk::Plain(Box::new(Plain(self, entry)), 0));
        }
        if let Some(kept) = chunked.cache.get(number) {
            return Ok(Chunk::Decoded(kept));
        }
        let decoded = self.stored.decode_new(chunked, entry, &mut Worker::default())?;
        if part {
            chunked.cache.put(number, Arc::clone(&decoded));
        }
        Ok(Chunk::Decoded(decoded))
    }
}
