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
    /// The packed words, and space that is used for more.
    buffer: Vec<u32>,
    /// The number of packed words.
    len: usize,
    /// The number of words of each chunk.
    pub(crate) words: Vec<u8>,
    pub(crate) starts: Vec<u32>,
}

impl Chunks {
    /// Creates chunks without values.
    #[must_use]
    pub fn new(codec: Codec) -> Self {
        Self { codec, buffer: Vec::new(), len: 0, words: Vec::new(), starts: Vec::new() }
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
        self.len = 0;
        self.words.clear();
        self.starts.clear();
        self.words.reserve(whole.len());
        self.starts.reserve(if codec.has_starts() { whole.len() } else { 0 });
        for values in whole {
            // Chunks are packed in place: a copy would wait until the processor has stored them.
            if self.buffer.len() < self.len + CHUNK {
                self.buffer.resize((self.len + CHUNK).max(whole.len() * CHUNK / 4) * 3 / 2, 0);
            }
            let Some(packed) = self.buffer[self.len..].first_chunk_mut() else { break };
            let words = chunk_words(backend.pack_chunk(codec, values, packed));
            self.len += words;
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
        &self.buffer[..self.len]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoder;

    #[test]
    fn replaced_chunks_are_those_of_an_encoder() {
        let mut chunks = Chunks::new(Codec::Plain);
        // Few wide chunks, many narrow ones, many wide ones, and none.
        for (count, step) in [(300, 0x9e37_79b9), (5000, 1), (5000, 0x9e37_79b9), (100, 3)] {
            let values: Vec<u32> = (0..count).map(|at: u32| at.wrapping_mul(step)).collect();
            for codec in Codec::ALL {
                let tail = chunks.replace(codec, &values);
                let whole = &values[..values.len() - tail.len()];
                assert_eq!((whole.len() % CHUNK, tail.len()), (0, values.len() % CHUNK));
                let mut encoder = Encoder::new(codec);
                encoder.push(whole);
                let encoded = encoder.finish();
                assert_eq!(chunks.data(), encoded.data);
                assert_eq!(chunks.starts, encoded.starts);
                let words = encoded.idx.windows(2).map(|pair| pair[1] - pair[0]);
                assert!(words.eq(chunks.words.iter().map(|words| u32::from(*words))));
            }
        }
    }
}
