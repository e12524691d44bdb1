//! Writing lines of numbers into a large buffer.

use nnz_core::{Result, write_float64};

use super::text::{Number, check_integer, check_nan};

/// The maximum length of a line with one entry: two indices, two floats, separators, and up to
/// eight extra bytes that writing a number may touch.
const LINE: usize = 128;

/// A growing text of lines.
#[derive(Default)]
pub(super) struct Lines {
    /// The text, and free space after it.
    bytes: Vec<u8>,
    len: usize,
    float: Vec<u8>,
}

/// The space for one line.
pub(super) struct Line<'a> {
    bytes: &'a mut [u8; LINE],
    len: usize,
    float: &'a mut Vec<u8>,
}

/// An index counted from 1 with a blank after it, ready to be copied.
#[derive(Clone, Copy)]
pub(super) struct IndexText {
    bytes: [u8; 24],
    len: usize,
}

impl Lines {
    /// Reuses a buffer with any content.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Writes a line; on an error it is discarded.
    #[inline(always)]
    pub(super) fn line(&mut self, write: impl FnOnce(&mut Line<'_>) -> Result<()>) -> Result<()> {
        if self.bytes.len() - self.len < LINE {
            let more = self.bytes.len().max(64 << 10);
            self.bytes.resize(self.bytes.len() + more, 0);
        }
        // There is always enough space now.
        if let Some(bytes) = self.bytes[self.len..].first_chunk_mut::<LINE>() {
            let mut line = Line { bytes, len: 0, float: &mut self.float };
            write(&mut line)?;
            self.len += line.len;
        }
        Ok(())
    }

    /// Returns the length of the text.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the length of the text, and the buffer that begins with it.
    pub(super) fn finish(self) -> (usize, Vec<u8>) {
        (self.len, self.bytes)
    }
}

impl Line<'_> {
    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// Writes the index `from_zero`, counted from 1, and a blank.
    #[inline]
    pub(super) fn index(&mut self, from_zero: u64) {
        self.len = put_digits(self.bytes, self.len, from_zero + 1);
        self.byte(b' ');
    }

    #[inline]
    pub(super) fn place(&mut self, place: &IndexText) {
        self.bytes[self.len..self.len + place.bytes.len()].copy_from_slice(&place.bytes);
        self.len += place.len;
    }

    /// Replaces the last blank with the line end.
    #[inline]
    pub(super) fn end_at_blank(&mut self) {
        self.bytes[self.len - 1] = b'\n';
    }

