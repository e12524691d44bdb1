//! A window of text with a whole line in the most common form: short and regular.
//!
//! All digits of a line are found at once. So the end of the line is known early, and parsing the
//! next line can begin before the numbers of this one are computed. For an irregular line the
//! result is `None`; it is parsed number by number instead.

use nnz_lines::decimal;
use nnz_lines::digits::eight_digits;

/// The number of bytes in which a line has to end.
const LINE: usize = 64;
/// The length of the window: a word may start at the last of these bytes.
const LEN: usize = LINE + 8;

#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    bytes: &'a [u8; LEN],
    /// A bit for each byte that is not a digit and was not passed yet.
    others: u64,
}

impl<'a> Window<'a> {
    /// Creates a window at a position; only half of it is scanned unless `whole`.
    #[inline(always)]
    pub(super) fn at(text: &'a [u8], at: usize, whole: bool) -> Option<Self> {
        let bytes = text.get(at..)?.first_chunk::<LEN>()?;
        let others = if whole { others::<8>(bytes) } else { others::<4>(bytes) };
        Some(Self { bytes, others })
    }

    /// Returns the position of the next byte that is not a digit, and passes it. There is always
    /// one, possibly after the scanned bytes.
    #[inline]
    fn next(&mut self) -> usize {
        let at = self.others.trailing_zeros() as usize;
        self.others &= self.others.wrapping_sub(1);
        at
    }

    /// Passes the next byte that is not a digit, depending on `pass`. Signs are unpredictable, so
    /// this does not branch.
    #[inline]
    fn pass_if(&mut self, pass: bool) {
        self.others &= self.others.wrapping_sub(u64::from(pass));
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes[at % LINE]
    }

    /// Returns the number in a range of one to eight digits. For other lengths the result is wrong,
    /// but there is no panic.
    #[inline]
    fn digits(&self, start: usize, end: usize) -> u64 {
        let unused = 8_usize.wrapping_sub(end.wrapping_sub(start)) % 8 * 8;
        eight_digits((self.word(start) ^ ZEROS) << unused)
    }

    /// Returns the eight bytes at a position.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        let at = at % LINE;
        self.bytes[at..at + 8].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Parses two numbers, each with a blank after it; the second may have a line end instead.
    /// Returns them, and the position after the second.
    #[inline]
    pub(super) fn places(&mut self) -> Option<(u64, u64, usize)> {
        let first = self.next();
        let second = self.next();
        let regular = short(0, first) & short(first + 1, second) & blank(self.byte(first));
        regular.then(|| (self.digits(0, first), self.digits(first + 1, second), second))
    }

