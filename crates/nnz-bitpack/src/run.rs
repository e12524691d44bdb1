//! Decoding runs of consecutive chunks.

use crate::{Backend, CHUNK, ChunkError, Codec};

/// Decodes a run of `n` consecutive chunks (section "BP-128" of the BPCells format document).
///
/// - `idx`: the `n + 1` word positions as stored, modulo 2^32. A run may cross a
/// - `first_word`: the absolute word position of the run's first chunk; see
///   [`EpochTable::absolute`](crate::EpochTable::absolute).
/// - `data`: a window of the packed words, whose first word has the absolute position `base`.
/// - `starts`: the `n` starts; ignored for a codec without starts.
/// - `out`: `128 * n` values. If the run ends with the last chunk of an array, the end of `out` is
///   padding.
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
/// - [`ChunkError::IdxEmpty`], [`ChunkError::OutputLength`] and [`ChunkError::StartsLength`] if
///   the slices do not agree on `n`.
/// - [`ChunkError::Step`] if adjacent entries of `idx` are not 0, 4, 8, ... or 128 words apart.
/// - [`ChunkError::Window`] if a chunk is not inside the window. A chunk without words must be
///   inside too, or at its end.
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

/// Decodes a run of consecutive chunks of the plain codec, and adds `others`, which has as many
/// values. Sums that do not fit wrap around.
///
/// Otherwise the same as [`unpack_chunks`].
///
/// ```
/// use nnz_bitpack::{Codec, Encoder, unpack_chunks_onto};
///
/// let mut encoder = Encoder::new(Codec::Plain);
/// encoder.push(&[5; 128]);
/// let packed = encoder.finish();
/// let mut ends = [0; 128];
/// unpack_chunks_onto(&packed.idx, 0, 0, &packed.data, &[100; 128], &mut ends)?;
/// assert_eq!(ends, [105; 128]);
/// # Ok::<(), nnz_bitpack::ChunkError>(())
/// ```
///
/// # Errors
///
/// As [`unpack_chunks`]; [`ChunkError::OutputLength`] also if the length of `others` is wrong.
pub fn unpack_chunks_onto(
    idx: &[u32],
    first_word: u64,
    base: u64,
    data: &[u32],
    others: &[u32],
    out: &mut [u32],
) -> Result<(), ChunkError> {
    Backend::best().unpack_chunks_onto(idx, first_word, base, data, others, out)
}

impl Backend {
    /// Same as [`unpack_chunks`], on this backend.
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
        let run = Run::new(idx, first_word, base, data, out)?;
        if codec.has_starts() && starts.len() != run.outputs.len() {
            let chunks = run.outputs.len();
            return Err(ChunkError::StartsLength { found: starts.len(), chunks });
        }
        let kernels = &self.kernels().unpack[codec.index()];
        let starts = if codec.has_starts() { starts } else { &[] };
        run.for_each(|chunk, packed, out| {
            let start = starts.get(chunk).copied().unwrap_or(0);
            // SAFETY: `kernels` returns a table that this processor supports, and `packed` has the
            // length for its width.
            unsafe { kernels[packed.len() / 4](packed, start, out) };
        })
    }

    /// Same as [`unpack_chunks_onto`], on this backend.
    ///
    /// ```
    /// use nnz_bitpack::Backend;
    ///
    /// let mut sums = [0; 128];
    /// Backend::Scalar.unpack_chunks_onto(&[0, 0], 0, 0, &[], &[7; 128], &mut sums)?;
    /// assert_eq!(sums, [7; 128]);
    /// # Ok::<(), nnz_bitpack::ChunkError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`unpack_chunks_onto`].
    #[allow(unsafe_code)]
    pub fn unpack_chunks_onto(
        self,
        idx: &[u32],
        first_word: u64,
        base: u64,
        data: &[u32],
        others: &[u32],
        out: &mut [u32],
    ) -> Result<(), ChunkError> {
        let run = Run::new(idx, first_word, base, data, out)?;
        let (others, rest) = others.as_chunks::<CHUNK>();
        if others.len() != run.outputs.len() || !rest.is_empty() {
            let found = others.len() * CHUNK + rest.len();
            return Err(ChunkError::OutputLength { found, chunks: run.outputs.len() });
        }
        let kernels = self.kernels();
        let unpack = &kernels.unpack[Codec::Plain.index()];
        run.for_each(|chunk, packed, out| {
            let (width, others) = (packed.len() / 4, &others[chunk]);
            // SAFETY: `kernels` returns a table that this processor supports, and `packed` has the
            // length for its width.
            unsafe {
                match kernels.onto[width] {
                    Some(onto) => onto(packed, others, out),
                    None => {
                        unpack[width](packed, 0, out);
                        crate::add(out, others);
                    }
                }
            }
        })
    }
}

/// Chunks to decode, and their output.
struct Run<'a> {
    idx: &'a [u32],
    first_word: u64,
    base: u64,
    data: &'a [u32],
    outputs: &'a mut [[u32; CHUNK]],
}

impl<'a> Run<'a> {
    fn new(
        idx: &'a [u32],
        first_word: u64,
        base: u64,
        data: &'a [u32],
        out: &'a mut [u32],
    ) -> Result<Self, ChunkError> {
        let Some(chunks) = idx.len().checked_sub(1) else {
            return Err(ChunkError::IdxEmpty);
        };
        let found = out.len();
        let (outputs, rest) = out.as_chunks_mut::<CHUNK>();
        if outputs.len() != chunks || !rest.is_empty() {
            return Err(ChunkError::OutputLength { found, chunks });
        }
        Ok(Self { idx, first_word, base, data, outputs })
    }

    /// Calls `decode` with the words of each chunk, of which there are 0, 4, 8, ... or 128.
    #[inline(always)]
    fn for_each(
        self,
        mut decode: impl FnMut(usize, &[u32], &mut [u32; CHUNK]),
    ) -> Result<(), ChunkError> {
        let Self { idx, first_word, base, data, outputs } = self;
        // The window from the next chunk on, or `None` if the chunk begins outside it.
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
            prefetch(rest, words);
            decode(chunk, packed, out);
            window = Some(rest);
        }
        Ok(())
    }
}

/// How far ahead of a chunk, in words, memory is prefetched while it is decoded.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 1024;

/// Prefetches as many words as are decoded now, some distance ahead: hardware prefetchers do not
/// cross the end of a page.
#[inline(always)]
fn prefetch(window: &[u32], words: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(ahead) = window.get(AHEAD..AHEAD + words) {
        for line in ahead.chunks(16) {
            crate::kernels::x86::prefetch(line);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (window, words);
}
