//! Reading frames: blocks that are shuffled and compressed one by one.

use rust_zstd::Decompressor;

use super::bitshuffle::unshuffle_bits;
use super::blosclz;
use crate::codec::{Undecoded, deflate, lz4, same_length, zeroed, zstd};
use crate::shuffle::unshuffle;

const HEADER: usize = 16;

/// Flags of a frame.
const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const BITS_SHUFFLED: u8 = 4;
const NOT_SPLIT: u8 = 16;

/// Blocks of wider elements, or of fewer elements, are not split into one stream for each byte of
/// an element.
const MAX_STREAMS: usize = 16;
const MIN_ELEMENTS: usize = 128;

/// The header of a frame.
struct Frame<'a> {
    bytes: &'a [u8],
    flags: u8,
    width: usize,
    block: usize,
}

/// Decompresses a frame into `out` and returns its length.
pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<usize, Undecoded> {
    let damaged = |what: &str| Undecoded::Damaged(format!("invalid Blosc data: {what}"));
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Err(damaged("the header is missing"));
    };
    let number = |at: usize| {
        let number = header[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
    };
    let (length, block, packed) = (number(4), number(8), number(12));
    if packed != bytes.len() {
        return Err(damaged(&format!("{packed} bytes by its header")));
    }
    let out = out.get_mut(..length).ok_or(Undecoded::TooLong)?;
    let frame = Frame { bytes, flags: header[2], width: usize::from(header[3]).max(1), block };
    if frame.flags & COPIED != 0 {
        let copied = rest.get(..length).ok_or_else(|| damaged("it is truncated"))?;
        out.copy_from_slice(copied);
        return Ok(length);
    }
    if length == 0 {
        return Ok(0);
    }
    if block == 0 {
        return Err(damaged("blocks of 0 bytes"));
    }
    let mut unpacked = zeroed(block.min(length))?;
    for (at, out) in out.chunks_mut(block).enumerate() {
        let start = rest.get(4 * at..).and_then(<[u8]>::first_chunk);
        let start = start.ok_or_else(|| damaged("it is truncated"))?;
        let start = usize::try_from(u32::from_le_bytes(*start)).unwrap_or(usize::MAX);
        frame.decode_block(start, out, &mut unpacked[..out.len()])?;
    }
    Ok(length)
}

impl Frame<'_> {
    fn decode_block(
        &self,
        start: usize,
        out: &mut [u8],
        unpacked: &mut [u8],
    ) -> Result<(), Undecoded> {
        // Elements of one byte are not shuffled.
        let by_bytes = self.flags & SHUFFLED != 0 && self.width > 1;
        let by_bits = self.flags & BITS_SHUFFLED != 0;
        if !by_bytes && !by_bits {
            return self.decode_streams(start, out);
        }
        self.decode_streams(start, unpacked)?;
        if by_bytes {
            unshuffle(unpacked, self.width, out);
        } else {
            unshuffle_bits(unpacked, self.width, out);
        }
        Ok(())
    }

    /// Decompresses the streams of a block, each after its length.
    fn decode_streams(&self, start: usize, out: &mut [u8]) -> Result<(), Undecoded> {
        let short = || Undecoded::damaged("invalid Blosc data: it is truncated");
        let split = self.flags & NOT_SPLIT == 0
            && self.width <= MAX_STREAMS
            && self.block / self.width >= MIN_ELEMENTS
            && out.len() == self.block;
        let streams = if split { self.width } else { 1 };
        if !out.len().is_multiple_of(streams) {
            return Err(Undecoded::damaged("invalid Blosc data: a block with incomplete elements"));
        }
        let mut rest = self.bytes.get(start..).ok_or_else(short)?;
        for out in out.chunks_exact_mut((out.len() / streams).max(1)) {
            let (length, after) = rest.split_first_chunk().ok_or_else(short)?;
            let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let (stream, after) = after.split_at_checked(length).ok_or_else(short)?;
            self.decode_stream(stream, out)?;
            rest = after;
        }
        Ok(())
    }

    fn decode_stream(&self, stream: &[u8], out: &mut [u8]) -> Result<(), Undecoded> {
        if stream.len() == out.len() {
            out.copy_from_slice(stream);
            return Ok(());
        }
        let found = match self.flags >> 5 {
            0 => blosclz::decompress(stream, out)?,
            1 => lz4::decompress_block(stream, out)?,
            3 => deflate::unzlib(stream, out)?,
            4 => zstd::decompress(&mut Decompressor::new(), stream, out)?,
            2 => return Err(unsupported("snappy")),
            other => return Err(unsupported(&format!("format {other}"))),
        };
        same_length(found, out.len())
    }
}

fn unsupported(what: &str) -> Undecoded {
    Undecoded::Unsupported(format!("Blosc with {what} is not supported"))
}
