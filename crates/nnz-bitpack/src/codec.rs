//! The four transforms of values before packing.

use std::fmt;

use crate::kernels::{Place, low_bits};

/// The number of values in a chunk.
///
/// ```
/// assert_eq!(nnz_bitpack::CHUNK, 128);
/// ```
pub const CHUNK: usize = 128;

/// Returns the number of 32-bit words of a chunk with `width` bits per value.
///
/// ```
/// assert_eq!(nnz_bitpack::chunk_words(0), 0);
/// assert_eq!(nnz_bitpack::chunk_words(7), 28);
/// assert_eq!(nnz_bitpack::chunk_words(32), nnz_bitpack::CHUNK);
/// ```
#[must_use]
pub const fn chunk_words(width: u32) -> usize {
    4 * width as usize
}

/// Returns a value of a chunk, from its packed words, without decoding others.
///
/// The codec is one without [starts](Codec::has_starts). The result is unspecified if it is not, or if the index or the number of
/// words is not one of a chunk.
///
/// ```
/// use nnz_bitpack::{Codec, Encoder, value_at};
///
/// let values: Vec<u32> = (1..=128).collect();
/// let mut encoder = Encoder::new(Codec::MinusOne);
/// encoder.push(&values);
/// assert_eq!(value_at(Codec::MinusOne, &encoder.finish().data, 99), 100);
/// ```
#[inline]
#[must_use]
pub fn value_at(codec: Codec, packed: &[u32], index: usize) -> u32 {
    let width = packed.len() / 4;
    let place = Place::of(index / 4, width);
    let word = 4 * place.word + index % 4;
    let [low, high] =
        [word, word + 4].map(|word| u64::from(packed.get(word).copied().unwrap_or(0)));
    let bits = (high << 32 | low) >> place.shift & u64::from(low_bits(width.min(32)));
    let value = u32::try_from(bits).unwrap_or(0);
    // Values that need all 32 bits are stored unchanged.
    if codec == Codec::MinusOne && width < 32 { value.wrapping_add(1) } else { value }
}

/// The transform of values before they are packed ("Bitpacking formats" in the BPCells format
/// document).
///
/// With every codec, a chunk that would need 32 bits per value is stored as its 128 original
/// values, untransformed.
///
/// ```
/// use nnz_bitpack::Codec;
///
/// assert!(Codec::Delta.has_starts());
/// assert_eq!(Codec::MinusOne.to_string(), "BP-128m1");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Codec {
    /// BP-128: the values themselves.
    Plain,
    /// BP-128m1: each value minus one, for counts that are rarely zero.
    MinusOne,
    /// BP-128d1: the difference from the previous value, for sorted values.
    Delta,
    /// BP-128d1z: the zigzag-encoded difference from the previous value, for nearly sorted values.
    DeltaZigzag,
}

impl Codec {
    /// All codecs, in the order of the format document.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::Codec::ALL.len(), 4);
    /// ```
    pub const ALL: [Self; 4] = [Self::Plain, Self::MinusOne, Self::Delta, Self::DeltaZigzag];

    /// Returns whether the first value of each chunk is stored in a `starts` array.
    ///
    /// ```
    /// use nnz_bitpack::Codec;
    ///
    /// assert!(!Codec::Plain.has_starts());
    /// assert!(Codec::DeltaZigzag.has_starts());
    /// ```
    #[must_use]
    pub const fn has_starts(self) -> bool {
        matches!(self, Self::Delta | Self::DeltaZigzag)
    }

    /// Returns the name of the codec in the format document.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::Codec::Delta.name(), "BP-128d1");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "BP-128",
            Self::MinusOne => "BP-128m1",
            Self::Delta => "BP-128d1",
            Self::DeltaZigzag => "BP-128d1z",
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
