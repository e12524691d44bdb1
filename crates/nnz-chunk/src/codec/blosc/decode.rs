//! Reading chunks: blocks that are filtered and compressed one by one, in the formats of Blosc 1 and 2.
//!
//! <https://github.com/Blosc/c-blosc2/blob/main/README_CHUNK_FORMAT.rst>

pub use super::packed::Scratch;
use super::packed::{EncodedBlocks, Filter};
use crate::codec::DecodeError;

const HEADER: usize = 16;
/// The size of the header of Blosc 2, which has both flags of shuffling.
const EXTENDED: usize = 32;

/// Flags of a chunk.
const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const BITS_SHUFFLED: u8 = 4;
const DELTA: u8 = 8;
const NOT_SPLIT: u8 = 16;

/// Flags of Blosc 2 that are not supported: dictionaries, chunks without their data, measurements of codecs; and blocks
/// of different lengths.
const UNSUPPORTED: [u8; 2] = [0x01 | 0x08 | 0x80, 1];

/// In Blosc 1, blocks of wider elements, or of fewer elements, are not split into one stream for each byte of an
/// element.
const MAX_STREAMS: usize = 16;
const MIN_ELEMENTS: usize = 128;

/// A chunk with its header.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// The decoded length.
    pub length: usize,
    /// The decoded length of each block. The last one may be shorter.
    pub block: usize,
    content: Content<'a>,
}

