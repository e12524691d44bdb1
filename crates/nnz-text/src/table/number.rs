//! Parsing the numbers of cells.

use std::borrow::Cow;

use nnz_core::Element;
use nnz_lines::number::{self, Invalid, number};

use super::fault::Expected;
use super::options::Decimal;

/// The text of missing values, and the decimal separator.
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

    /// Parses the text of a field; an error if it has no value of this type.
    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, NumberError>;

    /// Parses a number with a fraction at a position; returns its end, too.
    fn fraction(text: &[u8], at: usize, decimal: u8) -> Option<(Self, usize)> {
        let _ = (text, at, decimal);
        None
    }
}

/// Why the text of a field is not a number of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    /// Another type may hold it.
    OtherType,
    /// No type holds it.
    Never(Expected),
}

/// The content of a field.
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

    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, NumberError> {
        match classify(token, words).map_err(NumberError::Never)? {
            Token::Integer { negative: true, size } => {
                0_i64.checked_sub_unsigned(size).ok_or(NumberError::OtherType)
            }
            Token::Integer { size, .. } => Self::try_from(size).map_err(|_| NumberError::OtherType),
            Token::Float(_) => Err(NumberError::OtherType),
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

    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, NumberError> {
        match classify(token, words).map_err(NumberError::Never)? {
            Token::Integer { negative: false, size } => Ok(size),
            _ => Err(NumberError::OtherType),
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

    fn parse(token: &[u8], words: Words<'_>) -> Result<Self, NumberError> {
        match classify(token, words).map_err(NumberError::Never)? {
            Token::Integer { negative, size } => {
                let size = exact_float(size).ok_or(NumberError::Never(Expected::ExactInteger))?;
                Ok(if negative { -size } else { size })
            }
            Token::Float(value) => Ok(value),
        }
    }

    #[inline]
    fn fraction(text: &[u8], at: usize, decimal: u8) -> Option<(Self, usize)> {
        number::fraction(text, at, decimal)
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

/// Parses the text of a cell.
pub(super) fn classify(token: &[u8], words: Words<'_>) -> Result<Token, Expected> {
    if words.na == Some(token) {
        return Ok(Token::Float(f64::NAN));
    }
    let token = token.trim_ascii();
    if words.na == Some(token) {
        return Ok(Token::Float(f64::NAN));
    }
    let wrong = match words.decimal {
        Decimal::Point => b',',
        Decimal::Comma => b'.',
    };
    if token.contains(&wrong) {
        let other = float(&swapped(token)).is_some();
        return Err(if other { Expected::Point } else { Expected::Number });
    }
    let token = match words.decimal {
        Decimal::Point => Cow::Borrowed(token),
        Decimal::Comma => Cow::Owned(swapped(token)),
    };
    match number(&token, 0) {
        Ok((value, end)) if end == token.len() => Ok(match value {
            number::Number::Unsigned(size) => Token::Integer { negative: false, size },
            number::Number::Negative(value) => {
                Token::Integer { negative: true, size: value.unsigned_abs() }
            }
            number::Number::Real(value) => Token::Float(value),
        }),
        // Something else may follow.
        Err(Invalid::TooWide) if float(&token).is_some() => Err(Expected::Integer64),
        Err(Invalid::OutOfRange) if float(&token).is_some() => Err(Expected::FiniteNumber),
        _ => Err(Expected::Number),
    }
}

/// Returns a number with a point instead of a comma.
fn swapped(token: &[u8]) -> Vec<u8> {
    token.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect()
}

fn float(token: &[u8]) -> Option<f64> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
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
            ("99999999999999999999x", Err(Expected::Number)),
            ("1e999x", Err(Expected::Number)),
            ("infinit", Err(Expected::Number)),
            ("1e", Err(Expected::Number)),
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
