//! Whole chunks, encoded separately from a stream.

use crate::{Backend, CHUNK, Codec, chunk_words};

/// Whole chunks, which any thread can encode, for [`Encoder::append`](crate::Encoder::append). A
/// chunk does not depend on the previous ones.
///
/// ```
/// use nnz_bitpack::{Chunks, Codec, Encoder};
///
/// let values: Vec<u32> = (0..300).collect();
/// let (chunks, tail) = Chunks::encode(Codec::Delta, &values);
/// assert_eq!(tail.len(), 300 - 2 * 128);
///
/// let (mut apart, mut whole) = (Encoder::new(Codec::Delta), Encoder::new(Codec::Delta));
/// assert!(apart.append(&chunks));
/// apart.push(tail);
/// whole.push(&values);
/// assert_eq!(apart.finish(), whole.finish());
/// ```
#[derive(Clone, Debug)]
pub struct Chunks {
    pub(crate) codec: Codec,
    pub(crate) data: Vec<u32>,
    /// The number of words of each chunk.
    pub(crate) words: Vec<u8>,
    pub(crate) starts: Vec<u32>,
}

impl Chunks {
    /// Creates chunks without values.
    #[must_use]
    pub fn new(codec: Codec) -> Self {
        Self { codec, data: Vec::new(), words: Vec::new(), starts: Vec::new() }
    }

    /// Encodes the whole chunks of `values`, and returns them with the remaining values.
    #[must_use]
    pub fn encode(codec: Codec, values: &[u32]) -> (Self, &[u32]) {
        let mut chunks = Self::new(codec);
        let tail = chunks.replace(codec, values);
        (chunks, tail)
    }

    /// Replaces the chunks by the whole chunks of `values`, in the same memory, and returns the remaining values.
    ///
    /// ```
    /// use nnz_bitpack::{Chunks, Codec};
    ///
    /// let (mut chunks, _) = Chunks::encode(Codec::Delta, &[7; 1000]);
    /// assert_eq!(chunks.replace(Codec::Plain, &[1; 130]), [1, 1]);
    /// assert_eq!(chunks.len(), 1);
    /// ```
    pub fn replace<'v>(&mut self, codec: Codec, values: &'v [u32]) -> &'v [u32] {
        let backend = Backend::best();
        let (whole, tail) = values.as_chunks::<CHUNK>();
        self.codec = codec;
        self.data.clear();
        self.words.clear();
        self.starts.clear();
        self.data.reserve(whole.len() * CHUNK / 2);
        self.words.reserve(whole.len());
        self.starts.reserve(if codec.has_starts() { whole.len() } else { 0 });
        let mut packed = [0; CHUNK];
        for values in whole {
            let words = chunk_words(backend.pack_chunk(codec, values, &mut packed));
            self.data.extend_from_slice(&packed[..words]);
            // At most 128.
            self.words.push(u8::try_from(words).unwrap_or(u8::MAX));
            if codec.has_starts() {
                self.starts.push(values[0]);
            }
        }
        tail
    }

    /// Returns the packed words.
    #[must_use]
    pub fn data(&self) -> &[u32] {
        &self.data
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there are no chunks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}
