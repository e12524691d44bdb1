//! Encoding a stream of values in bounded memory.

use std::mem;

use crate::{Backend, CHUNK, Chunks, Codec, EPOCH_WORDS, chunk_words};

/// Encodes a stream of values into the arrays of a bitpacked array ("Bitpacking formats" in the
/// BPCells format document). The words are the same as in BPCells.
///
/// [`push`](Self::push) appends values in pieces of any size, [`drain`](Self::drain) returns the
/// finished output at any time, and [`finish`](Self::finish) returns the rest. The result does not
/// depend on how the values are divided into pieces.
///
/// ```
/// use nnz_bitpack::{Codec, Encoder};
///
/// let (mut data, mut idx) = (Vec::new(), Vec::new());
/// let mut encoder = Encoder::new(Codec::MinusOne);
/// for piece in [[1; 100], [2; 100]] {
///     encoder.push(&piece);
///     let ready = encoder.drain();
///     data.extend_from_slice(ready.data);
///     idx.extend_from_slice(ready.idx);
/// }
/// assert_eq!(encoder.count(), 200);
/// let rest = encoder.finish();
/// data.extend(rest.data);
/// idx.extend(rest.idx);
///
/// assert_eq!(idx, [0, 4, 8]); // one bit per value in each of the two chunks
/// assert_eq!(rest.idx_offsets, [0, 3]);
/// assert_eq!(data[4..], [u32::MAX; 4]);
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    codec: Codec,
    backend: Backend,
    step: u64,
    count: u64,
    /// Values of the chunk that is not full yet: the first `filled` of `partial`.
    partial: [u32; CHUNK],
    filled: usize,
    /// The word position of the next chunk, relative to the current epoch.
    position: u64,
    /// The number of `idx` entries so far, including drained ones.
    entries: u64,
    idx_offsets: Vec<u64>,
    data: Vec<u32>,
    idx: Vec<u32>,
    starts: Vec<u32>,
    /// Whether [`Self::drain`] has returned the contents of the three vectors.
    drained: bool,
}

/// Finished output: what was encoded since the last [`Encoder::drain`].
///
/// ```
/// use nnz_bitpack::{Codec, Encoder};
///
/// let mut encoder = Encoder::new(Codec::Delta);
/// encoder.push(&[7; 130]);
/// let ready = encoder.drain();
/// assert_eq!((ready.data, ready.idx, ready.starts), (&[][..], &[0][..], &[7][..]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pending<'a> {
    /// Packed words.
    pub data: &'a [u32],
    /// Word positions where chunks begin, modulo 2^32.
    pub idx: &'a [u32],
    /// First values of chunks; empty for a codec without starts.
    pub starts: &'a [u32],
}

/// The rest of the output: what was encoded since the last [`Encoder::drain`], and `idx_offsets`.
///
/// ```
/// let packed = nnz_bitpack::Encoder::new(nnz_bitpack::Codec::Plain).finish();
/// assert!(packed.data.is_empty());
/// assert_eq!(packed.idx, [0]);
/// assert_eq!(packed.idx_offsets, [0, 1]);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finished {
    /// Packed words.
    pub data: Vec<u32>,
    /// Word positions where chunks begin, modulo 2^32, and the position where the last chunk ends.
    pub idx: Vec<u32>,
    /// First values of chunks; empty for a codec without starts.
    pub starts: Vec<u32>,
    /// The whole `idx_offsets` array.
    pub idx_offsets: Vec<u64>,
    /// The total number of values encoded, without padding.
    pub count: u64,
}

impl Encoder {
    /// Creates an encoder.
    ///
    /// ```
    /// let encoder = nnz_bitpack::Encoder::new(nnz_bitpack::Codec::Plain);
    /// assert_eq!(encoder.count(), 0);
    /// ```
    #[must_use]
    pub fn new(codec: Codec) -> Self {
        Self::with_epoch_words(codec, EPOCH_WORDS)
    }

    /// Creates an encoder whose epochs have `step` words instead of 2^32.
    ///
    /// The format has epochs of 2^32 words. Smaller steps are for tests that cross epochs with
    /// little data. `step` is clamped to 1..=2^32.
    ///
    /// ```
    /// use nnz_bitpack::{Codec, Encoder};
    ///
    /// let mut encoder = Encoder::with_epoch_words(Codec::Plain, 256);
    /// encoder.push(&[u32::MAX; 3 * 128]); // 128 words a chunk
    /// let packed = encoder.finish();
    /// assert_eq!(packed.idx, [0, 128, 0, 128]);
    /// assert_eq!(packed.idx_offsets, [0, 2, 4]);
    /// ```
    #[must_use]
    pub fn with_epoch_words(codec: Codec, step: u64) -> Self {
        Self {
            codec,
            backend: Backend::best(),
            step: step.clamp(1, EPOCH_WORDS),
            count: 0,
            partial: [0; CHUNK],
            filled: 0,
            position: 0,
            entries: 0,
            idx_offsets: vec![0],
            data: Vec::new(),
            idx: Vec::new(),
            starts: Vec::new(),
            drained: false,
        }
    }

