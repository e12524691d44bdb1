//! The interface of arrays of a kind of container.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Error, Place, Result};

use super::array::ArrayStorage;
use super::attribute::Attribute;
use super::element::StoredType;
use super::view::View;
use nnz_chunk::grid::Grid;

/// An array whose metadata has been read.
pub(crate) trait Source: Send + Sync {
    fn place(&self) -> &Place;

    /// Returns the lengths of all dimensions, without the dimensions of elements.
    fn shape(&self) -> &[u64];

    /// Returns whether it has no elements and no shape.
    fn is_null(&self) -> bool {
        false
    }

    fn element(&self) -> &StoredType;

    /// Returns the layout of elements, after reading the chunk index if necessary.
    fn layout(&self) -> Result<Layout<'_>>;

    /// Describes how elements are stored.
    fn storage(&self) -> ArrayStorage;

    /// Returns the stored size of elements in bytes.
    fn stored_bytes(&self) -> Result<u64>;

    /// Returns whether all elements are stored.
    fn is_fully_stored(&self) -> Result<bool>;

    /// Returns the number of chunks, or of shards, that do not exist.
    fn missing_chunks(&self) -> Result<u64> {
        Ok(0)
    }

    /// Returns the number of chunks that shards do not contain.
    fn missing_in_shards(&self) -> Result<u64> {
        Ok(0)
    }

    /// Returns the number of threads that decode chunks.
    fn threads(&self) -> usize {
        1
    }

    /// Fills `out` with elements from `first` on, in stored form, if the array has one dimension and can be read
    /// faster than by its layout. The caller has checked the range, and that there are bytes to read.
    fn read_run(&self, first: u64, out: &mut [u8]) -> Result<bool> {
        let _ = (first, out);
        Ok(false)
    }

    /// Announces that ranges of elements of an array of one dimension will be read soon.
    fn will_read(&self, ranges: &[Range<u64>]) {
        let _ = ranges;
    }

    /// Returns whether each read has a latency.
    fn has_latency(&self) -> bool {
        false
    }

    /// Checks that there is data for the length of the array.
    fn check_extent(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the number of bytes after the last element.
    fn trailing_bytes(&self) -> u64 {
        0
    }

    fn attributes(&self) -> Result<Vec<String>>;

    fn attribute(&self, name: &str) -> Result<Option<Attribute>>;

    /// Starts reading the strings of variable length of a hyperslab.
    fn variable(self: Arc<Self>, selection: &[Range<u64>]) -> Result<Box<dyn StringBlock>> {
        let _ = selection;
        let what = "strings of variable length are not supported here";
        Err(Error::unsupported(self.place().clone(), what))
    }
}

/// The layout of elements. Offsets and strides are in bytes and have been checked.
pub(crate) enum Layout<'a> {
    /// Not stored: all elements have the fill value, in stored form; zeros if empty.
    Fill(&'a [u8]),
    /// With constant strides from an offset on.
    Flat { storage: &'a dyn ReadRange, first: u64, strides: Vec<u64> },
    /// Chunked.
    Chunked(&'a dyn Chunks),
}

/// Bytes with random access.
pub(crate) trait ReadRange: Send + Sync {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()>;

    /// Creates the error that elements are out of bounds.
    fn damaged(&self) -> Error;
}

/// The chunks of an array.
pub(crate) trait Chunks: Send + Sync {
    fn grid(&self) -> &Grid;

    /// Returns the strides in a chunk.
    fn strides(&self) -> &[u64];

    /// Returns the fill value in stored form; zeros if empty.
    fn fill(&self) -> &[u8];

    /// Announces that chunks, by their positions in the grid, will be read soon.
    fn will_read(&self, chunks: &mut dyn Iterator<Item = Vec<u64>>) {
        let _ = chunks;
    }

    /// Reads a chunk by its position in the grid. It is cached if only a part is needed.
    fn chunk(&self, at: &[u64], part: bool) -> Result<Chunk<'_>>;

    /// Returns the decoded size of a chunk in bytes.
    fn decoded_bytes(&self) -> u64;
}

/// A chunk.
pub(crate) enum Chunk<'a> {
    /// Not stored.
    Missing,
    /// Decoded, with elements in stored form.
    Decoded(Arc<[u8]>),
    /// Stored unchanged, from an offset on.
    Plain(Box<dyn ReadRange + 'a>, u64),
}

/// Strings of variable length, read in blocks.
pub(crate) trait StringBlock {
    /// Reads the strings of a hyperslab with few elements.
    fn load(&mut self, view: &View, block: &[Range<u64>]) -> Result<()>;

    /// Returns a string of the block by its index.
    fn get(&mut self, number: usize) -> Result<&[u8]>;
}
