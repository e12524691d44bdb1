//! Bins of magnitudes: fine ones, and the ends of others that are of equal width on a logarithmic scale.

/// Bits of a fraction that distinguish bins: 32 bins to each power of two.
const BITS: u32 = 5;
/// Bits of a float that do not.
const DROPPED: u32 = 52 - BITS;

/// Bins of one sign.
pub(super) const COUNT: usize = 1 << (11 + BITS);

/// Returns the bin of a number that is not zero, by its absolute value: exponent, and the first bits of the fraction.
#[inline(always)]
pub(super) fn of_float(number: f64) -> usize {
    usize::try_from((number.to_bits() << 1) >> (DROPPED + 1)).unwrap_or(0)
}

/// Returns the bin of an integer that is not zero, as of a float of any precision.
#[inline(always)]
pub(super) fn of_integer(number: u64) -> usize {
    let zeros = number.leading_zeros();
    let exponent = 1023 + 63 - zeros;
    let fraction = (number << zeros) >> (63 - BITS) & ((1 << BITS) - 1);
    (exponent as usize) << BITS | usize::try_from(fraction).unwrap_or(0)
}

/// Returns the smallest absolute value in a bin.
pub(super) fn start(bin: usize) -> f64 {
    f64::from_bits((bin as u64) << DROPPED)
}

/// Returns the smallest absolute value above a bin.
pub(super) fn end(bin: usize) -> f64 {
    // The bins of infinity and NaN are not used.
    start((bin + 1).min(0x7ff << BITS))
}

/// Returns the start of a bin that is nearest to a positive number.
pub(super) fn nearest(number: f64) -> f64 {
    f64::from_bits((number.to_bits() + (1 << (DROPPED - 1))) >> DROPPED << DROPPED)
}

/// Returns a power of ten with an exponent in tenths.
pub(super) fn power(tenths: i32) -> f64 {
    const DIGITS: [&str; 10] = [
        "1",
        "1.2589254117941673",
        "1.5848931924611135",
        "1.9952623149688797",
        "2.5118864315095801",
        "3.1622776601683793",
        "3.9810717055349725",
        "5.0118723362727229",
        "6.3095734448019325",
        "7.9432823472428150",
    ];
    let digits = usize::try_from(tenths.rem_euclid(10)).ok().and_then(|at| DIGITS.get(at));
    // Parsing is exact on all platforms, and for numbers of all sizes.
    let text = format!("{}e{}", digits.unwrap_or(&"1"), tenths.div_euclid(10));
    text.parse().unwrap_or(f64::INFINITY)
}

/// Returns the last of some ascending ends that a positive number reaches: its position, in tenths of a decade, where the
/// ends are about powers of ten.
#[expect(clippy::cast_possible_truncation, reason = "the logarithm of a float is small")]
pub(super) fn place(number: f64, end: impl Fn(i32) -> f64) -> i32 {
    let mut place = (number.log10() * 10.0).floor() as i32;
    // The logarithm and the ends are rounded.
    while end(place) > number {
        place -= 1;
    }
    while end(place + 1) <= number {
        place += 1;
    }
    place
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

    #[test]
    fn powers_of_ten_have_ten_parts() {
        assert_eq!(
            [-3, -1, 0, 1, 3].map(|decades| power(10 * decades)),
            [1e-3, 0.1, 1.0, 10.0, 1e3]
        );
        assert_eq!([power(-4000), power(4000)], [0.0, f64::INFINITY]);
        for tenths in -3070..3080 {
            assert!((power(tenths).log10() * 10.0 - f64::from(tenths)).abs() < 1e-3, "{tenths}");
            assert_eq!(place(power(tenths), power), tenths);
        }
        // Rounded to the start of a bin, their widths are nearly equal.
        for tenths in 0..100 {
            let width = (nearest(power(tenths + 1)) / nearest(power(tenths))).log10();
            assert!((0.085..0.115).contains(&width), "{tenths}: {width}");
        }
    }
}
