//! Vectors of numbers, stored or as sequences.

/// The missing value (NA) of integers and logicals.
pub const NA_INTEGER: i32 = i32::MIN;

/// The bits of the missing value (NA) of doubles, as R creates it.
pub const NA_REAL_BITS: u64 = 0x7ff0_0000_0000_07a2;

/// An integer vector.
#[derive(Clone, Debug)]
pub enum Integers {
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
                }
            }

            /// Returns whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns an element, or `None` past the end.
            #[must_use]
            pub fn get(&self, index: u64) -> Option<$rust> {
                match self {
                    Self::Stored(all) => all.get(usize::try_from(index).ok()?).copied(),
                    Self::Sequence { first, step, len } => {
                        (index < *len).then(|| Self::nth(*first, *step, index))
                    }
                }
            }

            /// Returns the elements if they are stored.
            #[must_use]
            pub fn as_slice(&self) -> Option<&[$rust]> {
                match self {
                    Self::Stored(all) => Some(all),
                    Self::Sequence { .. } => None,
                }
            }

            /// Fills `out` with the elements from `first` on; `false` if there are fewer.
            #[must_use]
            pub fn read(&self, first: u64, out: &mut [$rust]) -> bool {
                let end = first.checked_add(out.len() as u64);
                if end.is_none_or(|end| end > self.len()) {
                    return false;
                }
                match self {
                    Self::Stored(all) => {
                        let start = usize::try_from(first).unwrap_or(usize::MAX);
                        let part = all.get(start..).and_then(|rest| rest.get(..out.len()));
                        part.map(|part| out.copy_from_slice(part)).is_some()
                    }
                    Self::Sequence { first: from, step, .. } => {
                        for (element, index) in out.iter_mut().zip(first..) {
                            *element = Self::nth(*from, *step, index);
                        }
                        true
                    }
                }
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
