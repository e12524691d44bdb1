//! A stretch of text that holds a whole line, as most lines are: short and regular.
//!
//! All digits of a line are told from all else at once, so that where a line ends is known early,
//! and the next one can be begun before the numbers of this one are made. Whatever is out of the
//! ordinary gives `None`: it is for the functions that read number by number to say what it is.

use nnz_lines::digits::eight_digits;

use super::decimal;

/// Bytes in which a line has to end.
const SIGHT: usize = 64;
/// The word that starts at the last of them ends here.
const LEN: usize = SIGHT + 8;

#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    bytes: &'a [u8; LEN],
    /// A bit for each byte that is no digit and was not passed yet.
    others: u64,
}

impl<'a> Window<'a> {
    /// Looks at the text from a position on: at all of the window, or at half of it.
    #[inline(always)]
    pub(super) fn at(text: &'a [u8], at: usize, whole: bool) -> Option<Self> {
        let bytes = text.get(at..)?.first_chunk::<LEN>()?;
        let others = if whole { others::<8>(bytes) } else { others::<4>(bytes) };
        Some(Self { bytes, others })
    }

    /// Returns the position of the next byte that is no digit, and passes it. There is always
    /// one, be it past what was looked at.
    #[inline]
    fn next(&mut self) -> usize {
        let at = self.others.trailing_zeros() as usize;
        self.others &= self.others.wrapping_sub(1);
        at
    }

    /// Passes the next byte that is no digit, or does not. Signs are random: this takes no branch.
    #[inline]
    fn pass_if(&mut self, pass: bool) {
        self.others &= self.others.wrapping_sub(u64::from(pass));
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes[at % SIGHT]
    }

    /// Returns the number whose one to eight digits are in a range. Of another length it is not
    /// right, but harmless.
    #[inline]
    fn digits(&self, start: usize, end: usize) -> u64 {
        let unused = 8_usize.wrapping_sub(end.wrapping_sub(start)) % 8 * 8;
        eight_digits((self.word(start) ^ ZEROS) << unused)
    }

    /// Returns the eight bytes from a position on.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        let at = at % SIGHT;
        self.bytes[at..at + 8].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Reads two numbers, each with a blank after it; the second may have a line end instead.
    /// Returns them, and the position of what follows the second.
    #[inline]
    pub(super) fn places(&mut self) -> Option<(u64, u64, usize)> {
        let first = self.next();
        let second = self.next();
        let regular = short(0, first) & short(first + 1, second) & blank(self.byte(first));
        regular.then(|| (self.digits(0, first), self.digits(first + 1, second), second))
    }

    /// Returns the position after the line end at a position, if there is one.
    #[inline]
    pub(super) fn line_end(&self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b'\n' => Some(at + 1),
            b'\r' if self.byte(at + 1) == b'\n' && at + 1 < SIGHT => Some(at + 2),
            _ => None,
        }
    }

    /// Reads a blank, a number without sign and the line end.
    #[inline]
    pub(super) fn unsigned(mut self, at: usize) -> Option<(u64, usize)> {
        let end = self.next();
        let regular = blank(self.byte(at)) & short(at + 1, end);
        let next = self.line_end(end)?;
        regular.then(|| (self.digits(at + 1, end), next))
    }

    /// Reads a blank, a whole number and the line end.
    #[inline]
    pub(super) fn integer(mut self, at: usize) -> Option<(i64, usize)> {
        let negative = self.byte(at + 1) == b'-';
        self.pass_if(negative);
        let start = at + 1 + usize::from(negative);
        let end = self.next();
        let regular = blank(self.byte(at)) & short(start, end);
        let next = self.line_end(end)?;
        let size = self.digits(start, end).cast_signed();
        // Minus one, all ones, turns it; zero does not.
        let turn = -i64::from(negative);
        regular.then_some(((size ^ turn) - turn, next))
    }

    /// Reads a blank, a real number and the line end.
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
        // As many digits as 64 bits hold; zeros before the first one do not count.
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
            // Eight digits are below 2^31.
            let size = i32::try_from(self.digits(start, end)).unwrap_or(0);
            exponent = if sign == b'-' { -size } else { size };
        }
        let next = self.line_end(end)?;
        // Places are few.
        let size = decimal::nearest(mantissa, exponent - i32::try_from(places).unwrap_or(0))?;
        Some((with_sign(size, negative), next))
    }

    /// Returns the number whose digits start at a position, at most [`decimal::DIGITS`].
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

    /// Returns the number of up to eight digits, 0 of none.
    #[inline]
    fn some_digits(&self, start: usize, len: usize) -> u64 {
        // In two steps, as a shift by the whole width is none.
        let unused = (8 - len.min(8)) * 4;
        eight_digits((self.word(start) ^ ZEROS) << unused << unused)
    }
}

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Returns whether a range holds one to eight bytes.
#[inline]
fn short(start: usize, end: usize) -> bool {
    end.wrapping_sub(start).wrapping_sub(1) < 8
}

/// Returns a number that has no sign with one, or without.
#[inline]
fn with_sign(size: f64, negative: bool) -> f64 {
    f64::from_bits(size.to_bits() | u64::from(negative) << 63)
}

#[inline]
fn blank(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\t')
}

/// Finds what is no digit among the first bytes, eight for each word. What is past them counts as
/// no digit either.
#[inline]
fn others<const WORDS: usize>(bytes: &[u8; LEN]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    let mut digits = !0;
    for (at, word) in words.iter().enumerate().take(WORDS) {
        // Digits become 0 to 9. Of what is no digit, adding 0x76 sets the high bit, if it was not.
        let lanes = u64::from_le_bytes(*word) ^ ZEROS;
        let others = ((lanes & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676) | lanes;
        let digit_bits = !others & 0x8080_8080_8080_8080;
        // The bit of each byte moves to its place in the top byte, and none onto another.
        digits ^= (digit_bits.wrapping_mul(0x0002_0408_1020_4081) >> 56) << (8 * at);
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_digit_are_found_in_any_place() {
        let mut bytes = [b'5'; LEN];
        for byte in 0..=u8::MAX {
            for at in 0..SIGHT {
                bytes[at] = byte;
                bytes[(at * 7 + 3) % SIGHT] = byte.wrapping_mul(31);
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
