//! The filter Blosc2: a contiguous frame of chunks, which may be blocks of an n-dimensional array.
//!
//! <https://github.com/Blosc/c-blosc2/blob/main/README_CFRAME_FORMAT.rst> and `README_B2ND_METALAYER.rst` there.

mod array;

use self::array::{Array, copy, each, index, zip_with};
use super::{DecodeError, truncated};
use nnz_chunk::codec::blosc::{Chunk, Scratch};
use nnz_chunk::codec::zeroed;

/// The start of a frame, after two bytes.
const MAGIC: &[u8] = b"b2frame\0";

/// Where the header has the lengths of the header, of all decoded chunks and of all encoded chunks, the sizes of an
/// element and of a chunk, and the table of metadata.
const HEADER_LENGTH: usize = 11;
const DECODED_LENGTH: usize = 30;
const ENCODED_LENGTH: usize = 39;
const ELEMENT_SIZE: usize = 48;
const CHUNK_SIZE: usize = 58;
const METADATA: usize = 92;

/// The names of the metadata of an n-dimensional array.
const ARRAY_NAMES: [&[u8]; 2] = [b"b2nd", b"caterva"];

/// Size of a block up to which it may be larger than the decoded array.
const SMALL_BLOCK: usize = 1 << 20;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(stored: &[u8], _: &[u32], out: &mut [u8]) -> Result<usize, DecodeError> {
    if stored.get(2..10) != Some(MAGIC) {
        return Err(damaged("no frame"));
    }
    let start = number::<4>(stored, HEADER_LENGTH)?;
    let width = number::<4>(stored, ELEMENT_SIZE)?;
    let frame = Frame { bytes: stored, start, width, offsets: Vec::new() };
    match frame.array()? {
        Some(array) => frame.decode_array(&array, out),
        None => frame.decode_chunks(out),
    }
}

/// A frame of chunks.
struct Frame<'a> {
    bytes: &'a [u8],
    /// Where chunks start.
    start: usize,
    /// The size of an element.
    width: usize,
    /// Where each chunk starts, from there, as little-endian numbers of eight bytes.
    offsets: Vec<u8>,
}

impl<'a> Frame<'a> {
    /// Decodes chunks that follow each other.
    fn decode_chunks(mut self, out: &mut [u8]) -> Result<usize, DecodeError> {
        let length = number::<8>(self.bytes, DECODED_LENGTH)?;
        let chunk = number::<4>(self.bytes, CHUNK_SIZE)?;
        let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
        if chunk == 0 && length > 0 {
            let what = "Blosc2 with chunks of different sizes is not supported";
            return Err(DecodeError::Unsupported(what.to_owned()));
        }
        self.read_offsets(length.div_ceil(chunk.max(1)))?;
        let mut scratch = Scratch::default();
        for (at, out) in out.chunks_mut(chunk.max(1)).enumerate() {
            let chunk = self.chunk(at, out.len(), out.len())?;
            if chunk.decode(out, &mut scratch)? != out.len() {
                return Err(damaged("a chunk of another length"));
            }
        }
        Ok(length)
    }

