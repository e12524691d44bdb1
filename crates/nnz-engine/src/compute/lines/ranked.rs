//! Keys that sort floats and carry the number of a group.

use crate::compute::Float;

/// A float with a key for sorting.
pub(in crate::compute) trait Ranked: Float {
    /// A number that is greater for a greater value, with the number of a group in the last 32 bits.
    type Key: Copy + Ord + Send;

    /// Returns the key of a value that is not NaN.
    fn key(self, group: u32) -> Self::Key;

    /// Returns the number of the group.
    fn code(key: Self::Key) -> u32;

    /// Returns whether the value is less than zero.
    fn is_negative(key: Self::Key) -> bool;

    /// Returns the value.
    fn value(key: Self::Key) -> Self;

    /// Returns whether two keys have the same value.
    fn have_equal_values(one: Self::Key, other: Self::Key) -> bool;
}

macro_rules! ranked {
    ($($float:ident, $bits:ident, $key:ident, $sign:expr;)*) => {
        $(impl Ranked for $float {
            type Key = $key;

            fn key(self, group: u32) -> $key {
                let bits = self.to_bits();
                let ordered = if bits & $sign == 0 { bits | $sign } else { !bits };
                ($key::from(ordered) << 32) | $key::from(group)
            }

            #[allow(clippy::cast_possible_truncation, reason = "the last bits are the group")]
            fn code(key: $key) -> u32 {
                key as u32
            }

            fn is_negative(key: $key) -> bool {
                key < 1 << ($bits::BITS + 31)
            }

            #[allow(clippy::cast_possible_truncation, reason = "the first bits are the value")]
            fn value(key: $key) -> $float {
                let ordered = (key >> 32) as $bits;
                $float::from_bits(if ordered & $sign == 0 { !ordered } else { ordered & !$sign })
            }

            fn have_equal_values(one: $key, other: $key) -> bool {
                one >> 32 == other >> 32
            }
        })*
    };
}

ranked! {
    f32, u32, u64, 1_u32 << 31;
    f64, u64, u128, 1_u64 << 63;
}