#[derive(Debug)]
enum Content<'a> {
    /// A value that all elements have.
    Repeated(&'a [u8]),
    /// Bytes that are not compressed.
    Copied(&'a [u8]),
    Packed(EncodedBlocks<'a>),
}

/// Decompresses a chunk into `out` and returns its length.
pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
    let (chunk, found) = Chunk::parse(bytes)?;
    if found != bytes.len() {
        return Err(damaged(&format!("{found} bytes according to the header")));
    }
    chunk.decode(out, &mut Scratch::default())
}

impl<'a> Chunk<'a> {
    /// Parses the chunk at the start of `bytes`, and returns it and its encoded length.
    ///
    /// # Errors
    ///
    /// Fails if the chunk is damaged, or of a form that is not supported.
    pub fn parse(bytes: &'a [u8]) -> Result<(Self, usize), DecodeError> {
        let Some(&[version, _, flags, width, ref sizes @ ..]) = bytes.first_chunk::<HEADER>()
        else {
            return Err(damaged("the header is missing"));
        };
        let number = |at: usize| {
            let number = sizes.get(at..).and_then(<[u8]>::first_chunk);
            let number = number.and_then(|bytes| usize::try_from(u32::from_le_bytes(*bytes)).ok());
            number.unwrap_or(usize::MAX)
        };
        let (length, block, packed) = (number(0), number(4).min(number(0)), number(8));
        let Some(bytes) = bytes.get(..packed) else {
            return Err(damaged(&format!("{packed} bytes according to the header")));
        };
        if block == 0 && length > 0 {
            return Err(damaged("blocks of 0 bytes"));
        }
        let (header, special, filters) = match flags & (SHUFFLED | BITS_SHUFFLED) {
            5 => parse_extension(bytes, version, usize::from(width))?,
            _ => (HEADER, 0, filters_of(flags, version, usize::from(width))?),
        };
        let rest = bytes.get(header..).ok_or_else(truncated)?;
        let width = usize::from(width).max(1);
        let content = match special {
            0 if flags & COPIED != 0 => Content::Copied(rest),
            0 => {
                let few = width > MAX_STREAMS || block / width < MIN_ELEMENTS;
                let split = flags & NOT_SPLIT == 0 && (header == EXTENDED || !few);
                let codec = flags >> 5;
                Content::Packed(EncodedBlocks { bytes, header, width, split, codec, filters })
            }
            3 if rest.is_empty() => return Err(truncated()),
            3 => Content::Repeated(rest),
            special => return Ok((Self::special(special, width, length, block)?, packed)),
        };
        Ok((Self { length, block, content }, packed))
    }

    /// Returns a chunk without data by the number of its kind.
    ///
    /// # Errors
    ///
    /// Fails if the chunk is damaged, or of a form that is not supported.
    pub fn special(
        kind: u8,
        width: usize,
        length: usize,
        block: usize,
    ) -> Result<Self, DecodeError> {
        let value: &[u8] = match (kind, width) {
            // Zeros, and what was not initialized.
            (1 | 4, _) => &[0],
            (2, 4) => &const { f32::NAN.to_le_bytes() },
            (2, 8) => &const { f64::NAN.to_le_bytes() },
            _ => return Err(unsupported(&format!("special value {kind}"))),
        };
        Ok(Self { length, block, content: Content::Repeated(value) })
    }

    /// Returns whether blocks depend on the first one.
    #[must_use]
    pub fn uses_first_block(&self) -> bool {
        let Content::Packed(packed) = &self.content else { return false };
        packed.filters.iter().any(|filter| matches!(filter, Filter::Delta(_)))
    }

    /// Decodes all blocks into `out` and returns their length.
    ///
    /// # Errors
    ///
    /// Fails if the chunk is damaged, or of a form that is not supported.
    pub fn decode(&self, out: &mut [u8], scratch: &mut Scratch) -> Result<usize, DecodeError> {
        let out = out.get_mut(..self.length).ok_or(DecodeError::TooLong)?;
        let (first, rest) = out.split_at_mut(self.block.min(self.length));
        self.decode_block(0, &[], first, scratch)?;
        for (at, out) in rest.chunks_mut(self.block.max(1)).enumerate() {
            self.decode_block(at + 1, first, out, scratch)?;
        }
        Ok(self.length)
    }

    /// Decodes a block into `out`, which has its length. `first` is the first block, if it is not that.
    ///
    /// # Errors
    ///
    /// Fails if the chunk is damaged, or of a form that is not supported.
    pub fn decode_block(
        &self,
        number: usize,
        first: &[u8],
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), DecodeError> {
        if out.is_empty() {
            return Ok(());
        }
        match &self.content {
            Content::Repeated(value) => {
                for element in out.chunks_mut(value.len()) {
                    element.copy_from_slice(&value[..element.len()]);
                }
            }
            Content::Copied(bytes) => {
                let start = number.saturating_mul(self.block);
                let bytes = bytes.get(start..).and_then(|bytes| bytes.get(..out.len()));
                out.copy_from_slice(bytes.ok_or_else(truncated)?);
            }
            Content::Packed(packed) => {
                let short = out.len() < self.block;
                packed.decode_block(number, short, first, out, scratch)?;
            }
        }
        Ok(())
    }
}

/// Returns the size of the header, the kind of special values and the filters of a chunk of Blosc 2.
fn parse_extension(
    bytes: &[u8],
    version: u8,
    width: usize,
) -> Result<(usize, u8, Vec<Filter>), DecodeError> {
    let extension = bytes.get(HEADER..EXTENDED).ok_or_else(truncated)?;
    let [ids @ .., _codec, _] = &extension[..8] else { return Err(truncated()) };
    let [metas @ .., more_flags, flags] = &extension[8..] else { return Err(truncated()) };
    if flags & UNSUPPORTED[0] != 0 || more_flags & UNSUPPORTED[1] != 0 {
        return Err(unsupported(&format!("flags {flags:#x} and {more_flags:#x}")));
    }
    let mut filters = Vec::new();
    for (id, meta) in ids.iter().zip(metas) {
        match id {
            // None, and rounding, which is not reversed.
            0 | 4 => {}
            1 if *meta == 0 => filters.push(Filter::Shuffle(width)),
            1 => filters.push(Filter::Shuffle(usize::from(*meta))),
            2 => filters.push(Filter::Bitshuffle(width, version == 2)),
            3 => filters.push(Filter::Delta(width)),
            _ => return Err(unsupported(&format!("filter {id}"))),
        }
    }
    Ok((EXTENDED, flags >> 4 & 7, filters))
}

/// Returns the filters of a chunk of Blosc 1.
fn filters_of(flags: u8, version: u8, width: usize) -> Result<Vec<Filter>, DecodeError> {
    if flags & DELTA != 0 {
        return Err(unsupported("the filter delta"));
    }
    Ok(match flags & (SHUFFLED | BITS_SHUFFLED) {
        // Elements of one byte are not shuffled.
        SHUFFLED if width > 1 => vec![Filter::Shuffle(width)],
        BITS_SHUFFLED => vec![Filter::Bitshuffle(width.max(1), version == 2)],
        _ => Vec::new(),
    })
}

pub(super) fn damaged(what: &str) -> DecodeError {
    DecodeError::Damaged(format!("invalid Blosc data: {what}"))
}

pub(super) fn truncated() -> DecodeError {
    damaged("truncated")
}

pub(super) fn unsupported(what: &str) -> DecodeError {
    DecodeError::Unsupported(format!("Blosc with {what} is not supported"))
}
