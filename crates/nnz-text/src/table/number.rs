//! Parsing the numbers of cells.

use nnz_core::Element;
use nnz_lines::digits::{byte, up_to_eight_digits};

use super::fault::Expected;
use super::options::Decimal;

/// What texts stand for, besides numbers.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    /// The text of missing values.
    pub(super) na: Option<&'a [u8]>,
    pub(super) decimal: Decimal,
}

impl Words<'_> {
    /// Returns the character before a fraction.
    pub(super) fn point(&self) -> u8 {
        match self.decimal {
            Decimal::Point => b'.',
            Decimal::Comma => b',',
        }
    }

    /// Returns whether digits are always a number: not if missing values are written as digits.
    pub(super) fn digits_are_numbers(&self) -> bool {
        let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.');
        !self.na.and_then(<[u8]>::first).is_some_and(is_digit)
    }
}

/// A type of the values of a table.
pub(super) trait Number: Element {
    /// Converts a digit.
    fn digit(digit: u8) -> Self;

    /// Converts an integer of up to eight digits; `None` if this type does not hold it.
    fn small(negative: bool, size: u64) -> Option<Self>;

    /// Parses the text of a cell; an error if it has no value of this type.
    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, Refused>;

    /// Parses a number with a fraction at a position; returns its end, too.
    fn fraction(text: &[u8], at: usize, decimal: u8) -> Option<(Self, usize)> {
        let _ = (text, at, decimal);
        None
    }
}

/// Why the text of a cell is not a number of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Another type may hold it.
    OtherType,
    /// No type holds it.
    Never(Expected),
}

/// What the text of a cell is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Integer { negative: bool, size: u64 },
    Float(f64),
}

impl Number for i64 {
    #[inline(always)]
    fn digit(digit: u8) -> Self {
        digit.into()
    }

    #[inline(always)]
    fn small(negative: bool, size: u64) -> Option<Self> {
        let size = size.cast_signed();
        match (negative, size) {
            (false, _) => Some(size),
            // An integer has no negative zero.
            (true, 0) => None,
            (true, _) => Some(-size),
        }
    }

    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, Refused> {
        match classify(token, words).map_err(Refused::Never)? {
            Token::Integer { negative: true, size } => {
                0_i64.checked_sub_unsigned(size).ok_or(Refused::OtherType)
            }
            Token::Integer { size, .. } => Self::try_from(size).map_err(|_| Refused::OtherType),
            Token::Float(_) => Err(Refused::OtherType),
        }
    }
}

impl Number for u64 {
    #[inline(always)]
    fn digit(digit: u8) -> Self {
        digit.into()
    }

    #[inline(always)]
    fn small(negative: bool, size: u64) -> Option<Self> {
        (!negative).then_some(size)
    }

    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, Refused> {
        match classify(token, words).map_err(Refused::Never)? {
            Token::Integer { negative: false, size } => Ok(size),
            _ => Err(Refused::OtherType),
        }
    }
}

impl Number for f64 {
    #[inline(always)]
    fn digit(digit: u8) -> Self {
        digit.into()
    }

    #[inline(always)]
    fn small(negative: bool, size: u64) -> Option<Self> {
        let size = Self::from(u32::try_from(size).ok()?);
        Some(if negative { -size } else { size })
    }

    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, Refused> {
        match classify(token, words).map_err(Refused::Never)? {
            Token::Integer { negative, size } => {
                let size = exact_float(size).ok_or(Refused::Never(Expected::ExactInteger))?;
                Ok(if negative { -size } else { size })
            }
            Token::Float(value) => Ok(value),
        }
    }

    #[inline]
    fn fraction(text: &[u8], at: usize, decimal: u8) -> Option<(Self, usize)> {
        decimal_fraction(text, at, decimal)
    }
}

/// Returns an integer as a float, if that is exact.
#[expect(clippy::cast_precision_loss, reason = "checked just below")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(super) fn exact_float(size: u64) -> Option<f64> {
    let float = size as f64;
    // 2^64 is no 64-bit integer, although the conversion saturates to the largest one.
    (float < 18_446_744_073_709_551_616.0 && float as u64 == size).then_some(float)
}

/// Powers of ten that are exact floats.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Parses digits with a fraction, without an exponent, if the result is certain: up to 2^53 without
/// the point, so that the number is the quotient of two exact floats.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "at most 2^53")]
fn decimal_fraction(text: &[u8], at: usize, decimal: u8) -> Option<(f64, usize)> {
    let negative = byte(text, at) == b'-';
    let first = at + usize::from(negative);
    let (whole, count) = up_to_eight_digits(text, first);
    let point = first + count;
    if count == 0 || byte(text, point) != decimal {
        return None;
    }
    let mut mantissa = whole;
    let mut end = point + 1;
    loop {
        let (part, count) = up_to_eight_digits(text, end);
        mantissa = mantissa.checked_mul(*POWERS.get(count)?)?.checked_add(part)?;
        end += count;
        if count < 8 {
            break;
        }
    }
    let decimals = end - point - 1;
    if decimals == 0 || mantissa > 1 << 53 {
        return None;
    }
    let value = mantissa as f64 / TENS.get(decimals)?;
    Some((if negative { -value } else { value }, end))
}

