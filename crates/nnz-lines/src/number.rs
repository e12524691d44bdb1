//! Parsing numbers at a position of a text.
//!
//! Every function returns the value with the position after it, and leaves it to the caller what may follow.

use crate::decimal::{TENS, nearest, nearest_fraction};
use crate::digits::{byte, digits, up_to_eight_digits};

/// A number: an integer if it is written like one and fits into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A nonnegative integer.
    Unsigned(u64),
    /// A negative integer, other than `-0`.
    Negative(i64),
    /// Any other number: the nearest float.
    Real(f64),
}

/// The reason why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// There is something else.
    Malformed,
    /// It is finite, but larger than every float.
    OutOfRange,
    /// It is an integer that the type does not hold exactly.
    Inexact,
    /// It is an integer of more than 64 bits, which a float would round.
    TooWide,
}

/// Parses an unsigned integer, which may have a plus sign.
#[inline]
#[must_use]
pub fn unsigned(text: &[u8], at: usize) -> Option<(u64, usize)> {
    digits(text, at + usize::from(byte(text, at) == b'+'))
}

/// Parses a signed integer.
#[inline]
#[must_use]
pub fn integer(text: &[u8], at: usize) -> Option<(i64, usize)> {
    let sign = byte(text, at);
    let (size, end) = digits(text, at + usize::from(matches!(sign, b'+' | b'-')))?;
    let value = match sign {
        b'-' => 0_i64.checked_sub_unsigned(size),
        _ => i64::try_from(size).ok(),
    };
    value.map(|value| (value, end))
}

/// Parses a number as the nearest float. Infinities and NaN are words, as `inf` and `nan`.
///
/// # Errors
///
/// Fails if there is no number, or if it is finite but no float is as large.
#[inline]
pub fn real(text: &[u8], at: usize) -> Result<(f64, usize), Invalid> {
    let negative = byte(text, at) == b'-';
    let first = at + usize::from(negative);
    // Counts and ratings are small whole numbers: at most seven digits, exact in 32 bits.
    let (value, count) = up_to_eight_digits(text, first);
    if (1..8).contains(&count) && !continues(byte(text, first + count)) {
        let value = u32::try_from(value).map_or(0.0, f64::from);
        return Ok((if negative { -value } else { value }, first + count));
    }
    if byte(text, first + count) == b'.'
        && let Some(found) = fraction(text, at, b'.')
    {
        return Ok(found);
    }
    any_real(text, at)
}

/// Parses up to eight digits, a fraction after `point` and an optional exponent, as the nearest float. `None` for
/// anything else, and for many digits or a large exponent if a fast algorithm cannot decide.
///
/// ```
/// use nnz_lines::number::fraction;
///
/// assert_eq!(fraction(b"-0,25;", 0, b','), Some((-0.25, 5)));
/// assert_eq!(fraction(b"1.25e+02 ", 0, b'.'), Some((125.0, 8)));
/// assert_eq!(fraction(b"3;", 0, b','), None);
/// ```
#[inline]
#[must_use]
pub fn fraction(text: &[u8], at: usize, point: u8) -> Option<(f64, usize)> {
    let negative = byte(text, at) == b'-';
    let first = at + usize::from(negative);
    let (whole, count) = up_to_eight_digits(text, first);
    let start = first + count + 1;
    if count == 0 || byte(text, first + count) != point {
        return None;
    }
    let (mut mantissa, mut end) = (whole, start);
    loop {
        let (part, count) = up_to_eight_digits(text, end);
        mantissa = mantissa.checked_mul(*TENS.get(count)?)?.checked_add(part)?;
        end += count;
        if count < 8 {
            break;
        }
    }
    let places = end - start;
    if places == 0 {
        return None;
    }
    let (value, end) = match byte(text, end) {
        b'e' | b'E' => with_exponent(mantissa, places, text, end + 1)?,
        _ => (nearest_fraction(mantissa, places)?, end),
    };
    Some((if negative { -value } else { value }, end))
}

/// Parses an exponent of up to seven digits after a number without its point.
#[inline(never)]
fn with_exponent(mantissa: u64, places: usize, text: &[u8], at: usize) -> Option<(f64, usize)> {
    let sign = byte(text, at);
    let first = at + usize::from(matches!(sign, b'+' | b'-'));
    let (size, count) = up_to_eight_digits(text, first);
    let size = i32::try_from(size).ok().filter(|_| (1..8).contains(&count))?;
    let ten = if sign == b'-' { -size } else { size };
    let ten = ten.checked_sub_unsigned(u32::try_from(places).ok()?)?;
    Some((nearest(mantissa, ten)?, first + count))
}

