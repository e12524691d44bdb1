//! An array of 32-bit integers, bit-packed or plain.

use std::ops::Range;

use nnz_bitpack::{CHUNK, Codec};
use nnz_container::{NamedArrays, Vector};
use nnz_core::Result;

use super::packed::at_least;
use super::scattered::{self, len, total};
use super::{By, LoadedChunks, PackedArray, Scratch};
use crate::{FormatVersion, Packing};

/// An array of 32-bit integers, bit-packed or plain.
pub(crate) enum Integers {
    Packed(Box<PackedArray>),
    Plain(Vector),
}

impl Integers {
    /// Opens the array `name` of `count` elements.
    pub(crate) fn open(
        container: &NamedArrays,
        name: &str,
        codec: Codec,
        packing: Packing,
        format_version: FormatVersion,
        count: u64,
    ) -> Result<Self> {
        match packing {
            Packing::Packed => {
                let packed = PackedArray::open(container, name, codec, format_version, count)?;
                Ok(Self::Packed(Box::new(packed)))
            }
            Packing::Unpacked => {
                let array = container.array(name)?;
                at_least(&array, count)?;
                Ok(Self::Plain(array))
            }
        }
    }

    /// Reads a range of elements.
    pub(crate) fn read(
        &self,
        range: Range<u64>,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        match self {
            Self::Plain(array) => {
                out.resize(len, 0);
                array.read_into(range.start, out)
            }
            Self::Packed(packed) => {
                let chunk = CHUNK as u64;
                let first = range.start / chunk;
                packed.read_chunks(first..range.end.div_ceil(chunk), scratch, out)?;
                // Readers ask for whole chunks except at the ends, so this rarely moves anything.
                let head = usize::try_from(range.start - first * chunk).unwrap_or(0);
                if head > 0 {
                    out.copy_within(head.., 0);
                }
                out.truncate(len);
                Ok(())
            }
        }
    }

    /// Reads ranges of elements, one after another.
    pub(crate) fn read_scattered(
        &self,
        ranges: &[Range<u64>],
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        match self {
            Self::Plain(array) => {
                out.resize(total(ranges), 0);
                let mut rest = out.as_mut_slice();
                for range in ranges {
                    let (part, after) = rest.split_at_mut(len(range).min(rest.len()));
                    array.read_into(range.start, part)?;
                    rest = after;
                }
                Ok(())
            }
            Self::Packed(packed) => scattered::read(packed, ranges, scratch, out),
        }
    }

    /// Loads the data of a range of elements, without decoding it.
    pub(crate) fn load<'s>(
        &'s self,
        range: Range<u64>,
        by: By,
        scratch: &'s mut Scratch,
    ) -> Result<LoadedIntegers<'s>> {
        match self {
            Self::Plain(array) => Ok(LoadedIntegers::Plain(array, range)),
            Self::Packed(packed) => {
                let chunk = CHUNK as u64;
                let chunks = range.start / chunk..range.end.div_ceil(chunk);
                packed.load(chunks, by, scratch).map(LoadedIntegers::Packed)
            }
        }
    }

    /// Announces reads of the positions of packed words of ranges of elements.
    pub(crate) fn will_read_positions(&self, ranges: &[Range<u64>]) {
        if let Self::Packed(packed) = self {
            packed.will_read_positions(&whole_chunks(ranges));
        }
    }

    /// Announces reads of ranges of elements. Positions of packed words are read for this.
    pub(crate) fn will_read(&self, ranges: &[Range<u64>]) -> Result<()> {
        match self {
            Self::Plain(array) => {
                array.will_read(ranges);
                Ok(())
            }
            Self::Packed(packed) => packed.will_read_words(&whole_chunks(ranges)),
        }
    }

    /// Announces reads of the first `count` of `total` elements, without reading positions: packed values are taken to
    /// have the same width.
    pub(crate) fn will_read_first(&self, count: u64, total: u64) {
        match self {
            Self::Plain(array) => array.will_read(std::slice::from_ref(&(0..count))),
            Self::Packed(packed) => packed.will_read_first_words(count, total),
        }
    }

    /// Reads one element.
    pub(crate) fn get(&self, position: u64) -> Result<u32> {
        let mut element = Vec::new();
        self.read(position..position + 1, &mut Scratch::default(), &mut element)?;
        Ok(element.first().copied().unwrap_or(0))
    }

    /// Reads the first element of a chunk of 128, decoding as little as possible.
    pub(crate) fn first_of(&self, chunk: u64) -> Result<u32> {
        match self {
            Self::Plain(_) => self.get(chunk * CHUNK as u64),
            Self::Packed(packed) => packed.first_of(chunk),
        }
    }

    /// Returns the array to name in messages about an element.
    pub(crate) fn place(&self) -> nnz_core::Place {
        match self {
            Self::Plain(array) => array.place(),
            Self::Packed(packed) => packed.data.place(),
        }
    }

    /// Lists the underlying arrays.
    pub(crate) fn arrays(&self) -> Vec<&Vector> {
        match self {
            Self::Plain(array) => vec![&array],
            Self::Packed(packed) => packed.arrays().collect(),
        }
    }
}

/// Returns the chunks that ranges of elements are in.
fn whole_chunks(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let chunk = CHUNK as u64;
    ranges.iter().map(|range| range.start / chunk..range.end.div_ceil(chunk)).collect()
}

/// A range of elements that can be decoded in parts.
pub(crate) enum LoadedIntegers<'s> {
    Packed(LoadedChunks<'s>),
    Plain(&'s Vector, Range<u64>),
}

impl LoadedIntegers<'_> {
    /// Decodes some chunks of 128 elements, counted from the chunk in which the range begins.
    /// Elements outside the range are left unspecified.
    pub(crate) fn decode(&self, chunks: Range<usize>, out: &mut [u32]) -> Result<()> {
        match self {
            Self::Packed(loaded) => loaded.decode(chunks, out),
            Self::Plain(array, range) => {
                let chunk = CHUNK as u64;
                let first = (range.start / chunk + chunks.start as u64) * chunk;
                let len =
                    usize::try_from(range.end - first).map_or(out.len(), |len| len.min(out.len()));
                array.read_into(first, &mut out[..len])
            }
        }
    }
}
