//! Parsing numbers at a position of a text.
//!
//! Every function takes the text and a position, and returns the value with the position after it.
//! Past its end a text reads as newlines, so no function runs over it.

use nnz_lines::LONGEST_LINE;
use nnz_lines::digits::{byte, digits, up_to_eight_digits};

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
    let first = at + usize::from(byte(text, at) == b'+');
    match digits(text, first) {
        Some((value, end)) if ends(byte(text, end)) => Ok((value, end)),
        _ => Err(Fault { at, expected: Expected::Unsigned }),
    }
}

/// Parses a signed integer.
#[inline]
pub(super) fn integer(text: &[u8], at: usize) -> Result<(i64, usize), Fault> {
    let sign = byte(text, at);
    let first = at + usize::from(matches!(sign, b'+' | b'-'));
    let read = digits(text, first).and_then(|(size, end)| {
        let value = match sign {
            b'-' => 0_i64.checked_sub_unsigned(size),
            _ => i64::try_from(size).ok(),
        };
        value.map(|value| (value, end))
    });
    match read {
        Some((value, end)) if ends(byte(text, end)) => Ok((value, end)),
        _ => Err(Fault { at, expected: Expected::Integer }),
    }
}

/// Parses a number as the nearest float.
#[inline]
pub(super) fn real(text: &[u8], at: usize, expected: Expected) -> Result<(f64, usize), Fault> {
    let negative = byte(text, at) == b'-';
    let first = at + usize::from(negative);
    // Counts and ratings are small whole numbers: at most seven digits, exact in 32 bits.
    let (value, count) = up_to_eight_digits(text, first);
    if (1..8).contains(&count) && ends(byte(text, first + count)) {
        let value = u32::try_from(value).map_or(0.0, f64::from);
        return Ok((if negative { -value } else { value }, first + count));
    }
    any_real(text, at, expected)
}

#[inline(never)]
fn any_real(text: &[u8], at: usize, expected: Expected) -> Result<(f64, usize), Fault> {
    let rest = text.get(at..).unwrap_or(&[]);
    let (value, end) = match fast_float2::parse_partial::<f64, _>(rest) {
        Ok((value, len)) if ends(byte(text, at + len)) => (value, at + len),
        Ok((_, len)) if matches!(byte(text, at + len), b'd' | b'D') => {
            fortran(rest, len, at).ok_or(Fault { at, expected })?
        }
        _ => return Err(Fault { at, expected }),
    };
    let unsigned = at + usize::from(matches!(byte(text, at), b'+' | b'-'));
    let spelled_out = byte(text, unsigned).is_ascii_alphabetic();
    if value.is_infinite() && !spelled_out {
        let expected = Expected::FiniteReal;
        return Err(Fault { at, expected });
    }
    Ok((value, end))
}

/// Parses a number with `d` before its exponent, like double precision in Fortran.
#[cold]
fn fortran(text: &[u8], mark: usize, at: usize) -> Option<(f64, usize)> {
    let len = text.iter().position(|&b| ends(b)).unwrap_or(text.len());
    // A longer number would be on a line that is too long.
    let mut number = text.get(..len.min(LONGEST_LINE))?.to_vec();
    *number.get_mut(mark)? = b'e';
    match fast_float2::parse_partial::<f64, _>(&number) {
        Ok((value, read)) if read == len => Some((value, at + len)),
        _ => None,
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
