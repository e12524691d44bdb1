//! Parsing digits at a position of a text.
//!
//! A text reads as newlines past its end, so nothing is read out of bounds.

/// Returns the byte at a position.
#[inline]
#[must_use]
pub fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(b'\n')
}

/// Parses digits; `None` if there are none, or if the number does not fit in 64 bits.
#[inline]
#[must_use]
pub fn digits(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let (value, count) = up_to_eight_digits(text, at);
    match count {
        0 => None,
        1..=7 => Some((value, at + count)),
        _ => many_digits(text, at + 8, value),
    }
}

/// Parses the digits among the next eight bytes at once; returns value and count.
#[inline]
#[must_use]
pub fn up_to_eight_digits(text: &[u8], at: usize) -> (u64, usize) {
    let bytes = match text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        Some(bytes) => *bytes,
        None => last_bytes(text, at),
    };
    // Digits become 0 to 9. Other bytes are above 9 or have the high bit set; adding 0x76 sets the
    // high bit of the former. A carry affects only bytes after the first such one.
    let lanes = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    let others = (lanes.wrapping_add(0x7676_7676_7676_7676) | lanes) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() / 8;
    if count == 0 {
        return (0, 0);
    }
    // Shifted to the end of the word, with zeros before them, the digits are an eight-digit number.
    let lanes = lanes << (64 - 8 * count);
    (eight_digits(lanes), count as usize)
}

/// Returns the bytes near the end of a text, followed by newlines.
#[cold]
fn last_bytes(text: &[u8], at: usize) -> [u8; 8] {
    let mut bytes = [b'\n'; 8];
    let rest = text.get(at..).unwrap_or(&[]);
    for (to, from) in bytes.iter_mut().zip(rest) {
        *to = *from;
    }
    bytes
}

/// Continues after eight digits.
fn many_digits(text: &[u8], mut at: usize, mut value: u64) -> Option<(u64, usize)> {
    loop {
        let digit = byte(text, at).wrapping_sub(b'0');
        if digit > 9 {
            return Some((value, at));
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        at += 1;
    }
}

/// Returns the value of eight digits, given as 0 to 9, with the first one in the lowest byte.
#[inline]
#[must_use]
pub fn eight_digits(lanes: u64) -> u64 {
    // Adjacent digits are combined to pairs, pairs to fours, fours to the whole.
    let pairs = lanes.wrapping_mul(10).wrapping_add(lanes >> 8);
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let odd = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    even.wrapping_add(odd) >> 32
}
