//! Products of lengths.

use nnz_core::{Error, Result};

/// Multiplies numbers.
///
/// # Errors
///
/// Fails if the result does not fit in 64 bits.
pub fn product(numbers: impl Iterator<Item = u64>) -> Result<u64> {
    let mut product = Some(1_u64);
    for number in numbers {
        // The product is zero if one factor is, whatever the others are.
        if number == 0 {
            return Ok(0);
        }
        product = product.and_then(|product| product.checked_mul(number));
    }
    product.ok_or_else(|| Error::argument("a shape of more than 2^64 bytes"))
}