    #[inline(always)]
    pub(super) fn number(&mut self, number: Number, lossy: bool) -> Result<()> {
        match number {
            Number::Integer(value) => {
                self.sign(value < 0);
                self.len = put_digits(self.bytes, self.len, value.unsigned_abs());
            }
            Number::Large(value) => check_integer(value)?,
            Number::Real(value) => self.real(value, lossy)?,
            Number::Complex([re, im]) => {
                self.real(re, lossy)?;
                self.byte(b' ');
                self.real(im, lossy)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn sign(&mut self, negative: bool) {
        self.bytes[self.len] = b'-';
        self.len += usize::from(negative);
    }

    #[inline]
    fn real(&mut self, value: f64, lossy: bool) -> Result<()> {
        // Small whole numbers are the most common values.
        let size = value.abs();
        if size < 100_000_000.0 {
            #[expect(clippy::cast_possible_truncation, reason = "compared just below")]
            #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
            let whole = size as u32;
            #[expect(clippy::float_cmp, reason = "whole or not is exact")]
            if f64::from(whole) == size {
                self.sign(value.is_sign_negative());
                self.len = put_digits(self.bytes, self.len, whole.into());
                self.byte(b'.');
                self.byte(b'0');
                return Ok(());
            }
        }
        self.any_real(value, lossy)
    }

    fn any_real(&mut self, value: f64, lossy: bool) -> Result<()> {
        self.float.clear();
        match check_nan(value, lossy)? {
            Some(word) => self.float.extend_from_slice(word),
            None => write_float64(self.float, value),
        }
        let end = self.len + self.float.len();
        self.bytes[self.len..end].copy_from_slice(self.float);
        self.len = end;
        Ok(())
    }
}

impl IndexText {
    /// Formats the index `from_zero`, counted from 1, and a blank.
    #[inline]
    pub(super) fn new(from_zero: u64) -> Self {
        let mut bytes = [0; LINE];
        let len = put_digits(&mut bytes, 0, from_zero + 1);
        bytes[len] = b' ';
        Self { bytes: *bytes.first_chunk().unwrap_or(&[b' '; 24]), len: len + 1 }
    }
}

/// Writes a number at a position and returns the position after it. Up to eight bytes after it may
/// be overwritten.
#[inline]
fn put_digits(out: &mut [u8; LINE], at: usize, value: u64) -> usize {
    const EIGHT: u64 = 100_000_000;
    if value < EIGHT {
        return put_first(out, at, value);
    }
    put_many(out, at, value, EIGHT)
}

#[inline(never)]
fn put_many(out: &mut [u8; LINE], at: usize, value: u64, eight: u64) -> usize {
    let (upper, lower) = (value / eight, value % eight);
    let at = if upper < eight {
        put_first(out, at, upper)
    } else {
        let at = put_first(out, at, upper / eight);
        put_word(out, at, eight_digits(upper % eight) | ZEROS);
        at + 8
    };
    put_word(out, at, eight_digits(lower) | ZEROS);
    at + 8
}

/// Writes a number less than 10^8 without leading zeros.
#[inline]
fn put_first(out: &mut [u8; LINE], at: usize, value: u64) -> usize {
    let digits = eight_digits(value);
    // The last digit is written even if it is zero.
    let zeros = (digits | 1 << 56).trailing_zeros() / 8;
    put_word(out, at, (digits | ZEROS) >> (8 * zeros));
    at + 8 - zeros as usize
}

#[inline]
fn put_word(out: &mut [u8; LINE], at: usize, word: u64) {
    out[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Splits a number less than 10^8 into eight digits, the first one in the lowest byte.
#[inline]
fn eight_digits(value: u64) -> u64 {
    // Groups of four, then two, then one digit: all groups are split at once. The factors are
    // inverses of 100 and 10, exact enough for such small numbers.
    let fours = value / 10_000 + ((value % 10_000) << 32);
    let upper = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = upper + ((fours - upper * 100) << 16);
    let upper = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    upper + ((pairs - upper * 10) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: Number) -> String {
        let mut lines = Lines::default();
        lines.line(|line| line.number(number, false)).unwrap();
        let (len, bytes) = lines.finish();
        String::from_utf8(bytes[..len].to_vec()).unwrap()
    }

    #[test]
    fn integers_of_every_length_are_written_like_std() {
        let mut power = 1_u64;
        loop {
            for near in [power - 1, power, power + 1, power.saturating_mul(7)] {
                let mut bytes = [0; LINE];
                let len = put_digits(&mut bytes, 0, near);
                assert_eq!(bytes[..len], *near.to_string().as_bytes());
            }
            match power.checked_mul(10) {
                Some(next) => power = next,
                None => break,
            }
        }
        for value in [i64::MIN, -100_000_000, -99_999_999, -1, 0, i64::MAX] {
            assert_eq!(text(Number::Integer(value)), value.to_string());
        }
        for value in 0..20_000 {
            assert_eq!(text(Number::Integer(value)), value.to_string());
            let value = value * 4999 + 7;
            assert_eq!(text(Number::Integer(-value)), (-value).to_string());
        }
    }

    #[test]
    fn whole_floats_are_written_like_other_floats() {
        let mut expected = Vec::new();
        for value in [0.0, 1.0, 10.0, 255.0, 99_999_999.0, 1e8, 123_456_789.0, 1e15, 1e16, 0.5] {
            for value in [value, -value] {
                expected.clear();
                write_float64(&mut expected, value);
                assert_eq!(text(Number::Real(value)).as_bytes(), expected);
            }
        }
    }

    #[test]
    fn the_longest_line_fits() {
        let mut lines = Lines::default();
        let written = lines.line(|line| {
            line.place(&IndexText::new(u64::MAX - 1));
            line.index(u64::MAX - 1);
            line.number(Number::Complex([-2.225_073_858_507_201_4e-308; 2]), false)?;
            line.byte(b'\n');
            Ok(())
        });
        written.unwrap();
        let (len, _) = lines.finish();
        assert_eq!(len, 21 + 21 + 24 + 1 + 24 + 1);
    }
}
