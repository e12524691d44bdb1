//! The filter LZF of h5py: literals and copies of earlier output.
//!
//! <https://github.com/h5py/h5py/tree/master/lzf>

use super::{DecodeError, truncated};

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(stored: &[u8], _: &[u32], out: &mut [u8]) -> Result<usize, DecodeError> {
    let mut rest = stored;
    let mut at = 0;
    while let Some((&control, after)) = rest.split_first() {
        rest = after;
        let (high, low) = (usize::from(control >> 5), usize::from(control & 31));
        let mut next = || {
            let (&byte, after) = rest.split_first().ok_or_else(truncated)?;
            rest = after;
            Ok(usize::from(byte))
        };
        if high == 0 {
            let (literals, after) = rest.split_at_checked(low + 1).ok_or_else(truncated)?;
            let place = out.get_mut(at..at + literals.len()).ok_or(DecodeError::TooLong)?;
            place.copy_from_slice(literals);
            at += literals.len();
            rest = after;
            continue;
        }
        let length = 2 + if high == 7 { 7 + next()? } else { high };
        let distance = (low << 8) + next()? + 1;
        let from = at.checked_sub(distance);
        let from = from.ok_or_else(|| DecodeError::damaged("a match offset before the start"))?;
        let copied = out.get_mut(from..at + length).ok_or(DecodeError::TooLong)?;
        // A copy may overlap its own output.
        for step in distance..copied.len() {
            copied[step] = copied[step - distance];
        }
        at += length;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn literals_and_copies() {
        let mut out = [0; 20];
        // Three literals, a copy of 2 + 1 and one of 2 + 7 + 2 bytes from three bytes back.
        let found = decode(&[2, b'a', b'b', b'c', 1 << 5, 2, 7 << 5, 2, 2], &[], &mut out);
        assert_eq!(out[..found.unwrap()], *b"abcabcabcabcabcab");
    }

    #[test]
    fn invalid_data_is_refused() {
        let mut out = [0; 4];
        assert!(matches!(decode(&[4, 1, 2, 3, 4, 5], &[], &mut out), Err(DecodeError::TooLong)));
        assert!(matches!(decode(&[0, 1, 2 << 5, 0], &[], &mut out), Err(DecodeError::TooLong)));
        for bytes in [&[0][..], &[0, 1, 1 << 5], &[0, 1, 7 << 5, 0], &[0, 1, 1 << 5, 1]] {
            assert!(matches!(decode(bytes, &[], &mut out), Err(DecodeError::Damaged(_))));
        }
    }
}