    /// Returns the position after a line end, if there is one at a position.
    #[inline]
    pub(super) fn line_end(&self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b'\n' => Some(at + 1),
            b'\r' if self.byte(at + 1) == b'\n' && at + 1 < LINE => Some(at + 2),
            _ => None,
        }
    }

    /// Parses a blank, a number without sign and the line end.
    #[inline]
    pub(super) fn unsigned(mut self, at: usize) -> Option<(u64, usize)> {
        let end = self.next();
        let regular = blank(self.byte(at)) & short(at + 1, end);
        let next = self.line_end(end)?;
        regular.then(|| (self.digits(at + 1, end), next))
    }

    /// Parses a blank, a whole number and the line end.
    #[inline]
    pub(super) fn integer(mut self, at: usize) -> Option<(i64, usize)> {
        let negative = self.byte(at + 1) == b'-';
        self.pass_if(negative);
        let start = at + 1 + usize::from(negative);
        let end = self.next();
        let regular = blank(self.byte(at)) & short(start, end);
        let next = self.line_end(end)?;
        let size = self.digits(start, end).cast_signed();
        // Negation in two's complement if all bits are one; nothing if they are zero.
        let mask = -i64::from(negative);
        regular.then_some(((size ^ mask) - mask, next))
    }

    /// Parses a blank, a real number and the line end.
    #[inline(always)]
    pub(super) fn real(mut self, at: usize) -> Option<(f64, usize)> {
        let negative = self.byte(at + 1) == b'-';
        self.pass_if(negative);
        let start = at + 1 + usize::from(negative);
        let point = self.next();
        if !blank(self.byte(at)) | !short(start, point) {
            return None;
        }
        let whole = self.digits(start, point);
        if self.byte(point) != b'.' {
            // Counts and ratings are small whole numbers.
            let next = self.line_end(point)?;
            let size = u32::try_from(whole).map_or(0.0, f64::from);
            return Some((with_sign(size, negative), next));
        }
        let mut end = self.next();
        let places = end.wrapping_sub(point + 1);
        // No more digits than fit into 64 bits; leading zeros do not count.
        if places > decimal::DIGITS || (whole != 0) & (places + (point - start) > decimal::DIGITS) {
            return None;
        }
        let mantissa = whole * decimal::TENS[places] + self.fraction(point + 1, places);
        let mut exponent = 0;
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = self.byte(end + 1);
            let signed = (sign == b'-') | (sign == b'+');
            self.pass_if(signed);
            let start = end + 1 + usize::from(signed);
            end = self.next();
            if !short(start, end) {
                return None;
            }
            // Eight digits are less than 2^31.
            let size = i32::try_from(self.digits(start, end)).unwrap_or(0);
            exponent = if sign == b'-' { -size } else { size };
        }
        let next = self.line_end(end)?;
        // The number of places is small.
        let size = decimal::nearest(mantissa, exponent - i32::try_from(places).unwrap_or(0))?;
        Some((with_sign(size, negative), next))
    }

    /// Returns the number of `len` digits at a position, at most [`decimal::DIGITS`].
    #[inline]
    fn fraction(&self, start: usize, len: usize) -> u64 {
        if len <= 8 {
            return self.some_digits(start, len);
        }
        let (second, third) = (len.clamp(8, 16) - 8, len.max(16) - 16);
        let first = eight_digits(self.word(start) ^ ZEROS);
        let high = first * decimal::TENS[second] + self.some_digits(start + 8, second);
        high * decimal::TENS[third] + self.some_digits(start + 16, third)
    }

    /// Returns the number of up to eight digits; 0 for no digits.
    #[inline]
    fn some_digits(&self, start: usize, len: usize) -> u64 {
        // In two steps, because a shift by 64 overflows.
        let unused = (8 - len.min(8)) * 4;
        eight_digits((self.word(start) ^ ZEROS) << unused << unused)
    }
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Returns whether a range has one to eight bytes.
#[inline]
fn short(start: usize, end: usize) -> bool {
    end.wrapping_sub(start).wrapping_sub(1) < 8
}

/// Returns a number without sign as a negative or positive number.
#[inline]
fn with_sign(size: f64, negative: bool) -> f64 {
    f64::from_bits(size.to_bits() | u64::from(negative) << 63)
}

#[inline]
fn blank(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\t')
}

/// Finds the bytes that are not digits, in words of eight. Bytes after these words count as such,
/// too.
#[inline]
fn others<const WORDS: usize>(bytes: &[u8; LEN]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    let mut digits = !0;
    for (at, word) in words.iter().enumerate().take(WORDS) {
        // Digits become 0 to 9. For any other byte, adding 0x76 sets the high bit, unless it is set
        // already.
        let lanes = u64::from_le_bytes(*word) ^ ZEROS;
        let others = ((lanes & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | lanes;
        let digit_bits = !others & 0x8080_8080_8080_8080;
        // The multiplication moves the bit of each byte to its own position in the top byte.
        digits ^= (digit_bits.wrapping_mul(0x0002_0408_1020_4081) >> 56) << (8 * at);
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_other_than_digits_are_found_at_any_position() {
        let mut bytes = [b'5'; LEN];
        for byte in 0..=u8::MAX {
            for at in 0..LINE {
                bytes[at] = byte;
                bytes[(at * 7 + 3) % LINE] = byte.wrapping_mul(31);
                let expected = |len: usize| {
                    (0..64).fold(0, |bits, at| {
                        let other = at >= len || !bytes[at].is_ascii_digit();
                        bits | u64::from(other) << at
                    })
                };
                assert_eq!(others::<8>(&bytes), expected(64));
                assert_eq!(others::<4>(&bytes), expected(32));
                bytes = [b'5'; LEN];
            }
        }
    }
}
