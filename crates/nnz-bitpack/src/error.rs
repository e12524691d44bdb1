//! Errors of packed chunks.

use std::error::Error;
use std::fmt;

use crate::CHUNK;

/// A packed chunk, or a run of them, that cannot be decoded.
///
/// Chunks are numbered from the start of the run. Nothing is read outside the given slices.
///
/// ```
/// use nnz_bitpack::{ChunkError, Codec, unpack_chunk};
///
/// let error = unpack_chunk(Codec::Plain, 33, 0, &[], &mut [0; 128]).unwrap_err();
/// assert_eq!(error, ChunkError::Width { width: 33 });
/// assert_eq!(error.to_string(), "width is 33 bits per value, expected at most 32");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ChunkError {
    /// A width above 32 bits per value.
    Width {
        /// The requested width.
        width: u32,
    },
    /// A single chunk whose packed words do not match its width.
    PackedLength {
        /// The requested width.
        width: u32,
        /// The number of words given.
        found: usize,
        /// The number of words of such a chunk.
        expected: usize,
    },
    /// A run without any `idx` entry: even an empty run has one.
    IdxEmpty,
    /// An output that does not hold 128 values for each chunk of the run.
    OutputLength {
        /// The number of values the output holds.
        found: usize,
        /// The number of chunks in the run.
        chunks: usize,
    },
    /// A `starts` slice that does not hold one value for each chunk of the run.
    StartsLength {
        /// The number of starts given.
        found: usize,
        /// The number of chunks in the run.
        chunks: usize,
    },
    /// Adjacent `idx` entries whose difference is not the size of a chunk: it is negative, not a
    /// multiple of four words, or more than 128 words.
    Step {
        /// The chunk between the two entries.
        chunk: usize,
        /// The entry where the chunk begins.
        from: u32,
        /// The entry where it ends.
        to: u32,
    },
    /// A chunk outside the window of packed words.
    Window {
        /// The chunk.
        chunk: usize,
        /// The word position where it begins.
        position: u64,
        /// The number of words it takes.
        words: usize,
        /// The word position of the first word of the window.
        window_start: u64,
        /// The number of words in the window.
        window_len: usize,
    },
}

impl fmt::Display for ChunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Width { width } => {
                write!(f, "width is {width} bits per value, expected at most 32")
            }
            Self::PackedLength { width, found, expected } => write!(
                f,
                "a chunk of {width} bits per value has {found} packed words, expected {expected}"
            ),
            Self::IdxEmpty => f.write_str("idx is empty, expected one entry more than chunks"),
            Self::OutputLength { found, chunks } => write!(
                f,
                "output holds {found} values, expected {CHUNK} for each of {chunks} chunks"
            ),
            Self::StartsLength { found, chunks } => {
                write!(f, "starts has {found} entries, expected one for each of {chunks} chunks")
            }
            Self::Step { chunk, from, to } => write!(
                f,
                "chunk {chunk}: idx goes from {from} to {to}, expected a step of 0, 4, 8, ... or \
                 {CHUNK} words"
            ),
            Self::Window { chunk, position, words, window_start, window_len } => write!(
                f,
                "chunk {chunk}: its {words} words begin at word {position}, but there are \
                 {window_len} words from word {window_start} on"
            ),
        }
    }
}

impl Error for ChunkError {}
