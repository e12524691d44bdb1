//! BloscLZ decompression: literals and copies of earlier output.

use crate::codec::DecodeError;

/// From this distance on, two more bytes follow.
const FAR: usize = 8191;

/// Decompresses into `out` and returns the length.
pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
    let short = || DecodeError::damaged("truncated compressed data");
    let mut rest = bytes.iter().copied();
    let mut next = || rest.next().ok_or_else(short);
    let mut at = 0_usize;
    // The first instruction is always for literals.
    let mut control = usize::from(next()? & 31);
    loop {
        let length = if control < 32 {
            control + 1
        } else {
            let mut length = (control >> 5) + 2;
            if length == 9 {
                loop {
                    let more = next()?;
                    length += usize::from(more);
                    if more < 255 {
                        break;
                    }
                }
            }
            length
        };
        let end = at.checked_add(length).filter(|end| *end <= out.len());
        let end = end.ok_or(DecodeError::TooLong)?;
        if control < 32 {
            for place in &mut out[at..end] {
                *place = next()?;
            }
        } else {
            let low = usize::from(next()?);
            let mut distance = ((control & 31) << 8) + low + 1;
            if distance == FAR + 1 {
                let high = usize::from(next()?);
                distance = FAR + (high << 8) + usize::from(next()?) + 1;
            }
            let from = at.checked_sub(distance);
            let from =
                from.ok_or_else(|| DecodeError::damaged("a match offset before the start"))?;
            // A copy may overlap its own output.
            for step in 0..length {
                out[at + step] = out[from + step];
            }
        }
        at = end;
        match rest_control(&mut next) {
            Some(more) => control = more,
            None => return Ok(at),
        }
    }
}

fn rest_control(next: &mut impl FnMut() -> Result<u8, DecodeError>) -> Option<usize> {
    next().ok().map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies() {
        let mut out = [0; 20];
        // Three literals, then a copy of five bytes from three bytes back.
        let found = decompress(&[2, b'a', b'b', b'c', 3 << 5, 2], &mut out).unwrap();
        assert_eq!(&out[..found], b"abcabcab");
        // A run of 9 + 3 bytes from one byte back.
        let found = decompress(&[0, b'x', 7 << 5, 3, 0], &mut out).unwrap();
        assert_eq!(&out[..found], b"xxxxxxxxxxxxx");
    }

    #[test]
    fn invalid_data_is_refused() {
        let mut out = [0; 4];
        assert!(matches!(
            decompress(&[0, b'x', 7 << 5, 3, 0], &mut out),
            Err(DecodeError::TooLong)
        ));
        for bytes in [&[][..], &[3, 1, 2], &[0, 1, 1 << 5], &[0, 1, 1 << 5, 1]] {
            assert!(matches!(decompress(bytes, &mut out), Err(DecodeError::Damaged(_))));
        }
    }
}
