//! The filter LZ4: blocks, each after its encoded length. Numbers are big-endian.
//!
//! <https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md>

use super::{DecodeError, truncated};
use nnz_chunk::codec::lz4::decompress_block;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(stored: &[u8], _: &[u32], out: &mut [u8]) -> Result<usize, DecodeError> {
    let (length, block, mut rest) = header(stored)?;
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    for out in out.chunks_mut(block) {
        let packed = next_block(&mut rest)?;
        if packed.len() == out.len() {
            out.copy_from_slice(packed);
        } else {
            decompress_block(packed, out)?;
        }
    }
    Ok(length)
}

/// Returns the decoded length, the length of a block, which is not 0, and the bytes after the header.
pub(super) fn header(stored: &[u8]) -> Result<(usize, usize, &[u8]), DecodeError> {
    let (length, rest) = stored.split_first_chunk().ok_or_else(truncated)?;
    let (block, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let length = usize::try_from(u64::from_be_bytes(*length)).unwrap_or(usize::MAX);
    let block = usize::try_from(u32::from_be_bytes(*block)).unwrap_or(usize::MAX);
    match block {
        0 if length > 0 => Err(DecodeError::damaged("blocks of 0 bytes")),
        _ => Ok((length, block.max(1), rest)),
    }
}

/// Takes the next encoded block.
pub(super) fn next_block<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], DecodeError> {
    let (length, after) = rest.split_first_chunk().ok_or_else(truncated)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    let (block, after) = after.split_at_checked(length).ok_or_else(truncated)?;
    *rest = after;
    Ok(block)
}
