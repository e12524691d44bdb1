//! Blocks that are filtered and compressed one by one.

use std::mem;

use rust_zstd::Decompressor;

use super::bitshuffle::unshuffle_bits;
use super::decode::{damaged, truncated, unsupported};
use super::{blosclz, snappy};
use crate::codec::{DecodeError, deflate, lz4, same_length, zstd};
use crate::shuffle::unshuffle;

/// Blocks that are filtered and compressed.
#[derive(Debug)]
pub(super) struct EncodedBlocks<'a> {
    /// The chunk with its header, for offsets.
    pub(super) bytes: &'a [u8],
    pub(super) header: usize,
    /// The size of an element.
    pub(super) width: usize,
    pub(super) split: bool,
    pub(super) codec: u8,
    /// In the order in which they were applied.
    pub(super) filters: Vec<Filter>,
}

/// A filter with its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filter {
    Shuffle(usize),
    /// For a size of elements, and whether it does nothing unless the number of elements is a multiple of eight.
    Bitshuffle(usize, bool),
    Delta(usize),
}

/// Memory for the blocks of chunks.
#[derive(Default)]
pub struct Scratch {
    block: Vec<u8>,
    zstd: Option<Decompressor>,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

impl EncodedBlocks<'_> {
    /// Decodes a block into `out`, which has its length. `short` is for a last block with a shorter one; `first` is the
    /// first block, if it is not that.
    pub(super) fn decode_block(
        &self,
        number: usize,
        short: bool,
        first: &[u8],
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), DecodeError> {
        let Scratch { block, zstd } = scratch;
        let moves = self.filters.iter().filter(|filter| !matches!(filter, Filter::Delta(_)));
        let moves = moves.count();
        if moves > 0 && block.len() < out.len() {
            block.resize(out.len(), 0);
        }
        let mut other = match moves {
            0 => &mut [][..],
            _ => &mut block[..out.len()],
        };
        let mut bytes = out;
        // After all moves, the bytes are in `out`.
        if moves % 2 == 1 {
            mem::swap(&mut bytes, &mut other);
        }
        self.decode_streams(number, short, bytes, zstd)?;
        for filter in self.filters.iter().rev() {
            match *filter {
                Filter::Shuffle(width) => unshuffle(bytes, width, other),
                Filter::Bitshuffle(width, all) => {
                    let eights = (bytes.len() / width.max(1)).is_multiple_of(8);
                    if all && !eights {
                        other.copy_from_slice(bytes);
                    } else {
                        unshuffle_bits(bytes, width, other);
                    }
                }
                Filter::Delta(width) => {
                    undo_delta(bytes, width, (number > 0).then_some(first));
                    continue;
                }
            }
            mem::swap(&mut bytes, &mut other);
        }
        Ok(())
    }

    /// Decompresses the streams of a block, each after its length.
    fn decode_streams(
        &self,
        number: usize,
        short: bool,
        out: &mut [u8],
        zstd: &mut Option<Decompressor>,
    ) -> Result<(), DecodeError> {
        let start = number.checked_mul(4).and_then(|at| at.checked_add(self.header));
        let start = start.and_then(|start| self.bytes.get(start..)).and_then(<[u8]>::first_chunk);
        let start = u32::from_le_bytes(*start.ok_or_else(truncated)?);
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let mut rest = self.bytes.get(start..).ok_or_else(truncated)?;
        let streams = if self.split && !short { self.width } else { 1 };
        if !out.len().is_multiple_of(streams) {
            return Err(damaged("a block with incomplete elements"));
        }
        for out in out.chunks_exact_mut((out.len() / streams).max(1)) {
            let (length, after) = rest.split_first_chunk().ok_or_else(truncated)?;
            let length = i32::from_le_bytes(*length);
            rest = match usize::try_from(length) {
                Ok(0) => {
                    out.fill(0);
                    after
                }
                Ok(length) => {
                    let (stream, after) = after.split_at_checked(length).ok_or_else(truncated)?;
                    self.decode_stream(stream, out, zstd)?;
                    after
                }
                // A repeated byte, if a bit is set.
                Err(_) => {
                    let (token, after) = after.split_first().ok_or_else(truncated)?;
                    let byte = u8::try_from(length.unsigned_abs());
                    let byte = byte.ok().filter(|_| token & 1 != 0);
                    out.fill(byte.ok_or_else(|| damaged("wrong length of a stream"))?);
                    after
                }
            };
        }
        Ok(())
    }

    fn decode_stream(
        &self,
        stream: &[u8],
        out: &mut [u8],
        zstd: &mut Option<Decompressor>,
    ) -> Result<(), DecodeError> {
        if stream.len() == out.len() {
            out.copy_from_slice(stream);
            return Ok(());
        }
        let found = match self.codec {
            0 => blosclz::decompress(stream, out)?,
            1 => lz4::decompress_block(stream, out)?,
            2 => snappy::decompress(stream, out)?,
            3 => deflate::unzlib(stream, out)?,
            4 => {
                let zstd = zstd.get_or_insert_with(Decompressor::new);
                zstd::decompress(zstd, stream, out)?
            }
            other => return Err(unsupported(&format!("format {other}"))),
        };
        same_length(found, out.len())
    }
}

/// Restores elements that were combined with the elements of the first block, or, in the first block, with the
/// previous element.
fn undo_delta(bytes: &mut [u8], width: usize, first: Option<&[u8]>) {
    let width = match width {
        1 | 2 | 4 | 8 => width,
        _ if width.is_multiple_of(8) => 8,
        _ => 1,
    };
    let whole = bytes.len() / width.max(1) * width;
    match first {
        Some(first) => {
            bytes[..whole].iter_mut().zip(first).for_each(|(byte, first)| *byte ^= first)
        }
        None => (width..whole).for_each(|at| bytes[at] ^= bytes[at - width]),
    }
}
