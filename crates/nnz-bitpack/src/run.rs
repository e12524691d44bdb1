//! Runs of consecutive chunks: the hot path of readers.

use crate::{Backend, CHUNK, ChunkError, Codec};

/// Decodes a run of `n` consecutive chunks (section "BP-128" of the BPCells format document).
///
/// - `idx`: the `n + 1` word positions as they are stored, that is, modulo 2^32. A run may cross a
///   multiple of 2^32, since only differences between neighbours are used.
/// - `first_word`: the absolute word position of the run's first chunk; see
///   [`EpochTable::absolute`](crate::EpochTable::absolute).
/// - `data`: a window of the packed words, whose first word has the absolute position `base`.
/// - `starts`: the `n` starts of a codec that has them; ignored for others.
/// - `out`: room for `128 * n` values. When the run ends with the last chunk of an array, the tail
///   of that chunk is padding.
///
/// On an error the contents of `out` are unspecified.
///
/// ```
/// use nnz_bitpack::{Codec, Encoder, unpack_chunks};
///
/// let values: Vec<u32> = (0..300).map(|i| i * i).collect();
/// let mut encoder = Encoder::new(Codec::Delta);
/// encoder.push(&values);
/// let packed = encoder.finish();
///
/// // The second chunk and the third, from a window that begins with the second.
/// let (idx, starts) = (&packed.idx[1..], &packed.starts[1..]);
/// let first = u64::from(idx[0]);
/// let window = &packed.data[idx[0] as usize..];
/// let mut decoded = [0; 256];
/// unpack_chunks(Codec::Delta, idx, first, first, window, starts, &mut decoded)?;
/// assert_eq!(decoded[..172], values[128..]);
/// # Ok::<(), nnz_bitpack::ChunkError>(())
/// ```
///
/// # Errors
///
/// - [`ChunkError::IdxEmpty`], [`ChunkError::OutputLength`] and [`ChunkError::StartsLength`] when
///   the slices do not agree on `n`.
/// - [`ChunkError::Step`] when two neighbours in `idx` are not 0, 4, 8, ... or 128 words apart.
/// - [`ChunkError::Window`] when a chunk is not wholly inside the window. A chunk without words
///   must be inside too, though it may stand at the end.
pub fn unpack_chunks(
    codec: Codec,
    idx: &[u32],
    first_word: u64,
    base: u64,
    data: &[u32],
    starts: &[u32],
    out: &mut [u32],
) -> Result<(), ChunkError> {
    Backend::best().unpack_chunks(codec, idx, first_word, base, data, starts, out)
}

impl Backend {
    /// Does what [`unpack_chunks`] does, on this backend.
    ///
    /// ```
    /// use nnz_bitpack::{Backend, Codec};
    ///
    /// let mut ones = [0; 256];
    /// Backend::Scalar.unpack_chunks(Codec::MinusOne, &[0, 0, 0], 0, 0, &[], &[], &mut ones)?;
    /// assert_eq!(ones, [1; 256]);
    /// # Ok::<(), nnz_bitpack::ChunkError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`unpack_chunks`].
    #[allow(clippy::too_many_arguments)]
    #[allow(unsafe_code)]
    pub fn unpack_chunks(
        self,
        codec: Codec,
        idx: &[u32],
        first_word: u64,
        base: u64,
        data: &[u32],
        starts: &[u32],
        out: &mut [u32],
    ) -> Result<(), ChunkError> {
        let Some(chunks) = idx.len().checked_sub(1) else {
            return Err(ChunkError::IdxEmpty);
        };
        let (outputs, rest) = out.as_chunks_mut::<CHUNK>();
        if outputs.len() != chunks || !rest.is_empty() {
            return Err(ChunkError::OutputLength { found: out.len(), chunks });
        }
        if codec.has_starts() && starts.len() != chunks {
            return Err(ChunkError::StartsLength { found: starts.len(), chunks });
        }

        let kernels = &self.kernels().unpack[codec.index()];
        let starts = if codec.has_starts() { starts } else { &[] };
        // The window from the next chunk on, if it begins there at all.
        let begin = first_word.checked_sub(base).and_then(|at| usize::try_from(at).ok());
        let mut window = begin.and_then(|at| data.get(at..));
        for (chunk, (pair, out)) in idx.windows(2).zip(outputs).enumerate() {
            let step = pair[1].wrapping_sub(pair[0]);
            if step % 4 != 0 || step > 128 {
                return Err(ChunkError::Step { chunk, from: pair[0], to: pair[1] });
            }
            let words = step as usize;
            let Some((packed, rest)) = window.and_then(|window| window.split_at_checked(words))
            else {
                return Err(ChunkError::Window {
                    chunk,
                    position: window.map_or(first_word, |window| {
                        base.saturating_add((data.len() - window.len()) as u64)
                    }),
                    words,
                    window_start: base,
                    window_len: data.len(),
                });
            };
            let start = starts.get(chunk).copied().unwrap_or(0);
            // SAFETY: the processor has the instructions of the table `kernels` returns, and
            // `packed` has the length that belongs to the width `words / 4`.
            unsafe { kernels[words / 4](packed, start, out) };
            window = Some(rest);
        }
        Ok(())
    }
}
