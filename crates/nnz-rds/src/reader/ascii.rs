//! The ASCII encoding: one number or string per line.

use super::source::Source;
use crate::budget;
use crate::error::{Error, Result};
use crate::numbers::{NA_INTEGER, NA_REAL_BITS};

/// Maximum length of a number in bytes.
const MAX_LEN: usize = 64;

impl Source<'_> {
    /// Reads a word between spaces or line ends.
    fn word(&mut self) -> Result<String> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.skip();
        }
        let at = self.offset();
        let mut word = String::new();
        while let Some(byte) = self.peek()?.filter(|byte| !byte.is_ascii_whitespace()) {
            if word.len() >= MAX_LEN {
                let found = format!("a word of more than {MAX_LEN} bytes");
                return Err(Error::mismatch(at, found, "a number"));
            }
            word.push(char::from(byte));
            self.skip();
        }
        if word.is_empty() {
            return Err(self.ended("a number"));
        }
        Ok(word)
    }

    /// Skips a word.
    pub(super) fn skip_word(&mut self) -> Result<()> {
        self.word().map(drop)
    }

    pub(super) fn ascii_int(&mut self) -> Result<i32> {
        let at = self.offset();
        let word = self.word()?;
        if word == "NA" {
            return Ok(NA_INTEGER);
        }
        word.parse().map_err(|_| invalid_word(at, &word, "an integer"))
    }

    pub(super) fn ascii_real(&mut self) -> Result<f64> {
        let at = self.offset();
        let word = self.word()?;
        Ok(match &*word {
            "NA" => f64::from_bits(NA_REAL_BITS),
            "NaN" => f64::NAN,
            "Inf" => f64::INFINITY,
            "-Inf" => f64::NEG_INFINITY,
            _ if word.contains(['x', 'X']) => {
                hexadecimal(&word).ok_or_else(|| invalid_word(at, &word, "a hexadecimal number"))?
            }
            _ => word.parse().map_err(|_| invalid_word(at, &word, "a number"))?,
        })
    }

    pub(super) fn ascii_byte(&mut self) -> Result<u8> {
        let at = self.offset();
        let word = self.word()?;
        u8::from_str_radix(&word, 16).map_err(|_| invalid_word(at, &word, "two hexadecimal digits"))
    }

    /// Reads a string with escapes; spaces and non-ASCII bytes are always escaped.
    pub(super) fn ascii_text(&mut self, length: u32, into: &mut Vec<u8>) -> Result<()> {
        while length > 0 && self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.skip();
        }
        for _ in 0..length {
            let byte = match self.next()? {
                b'\\' => self.escaped()?,
                byte => byte,
            };
            budget::grow(into, 1, u64::from(length), self.offset())?;
            into.push(byte);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<u8> {
        let byte = self.peek()?.ok_or_else(|| self.ended("the rest of a string"))?;
        self.skip();
        Ok(byte)
    }

    fn escaped(&mut self) -> Result<u8> {
        let at = self.offset();
        Ok(match self.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'v' => 0x0b,
            b'b' => 0x08,
            b'r' => b'\r',
            b'f' => 0x0c,
            b'a' => 0x07,
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let Some(digit) = self.peek()?.filter(|byte| (b'0'..=b'7').contains(byte))
                    else {
                        break;
                    };
                    self.skip();
                    value = value * 8 + u32::from(digit - b'0');
                }
                let found = format!("the escaped byte {value}");
                u8::try_from(value).map_err(|_| Error::mismatch(at, found, "at most 255"))?
            }
            // \\ \? \' \" and other characters that are themselves.
            byte => byte,
        })
    }
}

fn invalid_word(at: u64, word: &str, expected: &str) -> Error {
    Error::mismatch(at, format!("\"{}\"", word.escape_default()), expected)
}

/// Parses a number in the format of `%a` in C, such as `-0x1.8p+3`, if it is exact.
fn hexadecimal(word: &str) -> Option<f64> {
    let (negative, rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))?;
    let (digits, exponent) = rest.split_once(['p', 'P']).unwrap_or((rest, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut mantissa = 0_u64;
    for digit in whole.chars().chain(fraction.chars()) {
        if mantissa >> 56 != 0 {
            return None;
        }
        mantissa = mantissa * 16 + u64::from(digit.to_digit(16)?);
    }
    let exponent: i32 = exponent.parse().ok()?;
    let mut exponent = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    while mantissa != 0 && mantissa.is_multiple_of(2) {
        mantissa /= 2;
        exponent = exponent.checked_add(1)?;
    }
    if mantissa >= 1 << 53 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    let mut value = mantissa as f64;
    // In steps, because the power may be out of range if the product is not. Each step is exact
    // unless the number has more digits than the smallest doubles, which is checked below.
    let mut left = exponent.clamp(-2200, 2200);
    while left != 0 {
        let step = left.clamp(-500, 500);
        let before = value;
        value *= 2_f64.powi(step);
        if value * 2_f64.powi(-step) != before {
            return None;
        }
        left -= step;
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn hexadecimal_numbers_are_exact_or_refused() {
        assert_eq!(hexadecimal("0x1.8p+3"), Some(12.0));
        assert_eq!(hexadecimal("-0x1p-1"), Some(-0.5));
        assert_eq!(hexadecimal("0x1.999999999999ap-4"), Some(0.1));
        assert_eq!(hexadecimal("0x0.0000000000001p-1022"), Some(f64::from_bits(1)));
        assert_eq!(hexadecimal("0x1.fffffffffffffp+1023"), Some(f64::MAX));
        assert_eq!(hexadecimal("0x1p+1024"), None);
        assert_eq!(hexadecimal("0x1p-1075"), None);
        assert_eq!(hexadecimal("0x1.00000000000001p+0"), None);
        assert_eq!(hexadecimal("0x"), Some(0.0));
    }
}