/// Parses a number, as an integer if it is one.
///
/// ```
/// use nnz_lines::number::{Number, number};
///
/// assert_eq!(number(b"9007199254740993 ", 0), Ok((Number::Unsigned(9_007_199_254_740_993), 16)));
/// assert_eq!(number(b"-7", 0), Ok((Number::Negative(-7), 2)));
/// assert_eq!(number(b"2.5,", 0), Ok((Number::Real(2.5), 3)));
/// ```
///
/// # Errors
///
/// Fails as [`real`], and for an integer of more than 64 bits.
#[inline]
pub fn number(text: &[u8], at: usize) -> Result<(Number, usize), Invalid> {
    match byte(text, at) {
        b'0'..=b'9' | b'+' => {
            if let Some((value, end)) = unsigned(text, at)
                && !continues(byte(text, end))
            {
                return Ok((Number::Unsigned(value), end));
            }
        }
        // The sign of a zero would be lost.
        b'-' => {
            if let Some((value, end)) = integer(text, at)
                && value != 0
                && !continues(byte(text, end))
            {
                return Ok((Number::Negative(value), end));
            }
        }
        _ => {}
    }
    let (value, end) = any_real(text, at)?;
    let digits = text.get(at..end).unwrap_or_default();
    let digits = digits.strip_prefix(b"-").or(digits.strip_prefix(b"+")).unwrap_or(digits);
    match value != 0.0 && digits.iter().all(u8::is_ascii_digit) {
        true => Err(Invalid::TooWide),
        false => Ok((Number::Real(value), end)),
    }
}

/// Returns whether a number that begins with digits goes on with this byte.
#[inline]
fn continues(byte: u8) -> bool {
    matches!(byte, b'.' | b'e' | b'E')
}

#[inline(never)]
fn any_real(text: &[u8], at: usize) -> Result<(f64, usize), Invalid> {
    let rest = text.get(at..).unwrap_or(&[]);
    let Ok((value, len)) = fast_float2::parse_partial::<f64, _>(rest) else {
        return Err(Invalid::Malformed);
    };
    let unsigned = at + usize::from(matches!(byte(text, at), b'+' | b'-'));
    let spelled_out = byte(text, unsigned).is_ascii_alphabetic();
    if value.is_infinite() && !spelled_out {
        return Err(Invalid::OutOfRange);
    }
    Ok((value, at + len))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values are exact")]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    #[test]
    fn integers_stay_integers_up_to_64_bits() {
        let parsed = |text: &str| number(text.as_bytes(), 0);
        for (text, value) in [
            ("0", Number::Unsigned(0)),
            ("+5", Number::Unsigned(5)),
            ("18446744073709551615", Number::Unsigned(u64::MAX)),
            ("-9223372036854775808", Number::Negative(i64::MIN)),
            ("18446744073709551616.0", Number::Real(18_446_744_073_709_551_616.0)),
            ("-9.3e18", Number::Real(-9.3e18)),
            ("00018446744073709551615", Number::Unsigned(u64::MAX)),
            ("1e3", Number::Real(1000.0)),
            ("1.0", Number::Real(1.0)),
            (".5", Number::Real(0.5)),
            ("-inf", Number::Real(f64::NEG_INFINITY)),
        ] {
            assert_eq!(parsed(text), Ok((value, text.len())), "{text}");
        }
        let Ok((Number::Real(zero), 2)) = parsed("-0") else { panic!("an integer has no sign") };
        assert!(zero.is_sign_negative());
        for wide in ["18446744073709551616", "+18446744073709551617", "-9223372036854775809"] {
            assert_eq!(parsed(wide), Err(Invalid::TooWide), "{wide}");
        }
        assert_eq!(parsed("1e999"), Err(Invalid::OutOfRange));
        assert_eq!(parsed("x"), Err(Invalid::Malformed));
        assert_eq!(parsed(""), Err(Invalid::Malformed));
        assert_eq!(parsed("-"), Err(Invalid::Malformed));
        assert_eq!(parsed("12x"), Ok((Number::Unsigned(12), 2)));
    }

    #[test]
    fn reals_end_where_they_do_not_continue() {
        assert_eq!(real(b"12:", 0), Ok((12.0, 2)));
        assert_eq!(real(b"-12.5e1,", 0), Ok((-125.0, 7)));
        assert_eq!(real(b"1234567890 ", 0), Ok((1_234_567_890.0, 10)));
        assert!(real(b"-0", 0).is_ok_and(|(zero, end)| zero.is_sign_negative() && end == 2));
        assert_eq!(real(b"1e400", 0), Err(Invalid::OutOfRange));
        assert_eq!(real(b"1.5e400", 0), Err(Invalid::OutOfRange));
        assert_eq!(real(b"1.5e+2,", 0), Ok((150.0, 6)));
        assert_eq!(real(b"1.5e-12345678 ", 0), Ok((0.0, 13)));
        // An exponent without digits is not part of the number.
        assert_eq!(real(b"1.5e ", 0), Ok((1.5, 3)));
        assert_eq!(real(b"1.5e+x", 0), Ok((1.5, 3)));
    }

    #[test]
    fn fractions_are_those_of_std() {
        let mut random = Random::new(3);
        let mut decided = 0;
        for _ in 0..300_000 {
            let digits = 1 + random.below(18);
            let mut text = if random.below(2) == 0 { String::new() } else { "-".to_owned() };
            let point = random.below(9).min(digits);
            for at in 0..digits {
                if at == point {
                    text.push('.');
                }
                text.push(char::from(b'0' + u8::try_from(random.below(10)).unwrap()));
            }
            if random.below(4) == 0 {
                let sign = ["", "+", "-"][random.below(3)];
                text += &format!("e{sign}{}", random.below(40));
            }
            text.push('\n');
            if let Some((value, end)) = fraction(text.as_bytes(), 0, b'.') {
                let expected: f64 = text[..end].parse().unwrap();
                assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
                assert_eq!(end, text.len() - 1);
                decided += 1;
            }
        }
        assert!(decided > 100_000, "{decided}");
    }
}
