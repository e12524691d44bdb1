//! The filter szip: extended Rice coding, after the decoded length.
//!
//! The coding is described in CCSDS 121.0-B-3, Lossless Data Compression,
//! <https://public.ccsds.org/Pubs/121x0b3.pdf>; what szip adds to it, in libaec,
//! <https://gitlab.dkrz.de/k202009/libaec/-/blob/master/src/sz_compat.c>.

use super::bits::Bits;
use super::{DecodeError, size, truncated};
use nnz_chunk::codec::zeroed;
use nnz_chunk::shuffle::unshuffle;

/// Options.
const BIG_ENDIAN: u32 = 16;
const PREPROCESSED: u32 = 32;

/// The maximum number of pixels of a block, and of blocks of a line.
const MOST_PIXELS: usize = 64;
const MOST_BLOCKS: usize = 128;

/// The number of blocks in which zero blocks are counted.
const SEGMENT: usize = 64;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(
    stored: &[u8],
    parameters: &[u32],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let &[options, block, bits, line, ..] = parameters else {
        return Err(DecodeError::damaged("missing filter parameters"));
    };
    let (length, packed) = stored.split_first_chunk().ok_or_else(truncated)?;
    let length = size(u32::from_le_bytes(*length));
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    // The bytes of large pixels are pixels, which are shuffled.
    let (width, bits) = match bits {
        32 => (4, 8),
        64 => (8, 8),
        bits => (1, bits),
    };
    let (block, line) = (size(block), size(line));
    let valid = (1..=32).contains(&bits)
        && (1..=MOST_PIXELS).contains(&block)
        && (1..=MOST_BLOCKS * block).contains(&line);
    if !valid {
        let what = format!("lines of {line} pixels of {bits} bits in blocks of {block}");
        return Err(DecodeError::Damaged(what));
    }
    let mut coded = CodedPixels {
        bits: Bits::new(packed),
        depth: bits,
        block,
        blocks: line.div_ceil(block),
        preprocessed: options & PREPROCESSED != 0,
        pixels: Vec::new(),
    };
    let big = options & BIG_ENDIAN != 0;
    if width == 1 {
        coded.decode(line, big, out)?;
    } else {
        let mut shuffled = zeroed(length)?;
        coded.decode(line, big, &mut shuffled)?;
        unshuffle(&shuffled, width, out);
    }
    Ok(length)
}

/// Coded pixels.
struct CodedPixels<'a> {
    bits: Bits<'a>,
    /// The number of bits of a pixel, at most 32.
    depth: u32,
    /// The numbers of pixels of a block and of blocks of a line.
    block: usize,
    blocks: usize,
    /// Whether pixels are differences to the one before, except for the first of a line.
    preprocessed: bool,
    /// The pixels of the current line.
    pixels: Vec<u32>,
}