    /// Returns the codec.
    ///
    /// ```
    /// use nnz_bitpack::{Codec, Encoder};
    ///
    /// assert_eq!(Encoder::new(Codec::Delta).codec(), Codec::Delta);
    /// ```
    #[must_use]
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Returns the number of values pushed so far.
    ///
    /// ```
    /// use nnz_bitpack::{Codec, Encoder};
    ///
    /// let mut encoder = Encoder::new(Codec::Plain);
    /// encoder.push(&[1, 2, 3]);
    /// assert_eq!(encoder.count(), 3);
    /// ```
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Appends values.
    ///
    /// ```
    /// use nnz_bitpack::{Codec, Encoder};
    ///
    /// let mut encoder = Encoder::new(Codec::Plain);
    /// encoder.push(&[1; 1000]);
    /// assert_eq!(encoder.drain().idx.len(), 7); // 896 values; 104 wait for their chunk to fill
    /// ```
    pub fn push(&mut self, values: &[u32]) {
        self.clear_drained();
        self.count += values.len() as u64;
        let mut values = values;
        if self.filled > 0 {
            let (head, rest) = values.split_at(values.len().min(CHUNK - self.filled));
            self.partial[self.filled..][..head.len()].copy_from_slice(head);
            self.filled += head.len();
            values = rest;
            if self.filled < CHUNK {
                return;
            }
            let chunk = self.partial;
            self.encode(&chunk);
        }
        let (chunks, tail) = values.as_chunks::<CHUNK>();
        for chunk in chunks {
            self.encode(chunk);
        }
        self.partial[..tail.len()].copy_from_slice(tail);
        self.filled = tail.len();
    }

    /// Appends chunks that were encoded separately.
    ///
    /// Returns `false`, and appends nothing, if the chunks have another codec or the current chunk
    /// is partly filled.
    #[must_use]
    pub fn append(&mut self, chunks: &Chunks) -> bool {
        let appended = self.append_positions(chunks);
        if appended {
            self.data.extend_from_slice(&chunks.data);
        }
        appended
    }

    /// Appends chunks like [`append`](Self::append), but for their [words](Chunks::data), which the caller writes after
    /// those of an earlier [`drain`](Self::drain), without a copy.
    ///
    /// ```
    /// use nnz_bitpack::{Chunks, Codec, Encoder};
    ///
    /// let (chunks, _) = Chunks::encode(Codec::Plain, &[3; 128]);
    /// let mut encoder = Encoder::new(Codec::Plain);
    /// assert!(encoder.append_positions(&chunks));
    /// assert!(encoder.drain().data.is_empty());
    /// assert_eq!(encoder.finish().idx, [8]);
    /// assert_eq!(chunks.data().len(), 8);
    /// ```
    #[must_use]
    pub fn append_positions(&mut self, chunks: &Chunks) -> bool {
        if self.filled > 0 || self.codec != chunks.codec {
            return false;
        }
        self.clear_drained();
        self.count += (chunks.len() * CHUNK) as u64;
        self.starts.extend_from_slice(&chunks.starts);
        for &words in &chunks.words {
            self.push_position();
            self.position += u64::from(words);
        }
        true
    }

    /// Returns what was encoded since the last call, and clears it.
    ///
    /// Values of a chunk that is not full yet are kept.
    ///
    /// ```
    /// use nnz_bitpack::{Codec, Encoder};
    ///
    /// let mut encoder = Encoder::new(Codec::Plain);
    /// encoder.push(&[1; 128]);
    /// assert_eq!(encoder.drain().data, [u32::MAX; 4]);
    /// assert!(encoder.drain().data.is_empty());
    /// ```
    pub fn drain(&mut self) -> Pending<'_> {
        self.clear_drained();
        self.drained = true;
        Pending { data: &self.data, idx: &self.idx, starts: &self.starts }
    }

    /// Ends the stream.
    ///
    /// A last chunk that is not full is padded by repeating the last value, as BPCells does.
    ///
    /// ```
    /// use nnz_bitpack::{Codec, Encoder};
    ///
    /// let mut encoder = Encoder::new(Codec::Delta);
    /// encoder.push(&[7, 8]); // the 126 repetitions of 8 have difference 0
    /// let packed = encoder.finish();
    /// assert_eq!(packed.data, [0, 1, 0, 0]);
    /// assert_eq!(packed.idx, [0, 4]);
    /// assert_eq!(packed.starts, [7]);
    /// assert_eq!(packed.idx_offsets, [0, 2]);
    /// assert_eq!(packed.count, 2);
    /// ```
    #[must_use]
    pub fn finish(mut self) -> Finished {
        self.clear_drained();
        if self.filled > 0 {
            let mut chunk = self.partial;
            chunk[self.filled..].fill(self.partial[self.filled - 1]);
            self.encode(&chunk);
        }
        self.push_position();
        let mut idx_offsets = mem::take(&mut self.idx_offsets);
        idx_offsets.push(self.entries);
        Finished {
            data: self.data,
            idx: self.idx,
            starts: self.starts,
            idx_offsets,
            count: self.count,
        }
    }

    fn encode(&mut self, chunk: &[u32; CHUNK]) {
        self.push_position();
        if self.codec.has_starts() {
            self.starts.push(chunk[0]);
        }
        let mut packed = [0; CHUNK];
        let width = self.backend.pack_chunk(self.codec, chunk, &mut packed);
        let words = chunk_words(width);
        self.data.extend_from_slice(&packed[..words]);
        self.position += words as u64;
    }

    /// Appends the current position to `idx`, and the epoch boundaries it has passed to
    /// `idx_offsets`.
    fn push_position(&mut self) {
        while self.position >= self.step {
            self.position -= self.step;
            self.idx_offsets.push(self.entries);
        }
        // Less than the step, which is at most 2^32.
        #[allow(clippy::cast_possible_truncation)]
        self.idx.push(self.position as u32);
        self.entries += 1;
    }

    fn clear_drained(&mut self) {
        if mem::take(&mut self.drained) {
            self.data.clear();
            self.idx.clear();
            self.starts.clear();
        }
    }
}
