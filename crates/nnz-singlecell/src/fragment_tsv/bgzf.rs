//! BGZF: gzip members of limited size, as written by `bgzip`, which allow random access.

use std::ops::Range;

use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor, crc32};

/// The largest text of a block, in bytes.
pub(super) const LARGEST_TEXT: usize = 64 << 10;
/// The largest block, in bytes.
pub(super) const LARGEST_BLOCK: usize = 64 << 10;
/// The text that writers put into a block: so short that no block exceeds the limit.
pub(super) const TEXT: usize = 0xff00;

/// The empty block at the end of a file.
pub(super) const END: [u8; 28] = [
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 27,
    0, // a block of 28 bytes
    3, 0, // no text
    0, 0, 0, 0, 0, 0, 0, 0, // its checksum and length
];

/// The magic bytes of gzip, deflate, and the flag for extra fields only.
const START: [u8; 4] = [0x1f, 0x8b, 8, 4];
/// Bytes before the extra fields.
const FIXED: usize = 12;
const CHECKS: usize = 8;

/// The format detected from some first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// A block, its length, and the position of its compressed data.
    Block { len: usize, data: Range<usize> },
    /// Less than the header of a block, but possibly the beginning of one.
    Short,
    /// Another gzip member.
    Gzip,
    /// Not compressed data.
    Other,
}

/// Returns what some bytes are the beginning of.
pub(super) fn beginning(bytes: &[u8]) -> Beginning {
    let Some(start) = bytes.first_chunk::<4>() else {
        return if START.starts_with(bytes) { Beginning::Short } else { Beginning::Other };
    };
    if *start != START {
        let gzip = start.starts_with(&[0x1f, 0x8b]);
        return if gzip { Beginning::Gzip } else { Beginning::Other };
    }
    let number = |at: usize| match bytes.get(at..at + 2) {
        Some(&[low, high]) => Some(usize::from(u16::from_le_bytes([low, high]))),
        _ => None,
    };
    let Some(extra) = number(FIXED - 2) else {
        return Beginning::Short;
    };
    let data = FIXED + extra;
    let mut at = FIXED;
    while at + 4 <= data {
        let Some(len) = number(at + 2) else {
            return Beginning::Short;
        };
        if bytes[at..].starts_with(b"BC") && len == 2 && at + 6 <= data {
            let Some(size) = number(at + 4) else {
                return Beginning::Short;
            };
            let len = size + 1;
            return match len.checked_sub(CHECKS) {
                Some(end) if end > data => Beginning::Block { len, data: data..end },
                _ => Beginning::Gzip,
            };
        }
        at += 4 + len;
    }
    Beginning::Gzip
}

/// Returns the length of the text according to a complete block.
pub(super) fn stated_len(block: &[u8]) -> u32 {
    block.last_chunk().map_or(0, |len| u32::from_le_bytes(*len))
}

/// Inflates the data of a complete block to the start of `text`, and returns the length.
pub(super) fn inflate(
    inflater: &mut Decompressor,
    block: &[u8],
    data: Range<usize>,
    text: &mut [u8],
) -> Result<usize, String> {
    let stated = stated_len(block) as usize;
    let Some(text) = text.get_mut(..stated).filter(|_| stated <= LARGEST_TEXT) else {
        return Err(format!("a block of {stated} bytes of text, more than {LARGEST_TEXT}"));
    };
    let data = block.get(data).unwrap_or(&[]);
    let damaged = |what: &str| Err(format!("damaged compressed data ({what})"));
    match inflater.deflate_decompress(data, text) {
        Ok(len) if len == stated => {}
        Ok(_) => return damaged("less text than stated"),
        Err(DecompressionError::InsufficientSpace) => return damaged("more text than stated"),
        Err(DecompressionError::BadData) => return damaged("it cannot be inflated"),
    }
    let checks = block.len().saturating_sub(CHECKS);
    let stated_sum = block.get(checks..).and_then(<[u8]>::first_chunk::<4>);
    if stated_sum != Some(&crc32(text).to_le_bytes()) {
        return damaged("wrong checksum");
    }
    Ok(stated)
}

