//! Integers and values of a packet, packed into words.

use nnz_bitpack::{CHUNK, Codec, chunk_words, pack_chunk, unpack_chunk};
use nnz_core::{Error, Place, Result, Values};

/// Appends integers by chunk: a word for the width, one for the start, the packed words.
pub(super) fn pack(codec: Codec, integers: &[u32], words: &mut Vec<u32>) {
    let mut chunk = [0; CHUNK];
    let mut packed = [0; CHUNK];
    for piece in integers.chunks(CHUNK) {
        chunk[..piece.len()].copy_from_slice(piece);
        chunk[piece.len()..].fill(piece[piece.len() - 1]);
        let width = pack_chunk(codec, &chunk, &mut packed);
        words.push(width);
        words.push(chunk[0]);
        words.extend_from_slice(&packed[..chunk_words(width)]);
    }
}

/// Unpacks `count` integers from the front of `words`, appends them and returns the remaining
/// words.
pub(super) fn unpack<'a>(
    codec: Codec,
    count: usize,
    mut words: &'a [u32],
    integers: &mut Vec<u32>,
) -> Result<&'a [u32]> {
    let chunks = count.div_ceil(CHUNK);
    let before = integers.len();
    for _ in 0..chunks {
        let &[width, start, ref rest @ ..] = words else { return Err(damaged()) };
        let packed = rest.get(..chunk_words(width.min(32))).ok_or_else(damaged)?;
        integers.extend_from_slice(&[0; CHUNK]);
        let chunk = integers.last_chunk_mut().ok_or_else(damaged)?;
        unpack_chunk(codec, width, start, packed, chunk).map_err(|_| damaged())?;
        words = &rest[packed.len()..];
    }
    integers.truncate(before + count);
    Ok(words)
}

/// Appends the bytes of values; 32-bit values are packed.
pub(super) fn pack_values(values: &[u8], size: usize, words: &mut Vec<u32>) {
    if size == 4 {
        let integers: Vec<u32> = values.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        // Counts are small positive numbers. Floats need 32 bits and are not packed.
        return pack(Codec::MinusOne, &integers, words);
    }
    for piece in values.chunks(4) {
        let mut word = [0; 4];
        word[..piece.len()].copy_from_slice(piece);
        words.push(u32::from_ne_bytes(word));
    }
}

/// Unpacks the bytes of `count` values from the front of `words` and appends them.
pub(super) fn unpack_values<'a>(
    count: usize,
    words: &'a [u32],
    values: &mut Values,
    scratch: &mut Vec<u32>,
) -> Result<&'a [u32]> {
    let Some(len) = values.len() else { return Ok(words) };
    let size = values.value_type().size();
    if size == 4 {
        scratch.clear();
        let rest = unpack(Codec::MinusOne, count, words, scratch)?;
        let bytes = values.resize_bytes(len + count);
        bytes[len * 4..].copy_from_slice(bytemuck::cast_slice(scratch));
        return Ok(rest);
    }
    let (taken, rest) = words.split_at_checked((count * size).div_ceil(4)).ok_or_else(damaged)?;
    let taken: &[u8] = bytemuck::cast_slice(taken);
    let bytes = values.resize_bytes(len + count);
    bytes[len * size..].copy_from_slice(&taken[..count * size]);
    Ok(rest)
}

/// An unnamed file changed: the disk failed.
pub(super) fn damaged() -> Error {
    Error::mismatch(Place::default(), "a damaged temporary file", "the data that was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_values_round_trip() {
        for count in [0, 1, 127, 128, 129, 1000] {
            let integers: Vec<u32> = (0..count).map(|n| n * 7 % 1000).collect();
            let mut words = Vec::new();
            pack(Codec::DeltaZigzag, &integers, &mut words);
            for size in [1, 2, 4, 8, 16] {
                let bytes: Vec<u8> = (0..=255).cycle().take(integers.len() * size).collect();
                let mut all = words.clone();
                pack_values(&bytes, size, &mut all);
                let mut back = Vec::new();
                let rest = unpack(Codec::DeltaZigzag, integers.len(), &all, &mut back).unwrap();
                assert_eq!(back, integers);
                let value_type = match size {
                    1 => nnz_core::ValueType::U8,
                    2 => nnz_core::ValueType::I16,
                    4 => nnz_core::ValueType::F32,
                    8 => nnz_core::ValueType::F64,
                    _ => nnz_core::ValueType::ComplexF64,
                };
                let mut values = Values::new(value_type);
                let rest =
                    unpack_values(integers.len(), rest, &mut values, &mut Vec::new()).unwrap();
                assert!(rest.is_empty());
                assert_eq!(values.bytes(), bytes);
            }
        }
    }
}
