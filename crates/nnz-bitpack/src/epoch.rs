//! Word positions beyond 32 bits, from `idx_offsets`.

use std::error::Error;
use std::fmt;

/// The number of words in an epoch: `idx` holds positions modulo 2^32.
///
/// ```
/// assert_eq!(nnz_bitpack::EPOCH_WORDS, 1 << 32);
/// ```
pub const EPOCH_WORDS: u64 = 1 << 32;

/// The epochs of an `idx` array, given by its `idx_offsets` (section "BP-128" of the BPCells format
/// document).
///
/// `idx_offsets` is `[0, b1, b2, ..., n + 1]` for `n` chunks: entries of `idx` from `b1` on are one
/// epoch less than the position, entries from `b2` on two epochs, and so on. An array of less than
/// 2^32 words has `[0, n + 1]`.
///
/// ```
/// use nnz_bitpack::{EPOCH_WORDS, EpochTable};
///
/// // Five chunks; the entries of idx from the fourth on are beyond 2^32 words.
/// let table = EpochTable::new(&[0, 3, 6], 5, EPOCH_WORDS)?;
/// assert_eq!(table.absolute(2, 4_294_967_292), 4_294_967_292);
/// assert_eq!(table.absolute(3, 24), 4_294_967_320);
/// # Ok::<(), nnz_bitpack::EpochError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EpochTable {
    /// The positions in `idx` where a new epoch begins, ascending.
    boundaries: Vec<u64>,
    step: u64,
}

impl EpochTable {
    /// Creates the table of an array with `chunks` chunks from its `idx_offsets`.
    ///
    /// `step` is [`EPOCH_WORDS`], except in tests that cross epochs with little data. A chunk has
    /// at most 128 words, so boundaries are distinct unless `step` is smaller than that.
    ///
    /// ```
    /// use nnz_bitpack::{EPOCH_WORDS, EpochTable};
    ///
    /// assert!(EpochTable::new(&[0, 11], 10, EPOCH_WORDS).is_ok());
    /// assert!(EpochTable::new(&[0, 10], 10, EPOCH_WORDS).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If `offsets` does not begin with 0, ascend and end with `chunks + 1`.
    pub fn new(offsets: &[u64], chunks: u64, step: u64) -> Result<Self, EpochError> {
        let &[first, ref boundaries @ .., last] = offsets else {
            return Err(EpochError::TooShort { found: offsets.len() });
        };
        if first != 0 {
            return Err(EpochError::First { found: first });
        }
        if Some(last) != chunks.checked_add(1) {
            return Err(EpochError::Last { found: last, chunks });
        }
        let strict = step >= crate::CHUNK as u64;
        // The first entry of idx is always 0, so only the first epoch begins there.
        let mut previous = 0;
        for (i, &found) in boundaries.iter().enumerate() {
            let ascends = found > previous || (found == previous && i > 0 && !strict);
            if !ascends || found >= last {
                return Err(EpochError::Order { entry: i + 1, previous, found, last });
            }
            previous = found;
        }
        Ok(Self { boundaries: boundaries.to_vec(), step })
    }

    /// Returns the table of an array with one epoch, as in version 1, which has no `idx_offsets`.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::EpochTable::single().absolute(7, 1234), 1234);
    /// ```
    #[must_use]
    pub const fn single() -> Self {
        Self { boundaries: Vec::new(), step: EPOCH_WORDS }
    }

    /// Returns the epoch of the entry of `idx` at `position`.
    ///
    /// ```
    /// use nnz_bitpack::{EPOCH_WORDS, EpochTable};
    ///
    /// let table = EpochTable::new(&[0, 3, 6], 5, EPOCH_WORDS)?;
    /// assert_eq!((table.epoch(2), table.epoch(3)), (0, 1));
    /// # Ok::<(), nnz_bitpack::EpochError>(())
    /// ```
    #[must_use]
    pub fn epoch(&self, position: u64) -> u64 {
        self.boundaries.partition_point(|&boundary| boundary <= position) as u64
    }

    /// Returns the absolute word position of `idx`, the entry at `position`.
    ///
    /// Saturates at the largest 64-bit number.
    ///
    /// ```
    /// use nnz_bitpack::{EPOCH_WORDS, EpochTable};
    ///
    /// let table = EpochTable::new(&[0, 2], 1, EPOCH_WORDS)?;
    /// assert_eq!(table.absolute(1, 28), 28);
    /// # Ok::<(), nnz_bitpack::EpochError>(())
    /// ```
    #[must_use]
    pub fn absolute(&self, position: u64, idx: u32) -> u64 {
        self.epoch(position).saturating_mul(self.step).saturating_add(u64::from(idx))
    }
}

/// An invalid `idx_offsets` array.
///
/// ```
/// use nnz_bitpack::{EPOCH_WORDS, EpochError, EpochTable};
///
/// let error = EpochTable::new(&[0, 9], 3, EPOCH_WORDS).unwrap_err();
/// assert_eq!(error, EpochError::Last { found: 9, chunks: 3 });
/// assert_eq!(error.to_string(), "idx_offsets ends with 9, expected 4 for 3 chunks");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum EpochError {
    /// Fewer than two entries.
    TooShort {
        /// The number of entries.
        found: usize,
    },
    /// A first entry other than 0.
    First {
        /// The first entry.
        found: u64,
    },
    /// A last entry other than the length of `idx`.
    Last {
        /// The last entry.
        found: u64,
        /// The number of chunks; `idx` has one entry more.
        chunks: u64,
    },
    /// An entry in between that does not ascend, or that is past the end of `idx`.
    Order {
        /// The index of the entry.
        entry: usize,
        /// The previous entry.
        previous: u64,
        /// The entry itself.
        found: u64,
        /// The last entry.
        last: u64,
    },
}

impl fmt::Display for EpochError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooShort { found } => {
                write!(f, "idx_offsets has {found} entries, expected at least 2")
            }
            Self::First { found } => write!(f, "idx_offsets begins with {found}, expected 0"),
            Self::Last { found, chunks } => write!(
                f,
                "idx_offsets ends with {found}, expected {} for {chunks} chunks",
                u128::from(chunks) + 1
            ),
            Self::Order { entry, previous, found, last } => write!(
                f,
                "idx_offsets entry {entry} is {found}, expected more than {previous} and less \
                 than {last}"
            ),
        }
    }
}

impl Error for EpochError {}
