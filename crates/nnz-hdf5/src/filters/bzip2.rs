//! The filter bzip2: one bzip2 stream.

use std::io::Read;

use bzip2::bufread::BzDecoder;

use super::DecodeError;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(stored: &[u8], _: &[u32], out: &mut [u8]) -> Result<usize, DecodeError> {
    let mut decoder = BzDecoder::new(stored);
    let mut length = 0;
    while length < out.len() {
        match decoder.read(&mut out[length..]).map_err(DecodeError::failed)? {
            0 => return Ok(length),
            more => length += more,
        }
    }
    // Reads to the end, where the checksum is verified.
    match decoder.read(&mut [0]).map_err(DecodeError::failed)? {
        0 => Ok(length),
        _ => Err(DecodeError::TooLong),
    }
}
