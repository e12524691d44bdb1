//! BGZF, the gzip members of limited size that `bgzip` writes, and other programs jump among.

use std::ops::Range;

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

/// The most text of a block.
pub(super) const LARGEST_TEXT: usize = 64 << 10;
/// The most bytes of a block.
pub(super) const LARGEST_BLOCK: usize = 64 << 10;
/// The text that writers put into a block: whatever it is, it does not grow past the limit.
pub(super) const TEXT: usize = 0xff00;

/// The block without text that ends a file.
pub(super) const END: [u8; 28] = [
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 27,
    0, // a block of 28 bytes
    3, 0, // no text
    0, 0, 0, 0, 0, 0, 0, 0, // its checksum and length
];

/// Gzip's number, deflate, and that there are extra fields and nothing else beside.
const START: [u8; 4] = [0x1f, 0x8b, 8, 4];
/// Bytes before the extra fields.
const FIXED: usize = 12;
const CHECKS: usize = 8;

/// What bytes are the beginning of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// A block, and how long it is and where its compressed data lies.
    Block { len: usize, data: Range<usize> },
    /// Less than the header of a block. More bytes may make one of it.
    Short,
    /// A gzip member of another kind.
    Gzip,
    /// Nothing compressed.
    Other,
}

/// Says what bytes are the beginning of.
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

/// Returns the length of its text that a whole block states.
pub(super) fn stated_len(block: &[u8]) -> u32 {
    block.last_chunk().map_or(0, |len| u32::from_le_bytes(*len))
}

/// Inflates the data of a whole block to the start of `text`, and returns the length.
pub(super) fn inflate(
    inflater: &mut Decompress,
    block: &[u8],
    data: Range<usize>,
    text: &mut [u8],
) -> Result<usize, String> {
    let stated = stated_len(block) as usize;
    let Some(text) = text.get_mut(..stated).filter(|_| stated <= LARGEST_TEXT) else {
        return Err(format!("a block of {stated} bytes of text, more than {LARGEST_TEXT}"));
    };
    let data = block.get(data).unwrap_or(&[]);
    inflater.reset(false);
    let status = inflater.decompress(data, text, FlushDecompress::Finish);
    let damaged = |what: &str| Err(format!("damaged compressed data ({what})"));
    match status {
        Err(error) => return damaged(&error.to_string()),
        Ok(Status::StreamEnd) => {}
        Ok(_) if inflater.total_out() == stated as u64 => return damaged("it does not end"),
        Ok(_) => return damaged("it ends early, or is longer than stated"),
    }
    if inflater.total_out() != stated as u64 || inflater.total_in() != data.len() as u64 {
        return damaged("another length than stated");
    }
    let mut sum = Crc::new();
    sum.update(text);
    let checks = block.len().saturating_sub(CHECKS);
    let stated_sum = block.get(checks..).and_then(<[u8]>::first_chunk::<4>);
    if stated_sum != Some(&sum.sum().to_le_bytes()) {
        return damaged("its checksum is another");
    }
    Ok(stated)
}

/// Makes blocks of text.
pub(super) struct Deflater {
    deflater: Compress,
    /// Stores what does not get smaller.
    storer: Compress,
}

impl Default for Deflater {
    fn default() -> Self {
        Self {
            deflater: Compress::new(Compression::new(6), false),
            storer: Compress::new(Compression::none(), false),
        }
    }
}

impl Deflater {
    /// Appends a block of at most [`TEXT`] bytes of text, and returns how long the block is.
    pub(super) fn block(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        let start = out.len();
        let done = deflate(&mut self.deflater, text, out)? || {
            out.truncate(start);
            deflate(&mut self.storer, text, out)?
        };
        if !done {
            out.truncate(start);
            return Err(format!("{} bytes that do not fit a block", text.len()));
        }
        Ok(out.len() - start)
    }
}

/// Appends a block; `false` where it does not fit.
fn deflate(deflater: &mut Compress, text: &[u8], out: &mut Vec<u8>) -> Result<bool, String> {
    let start = out.len();
    let header = END.len() - CHECKS - 2;
    out.extend_from_slice(&END[..header]);
    out.reserve(LARGEST_BLOCK);
    deflater.reset();
    let status = deflater.compress_vec(text, out, FlushCompress::Finish);
    let len = out.len() - start + CHECKS;
    if status.map_err(|error| error.to_string())? != Status::StreamEnd || len > LARGEST_BLOCK {
        return Ok(false);
    }
    let mut sum = Crc::new();
    sum.update(text);
    out.extend_from_slice(&sum.sum().to_le_bytes());
    out.extend_from_slice(&sum.amount().to_le_bytes());
    // No block is longer than 2^16.
    let size = u16::try_from(len - 1).unwrap_or(u16::MAX).to_le_bytes();
    out[start + header - 2..start + header].copy_from_slice(&size);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_a_block_without_text() {
        assert_eq!(beginning(&END), Beginning::Block { len: 28, data: 18..20 });
        let mut inflater = Decompress::new(false);
        assert_eq!(inflate(&mut inflater, &END, 18..20, &mut []), Ok(0));
        let mut out = Vec::new();
        Deflater::default().block(b"", &mut out).unwrap();
        assert_eq!(out, END);
    }

    #[test]
    fn other_fields_may_come_before_the_size() {
        let mut block = END[..10].to_vec();
        block.extend_from_slice(&[12, 0, b'X', b'Y', 2, 0, 7, 7, b'B', b'C', 2, 0, 33, 0]);
        assert_eq!(beginning(&block), Beginning::Block { len: 34, data: 24..26 });
        for len in 0..block.len() {
            assert_eq!(beginning(&block[..len]), Beginning::Short, "{len}");
        }
        // A size that leaves no room for data, no size at all, and other members.
        block[22] = 31;
        assert_eq!(beginning(&block), Beginning::Gzip);
        block[18] = b'Z';
        assert_eq!(beginning(&block), Beginning::Gzip);
        assert_eq!(beginning(&[0x1f, 0x8b, 8, 0]), Beginning::Gzip);
        assert_eq!(beginning(b"chr1"), Beginning::Other);
    }

    #[test]
    fn blocks_read_back_whatever_they_hold() {
        let mut random = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random.to_be_bytes()[0]
        })
        .take(TEXT)
        .collect();
        let mut deflater = Deflater::default();
        for text in [&noise[..], &[b'A'; TEXT], b"chr1\t1\t2\tA\n", &noise[..100]] {
            let mut block = vec![7];
            let len = deflater.block(text, &mut block).unwrap();
            let block = &block[1..];
            assert_eq!(block.len(), len);
            let Beginning::Block { len: stated, data } = beginning(block) else { panic!() };
            assert_eq!(stated, len);
            let mut back = vec![0; LARGEST_TEXT];
            let mut inflater = Decompress::new(false);
            let len = inflate(&mut inflater, block, data.clone(), &mut back).unwrap();
            assert_eq!(&back[..len], text);
            for at in len - 8..len {
                let mut damaged = block.to_vec();
                let at = at % damaged.len();
                damaged[at] ^= 1;
                if at >= data.start {
                    let data = data.clone();
                    assert!(inflate(&mut inflater, &damaged, data, &mut back).is_err());
                }
            }
        }
    }
}
