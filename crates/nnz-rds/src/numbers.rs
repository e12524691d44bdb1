//! Vectors of numbers: in memory, in a file, or as sequences.

use std::fmt;
use std::io;
use std::sync::Arc;

/// Bytes that can be read at any offset.
pub trait ReadAt: Send + Sync {
    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or if there are fewer.
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()>;
}

/// A long vector that is not in memory.
#[derive(Clone)]
pub struct Outside {
    pub(crate) bytes: Arc<dyn ReadAt>,
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) big_endian: bool,
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside").field("len", &self.len).finish_non_exhaustive()
    }
}

/// The number of elements that are decoded at once.
const DECODED: usize = 64 << 10;

/// The number of elements of a block for a callback.
const BLOCK: usize = 4096;

impl Outside {
    /// Reads elements of `N` bytes from `first` on.
    fn read<T, const N: usize>(
        &self,
        first: u64,
        out: &mut [T],
        [big, little]: [fn([u8; N]) -> T; 2],
    ) -> io::Result<()> {
        let mut buffer = vec![0; out.len().min(DECODED) * N];
        let mut at = self.offset + first * N as u64;
        for part in out.chunks_mut(DECODED) {
            let bytes = &mut buffer[..part.len() * N];
            self.bytes.read_exact_at(bytes, at)?;
            let decode = if self.big_endian { big } else { little };
            for (element, bytes) in part.iter_mut().zip(bytes.as_chunks().0) {
                *element = decode(*bytes);
            }
            at += bytes.len() as u64;
        }
        Ok(())
    }
}

/// The missing value (NA) of integers and logicals.
pub const NA_INTEGER: i32 = i32::MIN;

/// The bits of the missing value (NA) of doubles, as R creates it.
pub const NA_REAL_BITS: u64 = 0x7ff0_0000_0000_07a2;

/// An integer vector.
#[derive(Clone, Debug)]
pub enum Integers {
    /// Values in a file, of a vector that is too long for memory.
    Outside(Outside),
    /// Stored values; [`NA_INTEGER`] is missing.
    Stored(Vec<i32>),
    /// A sequence such as `1:1000`, which R stores as three numbers.
    Sequence {
        /// The first number.
        first: i32,
        /// The step: 1 or -1.
        step: i32,
        /// The number of elements; the last one is in the range of integers.
        len: u64,
    },
}

/// A vector of doubles.
#[derive(Clone, Debug)]
pub enum Reals {
    /// Values in a file, of a vector that is too long for memory.
    Outside(Outside),
    /// Stored values.
    Stored(Vec<f64>),
    /// A sequence such as `1:1e10`, which R stores as three numbers.
    Sequence {
        /// The first number.
        first: f64,
        /// The step: 1 or -1.
        step: f64,
        /// The number of elements.
        len: u64,
    },
}

macro_rules! vector {
    ($type:ident, $rust:ty) => {
        impl $type {
            /// Returns the number of elements.
            #[must_use]
            pub fn len(&self) -> u64 {
                match self {
                    Self::Stored(all) => all.len() as u64,
                    Self::Sequence { len, .. } => *len,
                    Self::Outside(outside) => outside.len,
                }
            }

            /// Returns whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns an element, or `None` past the end, and of a vector that is not in memory.
            #[must_use]
            pub fn get(&self, index: u64) -> Option<$rust> {
                match self {
                    Self::Stored(all) => all.get(usize::try_from(index).ok()?).copied(),
                    Self::Sequence { first, step, len } => {
                        (index < *len).then(|| Self::nth(*first, *step, index))
                    }
                    Self::Outside(_) => None,
                }
            }

            /// Returns the elements if they are stored in memory.
            #[must_use]
            pub fn as_slice(&self) -> Option<&[$rust]> {
                match self {
                    Self::Stored(all) => Some(all),
                    Self::Sequence { .. } | Self::Outside(_) => None,
                }
            }

            /// Fills `out` with the elements from `first` on.
            ///
            /// # Errors
            ///
            /// Fails if there are fewer, or if they cannot be read.
            pub fn read(&self, first: u64, out: &mut [$rust]) -> io::Result<()> {
                let end = first.checked_add(out.len() as u64);
                if end.is_none_or(|end| end > self.len()) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                match self {
                    Self::Stored(all) => {
                        let start = usize::try_from(first).unwrap_or(usize::MAX);
                        out.copy_from_slice(&all[start..start + out.len()]);
                    }
                    Self::Sequence { first: from, step, .. } => {
                        for (element, index) in out.iter_mut().zip(first..) {
                            *element = Self::nth(*from, *step, index);
                        }
                    }
                    Self::Outside(outside) => {
                        outside.read(
                            first,
                            out,
                            [<$rust>::from_be_bytes, <$rust>::from_le_bytes],
                        )?;
                    }
                }
                Ok(())
            }

            /// Calls `each` with blocks of elements, and the number of the first one of each, until it returns `false`.
            ///
            /// # Errors
            ///
            /// Fails if they cannot be read.
            pub fn for_each_block(
                &self,
                mut each: impl FnMut(u64, &[$rust]) -> bool,
            ) -> io::Result<()> {
                if let Self::Stored(all) = self {
                    each(0, all);
                    return Ok(());
                }
                let mut block = [<$rust>::default(); BLOCK];
                let mut first = 0;
                while first < self.len() {
                    let now = (self.len() - first).min(BLOCK as u64);
                    let block = &mut block[..usize::try_from(now).unwrap_or(BLOCK)];
                    self.read(first, block)?;
                    if !each(first, block) {
                        break;
                    }
                    first += now;
                }
                Ok(())
            }
        }
    };
}

vector!(Integers, i32);
vector!(Reals, f64);

impl Integers {
    #[expect(clippy::cast_possible_truncation, reason = "the last element is checked to fit")]
    #[expect(clippy::cast_possible_wrap, reason = "a sequence has at most 2^32 elements")]
    fn nth(first: i32, step: i32, index: u64) -> i32 {
        (i64::from(first) + i64::from(step) * index as i64) as i32
    }
}

impl Reals {
    #[expect(clippy::cast_precision_loss, reason = "R computes the elements this way")]
    fn nth(first: f64, step: f64, index: u64) -> f64 {
        first + step * index as f64
    }
}
