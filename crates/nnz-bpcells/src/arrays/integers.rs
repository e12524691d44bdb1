//! An array of 32-bit integers, whichever way it is stored.

use std::ops::Range;

use nnz_bitpack::{CHUNK, Codec};
use nnz_container::{Container, NumberArray};
use nnz_core::Result;

use super::packed::at_least;
use super::{PackedArray, Scratch};
use crate::{Generation, Packing};

/// An array of 32-bit integers, bit-packed or plain.
pub(crate) enum Integers {
    Packed(PackedArray),
    Plain(Box<dyn NumberArray>),
}

impl Integers {
    /// Opens the array `name` of `count` elements.
    pub(crate) fn open(
        container: &dyn Container,
        name: &str,
        codec: Codec,
        packing: Packing,
        generation: Generation,
        count: u64,
    ) -> Result<Self> {
        match packing {
            Packing::Packed => {
                PackedArray::open(container, name, codec, generation, count).map(Self::Packed)
            }
            Packing::Unpacked => {
                let array = container.array(name)?;
                at_least(&*array, count)?;
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
        self.read_each(range, scratch, out, |_, _| ())
    }

    /// Reads a range of elements. `each` gets neighbouring ones while they are still in the
    /// processor's nearest cache, all of them in turn, and where in the range they are.
    pub(crate) fn read_each(
        &self,
        range: Range<u64>,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
        mut each: impl FnMut(usize, &mut [u32]),
    ) -> Result<()> {
        let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        match self {
            Self::Plain(array) => {
                out.resize(len, 0);
                array.read(range.start, out)?;
                each(0, out);
                Ok(())
            }
            Self::Packed(packed) => {
                let chunk = CHUNK as u64;
                let first = range.start / chunk;
                let head = usize::try_from(range.start - first * chunk).unwrap_or(0);
                let chunks = first..range.end.div_ceil(chunk);
                packed.read_chunks(chunks, scratch, out, |at, values| {
                    // What comes before the range and behind it was not asked for.
                    let from = head.saturating_sub(at).min(values.len());
                    let to = (head + len).saturating_sub(at).min(values.len());
                    each((at + from).saturating_sub(head), &mut values[from..to.max(from)]);
                })?;
                // Readers ask for whole chunks but at their ends, so this seldom moves anything.
                if head > 0 {
                    out.copy_within(head.., 0);
                }
                out.truncate(len);
                Ok(())
            }
        }
    }

    /// Reads one element.
    pub(crate) fn get(&self, position: u64) -> Result<u32> {
        let mut element = Vec::new();
        self.read(position..position + 1, &mut Scratch::default(), &mut element)?;
        Ok(element.first().copied().unwrap_or(0))
    }

    /// Reads the first element of a chunk of 128, decoding as little as that takes.
    pub(crate) fn first_of(&self, chunk: u64) -> Result<u32> {
        match self {
            Self::Plain(_) => self.get(chunk * CHUNK as u64),
            Self::Packed(packed) => packed.first_of(chunk),
        }
    }

    /// Returns the array that says where in the file an element is, for messages.
    pub(crate) fn place(&self) -> nnz_core::Place {
        match self {
            Self::Plain(array) => array.place(),
            Self::Packed(packed) => packed.data.place(),
        }
    }

    /// Lists the arrays it is made of.
    pub(crate) fn arrays(&self) -> Vec<&dyn NumberArray> {
        match self {
            Self::Plain(array) => vec![&**array],
            Self::Packed(packed) => packed.arrays().collect(),
        }
    }
}
