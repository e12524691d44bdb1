//! LZ4 blocks after their decoded length, as written by numcodecs.

use super::{Codec, DecodeError, ZarrCodec, same_length};

pub(super) const CODEC: Codec = Codec {
    name: "lz4",
    hdf5: None,
    zarr: ZarrCodec {
        v3: "numcodecs.lz4",
        numbers: None,
        most_ratio: 256,
        decompress: |bytes, _, out| decompress(bytes, out),
        written: None,
    },
};

fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
    let Some((length, block)) = bytes.split_first_chunk() else {
        return Err(DecodeError::damaged("missing length"));
    };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    decompress_block(block, out)
}

/// Decompresses a block that fills `out`.
///
/// # Errors
///
/// Fails if it is damaged or has another length.
pub fn decompress_block(block: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
    let found = lz4_flex::block::decompress_into(block, out).map_err(DecodeError::failed)?;
    same_length(found, out.len())?;
    Ok(found)
}