/// Creates blocks.
pub(super) struct Deflater {
    deflater: Compressor,
    /// Stores text that cannot be compressed.
    storer: Compressor,
}

impl Default for Deflater {
    fn default() -> Self {
        let of_level = |level| CompressionLvl::new(level).unwrap_or_default();
        Self { deflater: Compressor::new(of_level(6)), storer: Compressor::new(of_level(0)) }
    }
}

impl Deflater {
    /// Appends a block with at most [`TEXT`] bytes of text, and returns the length of the block.
    pub(super) fn block(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        let start = out.len();
        let done = deflate(&mut self.deflater, text, out) || deflate(&mut self.storer, text, out);
        if !done {
            return Err(format!("{} bytes that do not fit into a block", text.len()));
        }
        Ok(out.len() - start)
    }
}

/// Appends a block; `false` if it does not fit, and then nothing is appended.
fn deflate(deflater: &mut Compressor, text: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let header = END.len() - CHECKS - 2;
    out.extend_from_slice(&END[..header]);
    let data = out.len();
    out.resize(start + LARGEST_BLOCK - CHECKS, 0);
    let Ok(len) = deflater.deflate_compress(text, &mut out[data..]) else {
        out.truncate(start);
        return false;
    };
    out.truncate(data + len);
    out.extend_from_slice(&crc32(text).to_le_bytes());
    // Text has no more bytes than the largest block.
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    // No block is longer than 2^16.
    let size = u16::try_from(out.len() - start - 1).unwrap_or(u16::MAX).to_le_bytes();
    out[data - 2..data].copy_from_slice(&size);
    true
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    #[test]
    fn the_end_is_an_empty_block() {
        assert_eq!(beginning(&END), Beginning::Block { len: 28, data: 18..20 });
        let mut inflater = Decompressor::new();
        assert_eq!(inflate(&mut inflater, &END, 18..20, &mut []), Ok(0));
    }

    #[test]
    fn other_fields_may_come_before_the_size() {
        let mut block = END[..10].to_vec();
        block.extend_from_slice(&[12, 0, b'X', b'Y', 2, 0, 7, 7, b'B', b'C', 2, 0, 33, 0]);
        assert_eq!(beginning(&block), Beginning::Block { len: 34, data: 24..26 });
        for len in 0..block.len() {
            assert_eq!(beginning(&block[..len]), Beginning::Short, "{len}");
        }
        // A size without space for data, no size, and other members.
        block[22] = 31;
        assert_eq!(beginning(&block), Beginning::Gzip);
        block[18] = b'Z';
        assert_eq!(beginning(&block), Beginning::Gzip);
        assert_eq!(beginning(&[0x1f, 0x8b, 8, 0]), Beginning::Gzip);
        assert_eq!(beginning(b"chr1"), Beginning::Other);
    }

    #[test]
    fn blocks_round_trip() {
        let mut random = Random::new(1);
        let noise: Vec<u8> = (0..TEXT).map(|_| random.next().to_be_bytes()[0]).collect();
        let mut deflater = Deflater::default();
        for text in [&noise[..], &[b'A'; TEXT], b"chr1\t1\t2\tA\n", &noise[..100], b""] {
            let mut block = vec![7];
            let len = deflater.block(text, &mut block).unwrap();
            let block = &block[1..];
            assert_eq!(block.len(), len);
            let Beginning::Block { len: stated, data } = beginning(block) else { panic!() };
            assert_eq!(stated, len);
            let mut back = vec![0; LARGEST_TEXT];
            let mut inflater = Decompressor::new();
            let len = inflate(&mut inflater, block, data.clone(), &mut back).unwrap();
            assert_eq!(&back[..len], text);
            for at in (data.start..block.len()).rev().take(100) {
                let mut damaged = block.to_vec();
                damaged[at] ^= 1;
                match inflate(&mut inflater, &damaged, data.clone(), &mut back) {
                    Err(_) => {}
                    // A bit after the last code has no meaning.
                    Ok(len) => assert!(at < data.end && back[..len] == *text, "byte {at}"),
                }
            }
        }
    }
}
