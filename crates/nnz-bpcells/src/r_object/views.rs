//! Arrays of R with the element types of BPCells.

use nnz_container::NumberArray;
use nnz_core::{At, Error, Place, Result, ValueType};

/// 2^53: all whole numbers up to here have an exact double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Doubles that are whole numbers, read as 64-bit integers.
pub(super) struct WholeNumbers(pub(super) Box<dyn NumberArray>);

impl NumberArray for WholeNumbers {
    fn place(&self) -> Place {
        self.0.place()
    }

    fn value_type(&self) -> ValueType {
        ValueType::U64
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.0.stored_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        self.0.read_bytes(first, out)?;
        for (bytes, element) in out.as_chunks_mut::<8>().0.iter_mut().zip(first..) {
            let number = f64::from_ne_bytes(*bytes);
            let Some(whole) = whole(number) else {
                let place = self.place().at(At::Element(element));
                let found = format!("{number:?}");
                return Err(Error::mismatch(place, found, "a whole number from 0 to 2^53"));
            };
            *bytes = whole.to_ne_bytes();
        }
        Ok(())
    }
}

fn whole(number: f64) -> Option<u64> {
    let fits = (0.0..=EXACT).contains(&number) && number.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it fits")]
    (fits && number.is_sign_positive()).then_some(number as u64)
}

/// Returns the double that equals this number exactly, if no other number rounds to it.
#[expect(clippy::cast_precision_loss, reason = "up to 2^53 it is exact")]
pub(super) fn double_of(number: u64) -> Option<f64> {
    (number <= 1 << 53).then_some(number as f64)
}

/// Elements reinterpreted as another type of the same size.
pub(super) struct BitCast(pub(super) Box<dyn NumberArray>, pub(super) ValueType);

impl NumberArray for BitCast {
    fn place(&self) -> Place {
        self.0.place()
    }

    fn value_type(&self) -> ValueType {
        self.1
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.0.stored_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        self.0.read_bytes(first, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_exact_in_doubles_are_converted() {
        assert_eq!(whole(0.0), Some(0));
        assert_eq!(whole(EXACT), Some(1 << 53));
        let na = f64::from_bits(0x7ff0_0000_0000_07a2);
        for bad in [-0.0, -1.0, 0.5, EXACT + 2.0, f64::INFINITY, f64::NAN, na] {
            assert_eq!(whole(bad), None, "{bad}");
        }
        assert_eq!(double_of(1 << 53), Some(EXACT));
        assert_eq!(double_of((1 << 53) + 1), None);
    }
}
