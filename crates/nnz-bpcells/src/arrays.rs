//! The integer arrays of a matrix, bit-packed or plain.

mod integers;
mod packed;

pub(crate) use integers::Integers;
pub(crate) use packed::{PackedArray, Scratch};

/// Chunks that `count` values take.
pub(crate) fn chunks(count: u64) -> u64 {
    count.div_ceil(nnz_bitpack::CHUNK as u64)
}