/// Powers of ten up to that of eight digits.
const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Parses the text of a cell.
pub(super) fn classify(token: &[u8], words: Words<'_>) -> Result<Token, Expected> {
    if words.na == Some(token) {
        return Ok(Token::Float(f64::NAN));
    }
    let token = token.trim_ascii();
    if words.na == Some(token) {
        return Ok(Token::Float(f64::NAN));
    }
    let (negative, size) = match token.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, token),
    };
    if !size.is_empty() && size.iter().all(u8::is_ascii_digit) {
        let value = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        let size: u64 = value.ok_or(Expected::Integer64)?;
        return match (negative, size) {
            (true, 0) => Ok(Token::Float(-0.0)),
            // The most negative integer of 64 bits.
            (true, size) if size > 1 << 63 => Err(Expected::Integer64),
            _ => Ok(Token::Integer { negative, size }),
        };
    }
    let wrong = match words.decimal {
        Decimal::Point => b',',
        Decimal::Comma => b'.',
    };
    if token.contains(&wrong) {
        let other = float(&swapped(token)).is_some();
        return Err(if other { Expected::Point } else { Expected::Number });
    }
    let value = match words.decimal {
        Decimal::Point => float(token),
        Decimal::Comma => float(&swapped(token)),
    };
    let value = value.ok_or(Expected::Number)?;
    if value.is_infinite() && size.iter().any(u8::is_ascii_digit) {
        return Err(Expected::FiniteNumber);
    }
    Ok(Token::Float(value))
}

/// Returns a number with a point in place of a comma.
fn swapped(token: &[u8]) -> Vec<u8> {
    token.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect()
}

fn float(token: &[u8]) -> Option<f64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    const PLAIN: Words<'_> = Words { na: None, decimal: Decimal::Point };

    #[test]
    fn integers_and_floats_are_told_apart() {
        let integer = |negative, size| Ok(Token::Integer { negative, size });
        for (text, expected) in [
            ("0", integer(false, 0)),
            ("+7", integer(false, 7)),
            (" 7 ", integer(false, 7)),
            ("-9223372036854775808", integer(true, 1 << 63)),
            ("18446744073709551615", integer(false, u64::MAX)),
            ("-9223372036854775809", Err(Expected::Integer64)),
            ("18446744073709551616", Err(Expected::Integer64)),
            ("1.5", Ok(Token::Float(1.5))),
            ("1e3", Ok(Token::Float(1000.0))),
            ("Inf", Ok(Token::Float(f64::INFINITY))),
            ("-inf", Ok(Token::Float(f64::NEG_INFINITY))),
            ("1e999", Err(Expected::FiniteNumber)),
            ("1,5", Err(Expected::Point)),
            ("1,000,000", Err(Expected::Number)),
            ("", Err(Expected::Number)),
            ("NA", Err(Expected::Number)),
            ("abc0", Err(Expected::Number)),
            ("0x10", Err(Expected::Number)),
            ("1_000", Err(Expected::Number)),
            ("1 2", Err(Expected::Number)),
        ] {
            assert_eq!(classify(text.as_bytes(), PLAIN), expected, "{text}");
        }
        for nan in ["nan", "NaN", "NAN"] {
            assert!(matches!(classify(nan.as_bytes(), PLAIN), Ok(Token::Float(v)) if v.is_nan()));
        }
        let Ok(Token::Float(zero)) = classify(b"-0", PLAIN) else { panic!() };
        assert!(zero == 0.0 && zero.is_sign_negative());
    }

    #[test]
    fn words_and_commas_are_accepted_if_given() {
        let words = |na, decimal| Words { na: Some(na), decimal };
        let na = classify(b"NA", words(b"NA", Decimal::Point));
        assert!(matches!(na, Ok(Token::Float(v)) if v.is_nan()));
        let empty = classify(b" ", words(b"", Decimal::Point));
        assert!(matches!(empty, Ok(Token::Float(v)) if v.is_nan()));
        let comma = words(b"x", Decimal::Comma);
        assert_eq!(classify(b"-0,25", comma), Ok(Token::Float(-0.25)));
        assert_eq!(classify(b"0.25", comma), Err(Expected::Point));
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
            text.push('\n');
            if let Some((value, end)) = decimal_fraction(text.as_bytes(), 0, b'.') {
                let expected: f64 = text[..end].parse().unwrap();
                assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
                assert_eq!(end, text.len() - 1);
                decided += 1;
            }
        }
        assert!(decided > 100_000, "{decided}");
    }

    #[test]
    fn floats_hold_some_integers() {
        for (size, exact) in [
            (1 << 53, true),
            ((1 << 53) + 1, false),
            (u64::MAX, false),
            (1 << 63, true),
            (u64::MAX - 2047, true),
        ] {
            assert_eq!(exact_float(size).is_some(), exact, "{size}");
        }
    }
}
