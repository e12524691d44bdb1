//! What a kind of container has to provide of an array.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Error, Place, Result};

use super::array::ArrayStorage;
use super::attribute::Attribute;
use super::element::Stored;
use super::grid::Grid;
use super::view::View;

/// An array whose metadata have been read.
pub(crate) trait Source: Send + Sync {
    fn place(&self) -> &Place;

    /// Returns the lengths of all dimensions, those inside of elements left out.
    fn shape(&self) -> &[u64];

    /// Returns whether it has no elements and no shape either.
    fn is_null(&self) -> bool {
        false
    }

    fn element(&self) -> &Stored;

    /// Returns where elements are. Chunks may have to be found for that.
    fn layout(&self) -> Result<Layout<'_>>;

    /// Returns how elements are stored, for people.
    fn storage(&self) -> ArrayStorage;

    /// Returns the bytes that elements take where they are stored.
    fn stored_bytes(&self) -> Result<u64>;

    /// Returns whether every element is stored, and none is a fill value for that reason.
    fn is_fully_stored(&self) -> Result<bool>;

    /// Returns how many threads may decode chunks.
    fn threads(&self) -> usize {
        1
    }

    fn attributes(&self) -> Result<Vec<String>>;

    fn attribute(&self, name: &str) -> Result<Option<Attribute>>;

    /// Starts reading strings of any length.
    fn variable(&self) -> Result<Box<dyn StringBlock + '_>> {
        let what = "strings of any length are not handled here";
        Err(Error::unsupported(self.place().clone(), what))
    }
}

/// Where elements are. All offsets and strides are in bytes, and have been checked.
pub(crate) enum Layout<'a> {
    /// Nowhere: each is the fill value, given as stored; zeros if empty.
    Fill(&'a [u8]),
    /// At fixed distances from a byte on.
    Flat { storage: &'a dyn ReadRange, first: u64, strides: Vec<u64> },
    /// In chunks.
    Chunked(&'a dyn Chunks),
}

/// Bytes that are read at any position.
pub(crate) trait ReadRange: Send + Sync {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()>;

    /// Makes the error that elements do not lie where they should.
    fn damaged(&self) -> Error;
}

/// The chunks of an array.
pub(crate) trait Chunks: Send + Sync {
    fn grid(&self) -> &Grid;

    /// Returns the bytes from one element of a chunk to the next in each dimension.
    fn strides(&self) -> &[u64];

    /// Returns the fill value as stored; zeros if empty.
    fn fill(&self) -> &[u8];

    /// Reads a chunk by its place in the grid. One of which a part is wanted is kept for a while.
    fn chunk(&self, at: &[u64], part: bool) -> Result<Chunk<'_>>;

    /// Returns the bytes of a chunk when decoded.
    fn decoded_bytes(&self) -> u64;
}

/// A chunk.
pub(crate) enum Chunk<'a> {
    /// Not stored.
    Missing,
    /// Decoded, elements as stored.
    Decoded(Arc<[u8]>),
    /// Stored as it is, from a byte on.
    Plain(Box<dyn ReadRange + 'a>, u64),
}

/// Strings of any length, a block of them at a time.
pub(crate) trait StringBlock {
    /// Finds the strings of a hyperslab, which holds few elements.
    fn load(&mut self, view: &View, block: &[Range<u64>]) -> Result<()>;

    /// Returns a string of the block by its number.
    fn get(&mut self, number: usize) -> Result<&[u8]>;
}
