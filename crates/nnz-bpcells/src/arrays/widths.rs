//! The bits of packed values, from the positions of their chunks.

use nnz_bitpack::CHUNK;
use nnz_core::{PackedWidths, Result};

use super::chunks;
use super::packed::front;
use super::{Integers, PackedArray};

/// Positions that are read at once.
const READ: usize = 16 << 10;

impl Integers {
    /// Returns the bits of `count` values in at most `bins` bins of whole chunks.
    pub(crate) fn widths(&self, name: &str, count: u64, bins: usize) -> Result<PackedWidths> {
        match self {
            Self::Packed(packed) => packed.widths(name, count, bins),
            Self::Plain(_) => Ok(constant(name, count, 32.0)),
        }
    }
}

/// Describes an array that is not packed.
pub(crate) fn constant(name: &str, values: u64, bits: f64) -> PackedWidths {
    PackedWidths { array: name.to_owned(), values, packed: false, bits: vec![bits], mean: bits }
}

impl PackedArray {
    fn widths(&self, name: &str, count: u64, bins: usize) -> Result<PackedWidths> {
        let chunks = chunks(count);
        let per_bin = chunks.div_ceil(bins.max(1) as u64).max(1);
        let mut words = vec![0_u64; usize::try_from(chunks.div_ceil(per_bin)).unwrap_or(0)];
        let mut buffer = Vec::new();
        let mut first = 0;
        while first < chunks {
            let len = usize::try_from(chunks - first).map_or(READ, |left| left.min(READ));
            let idx = front(&mut buffer, len + 1);
            self.idx.read_into(first, idx)?;
            for (pair, chunk) in idx.windows(2).zip(first..) {
                let step = pair[1].wrapping_sub(pair[0]);
                if step > 128 || !step.is_multiple_of(4) {
                    return Err(self.bad_idx(first, idx, 0));
                }
                let bin = usize::try_from(chunk / per_bin).unwrap_or(usize::MAX);
                if let Some(words) = words.get_mut(bin) {
                    *words += u64::from(step);
                }
            }
            first += len as u64;
        }
        // A chunk of 128 values takes four words of 32 bits for each bit of a value.
        let mean = |words: u64, chunks: u64| ratio(words * 32, chunks * CHUNK as u64);
        let mean_of = |(bin, words): (u64, &u64)| {
            mean(*words, per_bin.min(chunks.saturating_sub(bin * per_bin)))
        };
        Ok(PackedWidths {
            array: name.to_owned(),
            values: count,
            packed: true,
            bits: (0..).zip(&words).map(mean_of).collect(),
            mean: if chunks == 0 { 0.0 } else { mean(words.iter().sum(), chunks) },
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean with few digits")]
fn ratio(bits: u64, values: u64) -> f64 {
    bits as f64 / values as f64
}
