//! Snappy decompression: literals and copies of earlier output, after their length.
//!
//! <https://github.com/google/snappy/blob/main/format_description.txt>

use crate::codec::DecodeError;

/// Decompresses into `out` and returns the length.
pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
    let mut rest = bytes;
    let (mut length, mut shift) = (0, 0);
    loop {
        let byte = number(&mut rest, 1)?;
        length |= (byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            break;
        }
        if shift > 28 {
            return Err(DecodeError::damaged("invalid length"));
        }
    }
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    let mut at = 0_usize;
    while !rest.is_empty() {
        let tag = number(&mut rest, 1)?;
        let high = tag >> 2;
        let (length, distance) = match tag & 3 {
            0 if high < 60 => (high + 1, 0),
            0 => (number(&mut rest, high - 59)?.saturating_add(1), 0),
            1 => ((high & 7) + 4, number(&mut rest, 1)? | (tag >> 5) << 8),
            2 => (high + 1, number(&mut rest, 2)?),
            _ => (high + 1, number(&mut rest, 4)?),
        };
        let end = at.saturating_add(length);
        if end > out.len() {
            return Err(DecodeError::TooLong);
        }
        if tag & 3 == 0 {
            let (literals, after) = rest.split_at_checked(length).ok_or_else(short)?;
            out[at..end].copy_from_slice(literals);
            rest = after;
        } else {
            let from = at.checked_sub(distance).filter(|from| *from < at);
            let from =
                from.ok_or_else(|| DecodeError::damaged("a match offset before the start"))?;
            // A copy may overlap its own output.
            for step in 0..length {
                out[at + step] = out[from + step];
            }
        }
        at = end;
    }
    Ok(at)
}

/// Takes a number of up to four bytes.
fn number(rest: &mut &[u8], bytes: usize) -> Result<usize, DecodeError> {
    let (number, after) = rest.split_at_checked(bytes).ok_or_else(short)?;
    *rest = after;
    Ok(number.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

fn short() -> DecodeError {
    DecodeError::damaged("truncated compressed data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies() {
        let mut out = [0; 20];
        // 12 bytes: three literals, then a copy of five bytes and one of four from three bytes back.
        let found = decompress(&[12, 2 << 2, b'a', b'b', b'c', 18, 3, 0, 1, 3], &mut out).unwrap();
        assert_eq!(&out[..found], b"abcabcabcabc");
    }

    #[test]
    fn invalid_data_is_refused() {
        let mut out = [0; 4];
        assert!(matches!(decompress(&[5, 0, 1], &mut out), Err(DecodeError::TooLong)));
        for bytes in [&[][..], &[0x80; 6], &[4, 8, 1], &[4, 0, 1, 6, 2, 0], &[4, 0, 1, 6, 0, 0]] {
            assert!(matches!(decompress(bytes, &mut out), Err(DecodeError::Damaged(_))));
        }
    }
}
