//! The filter bitshuffle: blocks of elements with grouped bits, which may be compressed.
//!
//! <https://github.com/kiyo-masui/bitshuffle>

use rust_zstd::Decompressor;

use super::lz4::{header, next_block};
use super::{DecodeError, size, truncated};
use nnz_chunk::codec::blosc::unshuffle_bits;
use nnz_chunk::codec::{lz4, same_length, zstd};

/// The number of bytes of a block by default, and the minimum number of elements.
const BLOCK_BYTES: usize = 8192;
const MIN_ELEMENTS: usize = 128;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(
    stored: &[u8],
    parameters: &[u32],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let &[_, _, width, ref options @ ..] = parameters else {
        return Err(DecodeError::damaged("missing filter parameters"));
    };
    let width = size(width);
    let compression = options.get(1).copied().unwrap_or(0);
    let (length, block, mut rest) = match compression {
        0 => {
            let elements = match size(options.first().copied().unwrap_or(0)) {
                0 => (BLOCK_BYTES / width.max(1) / 8 * 8).max(MIN_ELEMENTS),
                elements => elements,
            };
            (stored.len(), elements.saturating_mul(width), stored)
        }
        2 | 3 => header(stored)?,
        _ => {
            let what = format!("bitshuffle with compression {compression} is not supported");
            return Err(DecodeError::Unsupported(what));
        }
    };
    let eight = width.saturating_mul(8);
    if eight == 0 || !block.is_multiple_of(eight) || !length.is_multiple_of(width) {
        let what = format!("{length} bytes in blocks of {block} are not elements of {width} bytes");
        return Err(DecodeError::Damaged(what));
    }
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    // A remainder of less than eight elements is stored as it is.
    let (shuffled, plain) = out.split_at_mut(length / eight * eight);
    let mut unpacked = vec![0; if compression == 0 { 0 } else { block.min(shuffled.len()) }];
    let mut decoder = None;
    for out in shuffled.chunks_mut(block) {
        let bytes = if compression == 0 {
            let (bytes, after) = rest.split_at_checked(out.len()).ok_or_else(truncated)?;
            rest = after;
            bytes
        } else {
            let packed = next_block(&mut rest)?;
            let unpacked = &mut unpacked[..out.len()];
            if compression == 2 {
                lz4::decompress_block(packed, unpacked)?;
            } else {
                let decoder = decoder.get_or_insert_with(Decompressor::new);
                same_length(zstd::decompress(decoder, packed, unpacked)?, unpacked.len())?;
            }
            unpacked
        };
        unshuffle_bits(bytes, width, out);
    }
    plain.copy_from_slice(rest.get(..plain.len()).ok_or_else(truncated)?);
    Ok(length)
}
