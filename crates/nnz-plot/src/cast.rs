//! Conversions between pixels, counts and floats, where rounding and saturation are intended.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "positions on a picture are rounded"
)]

/// Converts a count.
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

/// Converts a count.
pub(crate) fn float64(count: u64) -> f64 {
    count as f64
}

/// Rounds to an index; negative numbers and NaN are 0.
pub(crate) fn index(number: f64) -> usize {
    number.round().max(0.0) as usize
}

/// Rounds down to an index; negative numbers and NaN are 0.
pub(crate) fn floor(number: f64) -> usize {
    number.max(0.0) as usize
}

/// Rounds to an exponent.
pub(crate) fn exponent(number: f64) -> i32 {
    number.clamp(-400.0, 400.0) as i32
}

/// Rounds to a number of 8 bits.
pub(crate) fn byte(number: f64) -> u8 {
    number.round().clamp(0.0, 255.0) as u8
}

/// Rounds down to a count; negative numbers and NaN are 0.
pub(crate) fn count(number: f64) -> u64 {
    number.max(0.0) as u64
}
