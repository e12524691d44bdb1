//! The checksum after the bytes that it covers.

use nnz_chunk::codec::DecodeError;

/// Size of a checksum.
pub(crate) const BYTES: usize = 4;

/// Verifies the checksum at the end of `stored` and returns the bytes before it.
///
/// Like the HDF5 library, this also accepts the checksum with swapped bytes in each half, as
/// written by versions before 1.6.3 on little-endian machines.
pub(crate) fn verify(stored: &[u8]) -> Result<&[u8], DecodeError> {
    let Some((covered, &found)) = stored.split_last_chunk::<BYTES>() else {
        let bytes = stored.len();
        return Err(DecodeError::Damaged(format!("{bytes} bytes, too few for a checksum")));
    };
    let [a, b, c, d] = found;
    let sum = fletcher32(covered);
    if [found, [b, a, d, c]].contains(&sum.to_le_bytes()) {
        return Ok(covered);
    }
    let found = u32::from_le_bytes(found);
    let what = format!("the stored Fletcher32 checksum is {found:08x}, the computed one {sum:08x}");
    Err(DecodeError::Damaged(what))
}

/// Returns the sum of big-endian words of 16 bits, the last one padded with zeros, and of these sums, both modulo 65,535.
fn fletcher32(bytes: &[u8]) -> u32 {
    /// As many words can be added without an overflow.
    const WORDS: usize = 360;
    let (mut sum, mut sums) = (0_u32, 0_u32);
    let fold = |sum: u32| (sum & 0xffff) + (sum >> 16);
    for block in bytes.chunks(2 * WORDS) {
        for word in block.chunks(2) {
            let low = word.get(1).copied().unwrap_or(0);
            sum += u32::from(u16::from_be_bytes([word[0], low]));
            sums += sum;
        }
        (sum, sums) = (fold(sum), fold(sums));
    }
    fold(sums) << 16 | fold(sum)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// "abc" and its checksum, little-endian.
    const VALID: [u8; 7] = [b'a', b'b', b'c', 0x62, 0xc4, 0xc5, 0x25];

    #[test]
    fn a_checksum_of_either_byte_order_is_accepted() {
        assert_eq!(verify(&VALID).ok().unwrap(), b"abc");
        let swapped = [b'a', b'b', b'c', 0xc4, 0x62, 0x25, 0xc5];
        assert_eq!(verify(&swapped).ok().unwrap(), b"abc");
    }

    #[test]
    fn any_other_checksum_is_refused() {
        for at in 0..VALID.len() {
            let mut damaged = VALID;
            damaged[at] ^= 1;
            assert!(verify(&damaged).is_err(), "byte {at}");
        }
        assert!(verify(&VALID[..3]).is_err());
    }
}