    /// Decodes an n-dimensional array in C order.
    fn decode_array(mut self, array: &Array, out: &mut [u8]) -> Result<usize, DecodeError> {
        let Array { shape, chunk: chunk_shape, block: block_shape } = array;
        let bytes = |shape: &[usize]| {
            let elements =
                shape.iter().try_fold(self.width, |product, count| product.checked_mul(*count));
            elements.ok_or_else(|| damaged("an array that is too large"))
        };
        let length = bytes(shape)?;
        let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
        let chunks = zip_with(shape, chunk_shape, usize::div_ceil);
        // The number of blocks of a chunk, and of those with elements of the array.
        let blocks = zip_with(chunk_shape, block_shape, usize::div_ceil);
        let used =
            zip_with(&zip_with(chunk_shape, shape, usize::min), block_shape, usize::div_ceil);
        let block_bytes = bytes(block_shape)?;
        let chunk_bytes = bytes(&blocks)?
            .checked_div(self.width)
            .and_then(|blocks| blocks.checked_mul(block_bytes));
        let chunk_bytes = chunk_bytes.ok_or_else(|| damaged("a chunk that is too large"))?;
        if block_bytes > length.max(SMALL_BLOCK) {
            return Err(damaged("a block that is too large"));
        }
        let mut block = zeroed(block_bytes)?;
        let mut first = Vec::new();
        let mut scratch = Scratch::default();
        let count = chunks.iter().try_fold(1_usize, |product, count| product.checked_mul(*count));
        let count = count.filter(|count| *count <= length);
        self.read_offsets(count.ok_or_else(|| damaged("too many chunks"))?)?;
        each(&chunks, |at| {
            let chunk = self.chunk(index(at, &chunks), chunk_bytes, block_bytes)?;
            if (chunk.length, chunk.block) != (chunk_bytes, block_bytes) {
                return Err(damaged("a chunk of another shape"));
            }
            if chunk.uses_first_block() {
                first.resize(block_bytes, 0);
                chunk.decode_block(0, &[], &mut first, &mut scratch)?;
            }
            let origin = zip_with(at, chunk_shape, |at, size| at * size);
            each(&used, |at| {
                let offset = zip_with(at, block_shape, |at, size| at * size);
                let start = zip_with(&origin, &offset, |origin, offset| origin + offset);
                let left = zip_with(shape, &start, usize::saturating_sub);
                let in_chunk = zip_with(chunk_shape, &offset, usize::saturating_sub);
                let size =
                    zip_with(&zip_with(&left, &in_chunk, usize::min), block_shape, usize::min);
                if size.contains(&0) {
                    return Ok(());
                }
                chunk.decode_block(index(at, &blocks), &first, &mut block, &mut scratch)?;
                copy(&block, block_shape, out, shape, (&start, &size), self.width)
            })
        })?;
        Ok(length)
    }

    /// Reads where chunks start, which is a chunk after them.
    fn read_offsets(&mut self, count: usize) -> Result<(), DecodeError> {
        if count == 0 {
            return Ok(());
        }
        let end = self.start.checked_add(number::<8>(self.bytes, ENCODED_LENGTH)?);
        let index = end.and_then(|end| self.bytes.get(end..)).ok_or_else(truncated)?;
        self.offsets = zeroed(count.saturating_mul(8))?;
        let (index, _) = Chunk::parse(index)?;
        match index.decode(&mut self.offsets, &mut Scratch::default())? == self.offsets.len() {
            true => Ok(()),
            false => Err(damaged("a wrong number of chunks")),
        }
    }

    /// Returns a chunk. The lengths of the chunk and of a block are for a chunk of equal values, which is not stored.
    fn chunk(&self, at: usize, length: usize, block: usize) -> Result<Chunk<'a>, DecodeError> {
        let Some(&offset) = self.offsets.as_chunks::<8>().0.get(at) else {
            return Err(truncated());
        };
        if let [.., kind @ (128..)] = offset {
            return Chunk::special(kind & 7, self.width, length, block);
        }
        let offset = usize::try_from(u64::from_le_bytes(offset)).ok();
        let start = offset.and_then(|offset| offset.checked_add(self.start));
        let bytes = start.and_then(|start| self.bytes.get(start..)).ok_or_else(truncated)?;
        Ok(Chunk::parse(bytes)?.0)
    }

    /// Finds the shapes in the metadata of the header.
    fn array(&self) -> Result<Option<Array>, DecodeError> {
        let mut at = METADATA;
        let count = number::<2>(self.bytes, at)?;
        at += 2;
        for _ in 0..count {
            let length = usize::from(self.bytes.get(at).ok_or_else(truncated)? & 31);
            let name = self.bytes.get(at + 1..at + 1 + length);
            at += length + 2;
            if name.is_some_and(|name| ARRAY_NAMES.contains(&name)) {
                let shapes = self.bytes.get(number::<4>(self.bytes, at)?..);
                return Array::parse(shapes.ok_or_else(truncated)?).map(Some);
            }
            at += 4;
        }
        Ok(None)
    }
}

/// Returns a big-endian number of `BYTES` bytes.
fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> Result<usize, DecodeError> {
    let number: Option<&[u8; BYTES]> = bytes.get(at..).and_then(<[u8]>::first_chunk);
    let number =
        number.ok_or_else(truncated)?.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    usize::try_from(number).map_err(|_| truncated())
}

fn damaged(what: &str) -> DecodeError {
    DecodeError::Damaged(format!("invalid Blosc2 data: {what}"))
}
