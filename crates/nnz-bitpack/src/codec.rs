//! The four transforms a chunk can go through before it is packed.

use std::fmt;

/// The number of values in a chunk.
///
/// ```
/// assert_eq!(nnz_bitpack::CHUNK, 128);
/// ```
pub const CHUNK: usize = 128;

/// Returns the number of 32-bit words a chunk of `width` bits per value takes.
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

/// How values are transformed before they are packed ("Bitpacking formats" in the BPCells format
/// document).
///
/// Whatever the codec, a chunk that would need 32 bits per value is stored as its 128 original
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
    /// BP-128: values as they are.
    Plain,
    /// BP-128m1: one less than each value, for counts that are seldom zero.
    MinusOne,
    /// BP-128d1: the difference from the value before, for sorted values.
    Delta,
    /// BP-128d1z: the difference from the value before in zigzag form, for nearly sorted values.
    DeltaZigzag,
}

impl Codec {
    /// Every codec, in the order of the format document.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::Codec::ALL.len(), 4);
    /// ```
    pub const ALL: [Self; 4] = [Self::Plain, Self::MinusOne, Self::Delta, Self::DeltaZigzag];

    /// Returns whether the first value of each chunk is kept in a `starts` array.
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

    /// Returns the name the format document gives the codec.
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
