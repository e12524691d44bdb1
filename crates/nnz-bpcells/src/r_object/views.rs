//! Arrays of R with the element types of BPCells.

use std::ops::Range;

use nnz_container::tree::{Attributes, ElementType, NdArray};
use nnz_core::{At, Error, Place, Result, ValueType};

/// 2^53: all whole numbers up to here have an exact double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Numbers of R as elements of another type.
#[derive(Debug)]
pub(super) struct ConvertedArray {
    array: Box<dyn NdArray>,
    element: ElementType,
    /// Whether they are doubles that are whole numbers, read as 64-bit integers. Otherwise the bits are the same.
    whole: bool,
}

impl ConvertedArray {
    /// Reads doubles that are whole numbers as 64-bit integers.
    pub(super) fn whole_numbers(array: Box<dyn NdArray>) -> Self {
        Self { array, element: ElementType::Number(ValueType::U64), whole: true }
    }

    /// Reinterprets elements as another type of the same size.
    pub(super) fn bit_cast(array: Box<dyn NdArray>, value_type: ValueType) -> Self {
        Self { array, element: ElementType::Number(value_type), whole: false }
    }
}

impl Attributes for ConvertedArray {}

impl NdArray for ConvertedArray {
    fn place(&self) -> Place {
        self.array.place()
    }

    fn shape(&self) -> &[u64] {
        self.array.shape()
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.array.stored_bytes()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        self.array.read_bytes(selection, out)?;
        if !self.whole {
            return Ok(());
        }
        let first = selection.first().map_or(0, |range| range.start);
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