impl CodedPixels<'_> {
    /// Decodes lines of pixels until `out` is full.
    fn decode(&mut self, line: usize, big: bool, out: &mut [u8]) -> Result<(), DecodeError> {
        let bytes = match self.depth {
            ..=8 => 1,
            9..=16 => 2,
            _ => 4,
        };
        if !out.len().is_multiple_of(bytes) {
            return Err(DecodeError::damaged("truncated in a pixel"));
        }
        for out in out.chunks_mut(line * bytes) {
            self.decode_line(out.len() / bytes)?;
            for (out, pixel) in out.chunks_exact_mut(bytes).zip(&self.pixels) {
                out.iter_mut().zip(pixel.to_le_bytes()).for_each(|(byte, from)| *byte = from);
                if big {
                    out.reverse();
                }
            }
        }
        Ok(())
    }

    /// Decodes the blocks of a line up to a number of pixels.
    fn decode_line(&mut self, wanted: usize) -> Result<(), DecodeError> {
        self.pixels.clear();
        while self.pixels.len() < wanted {
            self.decode_block()?;
        }
        if self.preprocessed {
            self.undo_differences();
        }
        Ok(())
    }

    /// Decodes a block, or blocks of zeros.
    fn decode_block(&mut self) -> Result<(), DecodeError> {
        let id_bits = match self.depth {
            ..=8 => 3,
            9..=16 => 4,
            _ => 5,
        };
        let start = self.pixels.len();
        // The first pixel of a line is stored as it is.
        let reference = self.preprocessed && start == 0;
        let (end, raw) = (start + self.block, (1 << id_bits) - 1);
        let id = self.bits.take(id_bits)?;
        if id == raw {
            return self.take_pixels(end, self.depth);
        }
        let sequences = id == 0 && self.bits.take(1)? == 1;
        if reference {
            self.take_pixels(1, self.depth)?;
        }
        match id {
            0 if sequences => self.take_pairs(end),
            0 => self.take_zero_blocks(start),
            _ => self.take_split(end, u32::try_from(id - 1).unwrap_or(0)),
        }
    }

    /// Takes pixels of a number of bits up to the end of a block.
    fn take_pixels(&mut self, end: usize, depth: u32) -> Result<(), DecodeError> {
        while self.pixels.len() < end {
            let pixel = self.bits.take(depth)?;
            self.pixels.push(u32::try_from(pixel).unwrap_or(u32::MAX));
        }
        Ok(())
    }

    /// Takes pixels whose high bits come first, as numbers of zeros, and then their lowest `low` bits.
    fn take_split(&mut self, end: usize, low: u32) -> Result<(), DecodeError> {
        let first = self.pixels.len();
        while self.pixels.len() < end {
            let high = u32::try_from(self.bits.take_zeros()?).unwrap_or(u32::MAX);
            self.pixels.push(high << low);
        }
        if low > 0 {
            for pixel in self.pixels.iter_mut().skip(first) {
                *pixel |= u32::try_from(self.bits.take(low)?).unwrap_or(u32::MAX);
            }
        }
        Ok(())
    }

    /// Takes pairs of pixels, each as one number.
    ///
    /// In a block with a reference, that is the first pixel of the first pair.
    fn take_pairs(&mut self, end: usize) -> Result<(), DecodeError> {
        while self.pixels.len() < end {
            let number = self.bits.take_zeros()?;
            // The sum of the pair is at most 12.
            let sum = (0..13).rev().find(|sum| sum * (sum + 1) / 2 <= number).unwrap_or(0);
            let second = u32::try_from(number - sum * (sum + 1) / 2).unwrap_or(u32::MAX);
            let sum = u32::try_from(sum).unwrap_or(0);
            let first = sum.checked_sub(second);
            let first = first.ok_or_else(|| DecodeError::damaged("an invalid pair"))?;
            if self.pixels.len().is_multiple_of(2) {
                self.pixels.push(first);
            }
            self.pixels.push(second);
        }
        Ok(())
    }

    /// Takes a number of blocks of zeros, the first of which starts at a pixel.
    fn take_zero_blocks(&mut self, start: usize) -> Result<(), DecodeError> {
        let at = start / self.block;
        let left = self.blocks.saturating_sub(at);
        let blocks = match self.bits.take_zeros()? {
            // All blocks to the end of the segment or line.
            4 => left.min(SEGMENT - at % SEGMENT),
            few @ 0..4 => usize::try_from(few + 1).unwrap_or(usize::MAX),
            many => usize::try_from(many).unwrap_or(usize::MAX),
        };
        if blocks > left {
            return Err(DecodeError::damaged("too many blocks of zeros"));
        }
        self.pixels.resize(start + blocks * self.block, 0);
        Ok(())
    }

    /// Adds the differences in a line to its first pixel.
    ///
    /// Even numbers are differences of zero and more, odd ones negative, while both are possible. Larger numbers are
    /// distances from the farther end of the range.
    fn undo_differences(&mut self) {
        let most = u32::MAX >> (32 - self.depth);
        let mut pixels = self.pixels.iter_mut();
        let Some(mut value) = pixels.next().map(|first| *first) else { return };
        for pixel in pixels {
            let number = *pixel;
            let is_high = value > most / 2;
            let room = if is_high { most ^ value } else { value };
            value = match number.div_ceil(2) {
                half if half > room && is_high => most.wrapping_sub(number),
                half if half > room => number,
                half if number % 2 == 1 => value.wrapping_sub(half),
                half => value.wrapping_add(half),
            };
            value &= most;
            *pixel = value;
        }
    }
}
