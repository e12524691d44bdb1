//! Bins of magnitudes: four to each power of two.

/// Bins of one sign.
pub(super) const COUNT: usize = 1 << 13;

/// Returns the bin of a number that is not zero, by its absolute value: exponent, and the first two bits of the
/// fraction.
#[inline(always)]
pub(super) fn of_float(number: f64) -> usize {
    usize::try_from((number.to_bits() << 1) >> 51).unwrap_or(0)
}

/// Returns the bin of an integer that is not zero, as of a float of any precision.
#[inline(always)]
pub(super) fn of_integer(number: u64) -> usize {
    let zeros = number.leading_zeros();
    let exponent = 1023 + 63 - zeros;
    let fraction = (number << zeros) >> 61 & 3;
    (exponent as usize) << 2 | usize::try_from(fraction).unwrap_or(0)
}

/// Returns the smallest absolute value in a bin.
pub(super) fn start(bin: usize) -> f64 {
    f64::from_bits((bin as u64) << 50)
}

/// Returns the smallest absolute value above a bin.
pub(super) fn end(bin: usize) -> f64 {
    // The bins of infinity and NaN are not used.
    start((bin + 1).min(0x7ff << 2))
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "only numbers that are exact")]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_within_its_bin() {
        let floats = [1.0, 1.2, 1.25, 1.9999, 2.0, 3.0, 0.1, 1e-300, 5e-324, f64::MAX, 1e16];
        for number in floats {
            let bin = of_float(number);
            assert!(start(bin) <= number && number < end(bin) && bin < COUNT, "{number}");
            assert_eq!(of_float(-number), bin);
        }
        for shift in 0..64 {
            for number in [1_u64 << shift, (1 << shift) | 1, (1 << shift) - 1, u64::MAX >> shift] {
                if number > 0 && number < 1 << 53 {
                    assert_eq!(of_integer(number), of_float(number as f64), "{number}");
                }
            }
        }
        // A float cannot hold this number, which is below the edge of a bin.
        assert_eq!(end(of_integer((1 << 60) - 1)), 2_f64.powi(60));
    }
}
