//! CRC-32C checksums (RFC 3720) after the bytes of a chunk.

use super::DecodeError;

/// Verifies the checksum and returns the bytes before it.
pub(super) fn verify(bytes: &[u8]) -> Result<&[u8], DecodeError> {
    let Some((bytes, stored)) = bytes.split_last_chunk() else {
        return Err(DecodeError::damaged("missing checksum"));
    };
    let (computed, stored) = (crc32c::crc32c(bytes), u32::from_le_bytes(*stored));
    if computed == stored {
        return Ok(bytes);
    }
    Err(DecodeError::Damaged(format!(
        "the stored CRC-32C checksum is {stored:08x}, the computed one {computed:08x}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4, and the check value of the polynomial.
    #[test]
    fn checksums_match_rfc_3720() {
        for (bytes, sum) in [
            (&[][..], 0),
            (&[0; 32], 0x8a91_36aa),
            (&[0xff; 32], 0x62a8_ab43),
            (b"123456789", 0xe306_9283),
        ] {
            let stored = [bytes, &u32::to_le_bytes(sum)].concat();
            assert_eq!(verify(&stored).unwrap(), bytes);
        }
    }

    #[test]
    fn a_flipped_bit_is_detected_at_every_length() {
        // The crate has one path for short inputs and others for blocks of several kilobytes.
        for len in [1, 7, 8, 255, 256, 1023, 1024, 8191, 8192, 8193, 40_000] {
            let mut stored: Vec<u8> = (0..=u8::MAX).cycle().take(len).collect();
            stored.extend_from_slice(&crc32c::crc32c(&stored).to_le_bytes());
            assert_eq!(verify(&stored).unwrap().len(), len);
            stored[len / 2] ^= 4;
            assert!(verify(&stored).is_err(), "{len}");
        }
        assert!(verify(b"abc").is_err());
    }
}
