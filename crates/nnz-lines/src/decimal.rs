//! The float nearest to a decimal number, for the numbers that are common in files.

/// The number of decimal digits that always fit into 64 bits.
pub const DIGITS: usize = 19;

/// Powers of ten.
pub const TENS: [u64; DIGITS + 1] = {
    let mut tens = [1; DIGITS + 1];
    let mut at = 1;
    while at <= DIGITS {
        tens[at] = tens[at - 1] * 10;
        at += 1;
    }
    tens
};

/// The largest exponent of ten in the table, of either sign: the power of 5 has 126 bits.
const LARGEST: i32 = 54;
/// The largest exponent of ten for which the power is an exact float.
const LARGEST_FLOAT: i32 = 22;

const FLOATS: [f64; LARGEST_FLOAT as usize + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// A power of ten, rounded down to `bits * 2^exponent`, with the highest bit set.
#[derive(Clone, Copy)]
struct Power {
    bits: u64,
    exponent: i32,
}

const POWERS: [Power; 2 * LARGEST as usize + 1] = {
    let mut powers = [Power { bits: 0, exponent: 0 }; 2 * LARGEST as usize + 1];
    let middle = LARGEST as usize;
    let mut five = 1_u128;
    let mut ten = 0;
    while ten <= LARGEST {
        let place = ten.unsigned_abs() as usize;
        powers[middle + place] = above(five, ten);
        if ten > 0 {
            powers[middle - place] = below(five, ten);
        }
        five *= 5;
        ten += 1;
    }
    powers
};

/// Computes a power of ten from a power of five.
const fn above(five: u128, ten: i32) -> Power {
    // Shifted to the top of 128 bits; the upper half is used.
    let zeros = five.leading_zeros();
    Power { bits: ((five << zeros) >> 64) as u64, exponent: ten + 64 - zeros.cast_signed() }
}

/// Computes the inverse of a power of ten from the power of five.
const fn below(five: u128, ten: i32) -> Power {
    // 2^(63 + width) / five, bit by bit, has 64 bits.
    let width = 128 - five.leading_zeros().cast_signed();
    let (mut bits, mut rest) = (0, 1_u128);
    let mut shift = 63 + width;
    while shift > 0 {
        rest *= 2;
        bits <<= 1;
        if rest >= five {
            rest -= five;
            bits |= 1;
        }
        shift -= 1;
    }
    Power { bits, exponent: -ten - 63 - width }
}

/// Returns the float nearest to `mantissa * 10^ten`, or `None` if this algorithm cannot decide.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "below 2^53 there is none")]
#[must_use]
pub fn nearest(mantissa: u64, ten: i32) -> Option<f64> {
    if mantissa <= 1 << 53 && (-LARGEST_FLOAT..=LARGEST_FLOAT).contains(&ten) {
        // Both are exact floats, so the result is rounded only once.
        let power = FLOATS[ten.unsigned_abs() as usize];
        let mantissa = mantissa as f64;
        return Some(if ten < 0 { mantissa / power } else { mantissa * power });
    }
    nearest_of_many_digits(mantissa, ten)
}

/// Returns the float nearest to `mantissa / 10^places`, or `None` if this algorithm cannot decide.
#[inline]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "below 2^53 there is none")]
pub fn nearest_fraction(mantissa: u64, places: usize) -> Option<f64> {
    match FLOATS.get(places) {
        Some(power) if mantissa <= 1 << 53 => Some(mantissa as f64 / power),
        _ => nearest_long_fraction(mantissa, places),
    }
}

#[cold]
fn nearest_long_fraction(mantissa: u64, places: usize) -> Option<f64> {
    nearest_of_many_digits(mantissa, -i32::try_from(places).ok()?)
}

#[inline]
fn nearest_of_many_digits(mantissa: u64, ten: i32) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let power = POWERS.get(usize::try_from(ten.wrapping_add(LARGEST)).ok()?)?;
    // All 64 bits are significant, so the exact product is less than the upper half plus two: one
    // for the lower half, and one for the error of the power.
    let zeros = mantissa.leading_zeros();
    let product = u128::from(mantissa << zeros) * u128::from(power.bits);
    let upper = u64::try_from(product >> 64).unwrap_or(0);
    // A float has 53 of these 63 or 64 bits.
    let dropped = 10 + (upper >> 63);
    let half = 1 << (dropped - 1);
    let rest = upper & ((1 << dropped) - 1);
    // The error is less than two. It matters only at or just below half.
    if rest.wrapping_sub(half - 1) < 2 {
        return None;
    }
    let rounded = (upper >> dropped) + u64::from(rest >= half);
    // A float is `rounded * 2^exponent`. Its highest bit adds one to the exponent, and so does a
    // carry out of it.
    let exponent = i64::from(power.exponent) + 64 - i64::from(zeros) + dropped.cast_signed();
    Some(f64::from_bits(((exponent + 1074) << 52).cast_unsigned() + rounded))
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    #[test]
    fn nearest_agrees_with_std() {
        let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
        let mut decided = 0;
        for count in 0..3_000_000_u32 {
            let (bits, place, kind) = (random.next(), random.next(), count % 4);
            let ten = i32::try_from(place % 124).unwrap() - 62;
            let (mantissa, ten) = match kind {
                0 => (bits, ten),
                1 => (bits >> (place >> 58), ten),
                // Seventeen digits, as in many files.
                2 => (bits % 100_000_000_000_000_000, -i32::try_from(place % 20).unwrap()),
                // Halfway between floats, or next to it.
                _ => {
                    let odd = ((bits >> 11) | 1 << 52) * 2 + 1;
                    ((odd << (place % 10)).wrapping_add(place >> 62).wrapping_sub(1), 0)
                }
            };
            if let Some(value) = nearest(mantissa, ten) {
                let expected: f64 = format!("{mantissa}e{ten}").parse().unwrap();
                assert_eq!(value.to_bits(), expected.to_bits(), "{mantissa}e{ten}");
                decided += 1;
            }
        }
        assert!(decided > 2_000_000, "{decided}");
        assert_eq!(nearest(0, 60), Some(0.0));
        assert_eq!(nearest(u64::MAX, i32::MAX), None);
        assert_eq!(nearest(u64::MAX, i32::MIN), None);
    }
}
