//! The integer arrays of a matrix or of fragments, bit-packed or plain.

mod integers;
mod packed;
mod scattered;
mod sink;
mod widths;
mod words;

pub(crate) use integers::{Integers, LoadedIntegers};
pub(crate) use packed::{LoadedChunks, PackedArray, Scratch, at_least};
pub(crate) use sink::{EncodedIntegers, IntegerSink, SpareChunks};
pub(crate) use widths::constant;
pub(crate) use words::By;

/// Returns the number of chunks that `count` values take.
pub(crate) fn chunks(count: u64) -> u64 {
    count.div_ceil(nnz_bitpack::CHUNK as u64)
}
