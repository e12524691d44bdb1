//! Parsing numbers at a position of a text.
//!
//! Every function takes the text and a position, and returns the value with the position after it.
//! Past its end a text reads as newlines, so no function runs over it.

use nnz_lines::LONGEST_LINE;
use nnz_lines::digits::{byte, digits};
use nnz_lines::number::{self, Invalid};

use super::fault::{Expected, Fault};

/// Returns the position of the first byte that is not a blank.
#[inline]
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Returns the position after one or more blanks.
#[inline]
pub(super) fn skip_separator(text: &[u8], at: usize) -> usize {
    // Nearly all files have one blank before the next field.
    if matches!(byte(text, at), b' ' | b'\t') && byte(text, at + 1) > b' ' {
        return at + 1;
    }
    skip_blanks(text, at)
}

/// Returns whether a number may end before this byte.
#[inline]
fn ends(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Parses an index counted from 1 and returns it counted from 0.
#[inline]
pub(super) fn index(
    text: &[u8],
    at: usize,
    len: u64,
    expected: Expected,
) -> Result<(u64, usize), Fault> {
    // Some writers pad with zeros or write a plus sign.
    let first = at + usize::from(byte(text, at) == b'+');
    match digits(text, first) {
        // Index 0 wraps around and is out of range too.
        Some((value, end)) if value.wrapping_sub(1) < len && ends(byte(text, end)) => {
            Ok((value - 1, end))
        }
        _ => Err(Fault { at, expected }),
    }
}

/// Parses an unsigned integer.
#[inline]
pub(super) fn unsigned(text: &[u8], at: usize) -> Result<(u64, usize), Fault> {
    match number::unsigned(text, at) {
        Some((value, end)) if ends(byte(text, end)) => Ok((value, end)),
        _ => Err(Fault { at, expected: Expected::Unsigned }),
    }
}

/// Parses a signed integer.
#[inline]
pub(super) fn integer(text: &[u8], at: usize) -> Result<(i64, usize), Fault> {
    match number::integer(text, at) {
        Some((value, end)) if ends(byte(text, end)) => Ok((value, end)),
        _ => Err(Fault { at, expected: Expected::Integer }),
    }
}

/// Parses a number as the nearest float.
#[inline]
pub(super) fn real(text: &[u8], at: usize, expected: Expected) -> Result<(f64, usize), Fault> {
    match number::real(text, at) {
        Ok((value, end)) if ends(byte(text, end)) => Ok((value, end)),
        Ok((_, end)) => fortran(text, end, at, expected),
        Err(Invalid::OutOfRange) => Err(Fault { at, expected: Expected::FiniteReal }),
        Err(_) => Err(Fault { at, expected }),
    }
}

/// Parses a number with `d` before its exponent, like double precision in Fortran.
#[cold]
fn fortran(text: &[u8], mark: usize, at: usize, expected: Expected) -> Result<(f64, usize), Fault> {
    let fault = Fault { at, expected };
    if !matches!(byte(text, mark), b'd' | b'D') {
        return Err(fault);
    }
    let rest = text.get(at..).unwrap_or(&[]);
    let len = rest.iter().position(|&b| ends(b)).unwrap_or(rest.len());
    // A longer number would be on a line that is too long.
    let mut word = rest.get(..len.min(LONGEST_LINE)).ok_or(fault)?.to_vec();
    *word.get_mut(mark - at).ok_or(fault)? = b'e';
    match number::real(&word, 0) {
        Ok((value, read)) if read == len => Ok((value, at + len)),
        Err(Invalid::OutOfRange) => Err(Fault { at, expected: Expected::FiniteReal }),
        _ => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_up_to_the_end_of_the_text() {
        let number = "12345678901234567890";
        for len in 0..=number.len() {
            for after in ["", " ", "\n", "x12345678", ":////////", "\u{b0}0000000"] {
                let text = format!("{}{after}", &number[..len]);
                let expected = number[..len].parse().ok().map(|value: u64| (value, len));
                assert_eq!(digits(text.as_bytes(), 0), expected, "{text:?}");
            }
        }
        assert_eq!(digits(b"18446744073709551615", 0), Some((u64::MAX, 20)));
        assert_eq!(digits(b"18446744073709551616", 0), None);
        assert_eq!(digits(b"7", 5), None);
    }

    #[test]
    fn only_digits_are_parsed_as_digits() {
        for other in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
            for at in 0..8 {
                let mut text = *b"11111111 ";
                text[at] = other;
                let ones = [None, Some(1), Some(11), Some(111), Some(1111), Some(11111)]
                    .into_iter()
                    .chain([Some(111_111), Some(1_111_111)])
                    .nth(at)
                    .flatten();
                let expected = ones.map(|value| (value, at));
                assert_eq!(digits(&text, 0), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn indices_are_counted_from_one_and_checked() {
        let at = |text: &[u8]| index(text, 0, 5, Expected::Row(5)).ok();
        assert_eq!(at(b"1 "), Some((0, 1)));
        assert_eq!(at(b"+5\t"), Some((4, 2)));
        assert_eq!(at(b"000000000005\n"), Some((4, 12)));
        for text in [&b"0 "[..], b"6 ", b"-1 ", b"1.0 ", b"", b"1x"] {
            assert_eq!(at(text), None);
        }
    }
}
