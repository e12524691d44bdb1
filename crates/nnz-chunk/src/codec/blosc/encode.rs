//! Writing frames with LZ4 and shuffled bytes.
//!
//! <https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst>

use crate::shuffle::shuffle;

/// Versions of the formats of Blosc and LZ4.
const VERSIONS: [u8; 2] = [2, 1];

/// Flags of a frame.
const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const NOT_SPLIT: u8 = 16;
const LZ4: u8 = 1 << 5;

/// Size of a block. It and its shuffled bytes fit into the L2 cache.
const BLOCK: usize = 256 << 10;

/// Compresses elements of `width` bytes into a frame.
pub(super) fn compress(bytes: &[u8], width: usize) -> Vec<u8> {
    // Wider elements have no width in the header.
    let width = u8::try_from(width).unwrap_or(1).max(1);
    let element = usize::from(width);
    let block = (BLOCK / element * element).min(bytes.len()).max(1);
    let shuffled = if element > 1 { SHUFFLED } else { 0 };
    let mut frame = header(LZ4 | NOT_SPLIT | shuffled, width, bytes.len(), block);
    let blocks = bytes.len().div_ceil(block);
    let starts = frame.len();
    frame.resize(starts + 4 * blocks, 0);
    let mut planes = vec![0; if element > 1 { block } else { 0 }];
    let mut packed = vec![0; lz4_flex::block::get_maximum_output_size(block)];
    for (number, block) in bytes.chunks(block).enumerate() {
        let start = frame.len();
        let at = starts + 4 * number;
        frame[at..at + 4].copy_from_slice(&number_of(start));
        let block = match element {
            1 => block,
            _ => {
                let planes = &mut planes[..block.len()];
                shuffle(block, element, planes);
                planes
            }
        };
        // A stream that does not get smaller is stored as it is.
        let found = lz4_flex::block::compress_into(block, &mut packed);
        let stream = match found {
            Ok(len) if len < block.len() => &packed[..len],
            _ => block,
        };
        frame.extend(number_of(stream.len()));
        frame.extend_from_slice(stream);
    }
    if frame.len() >= bytes.len() + HEADER {
        frame = header(LZ4 | NOT_SPLIT | shuffled | COPIED, width, bytes.len(), block);
        frame.extend_from_slice(bytes);
    }
    let len = number_of(frame.len());
    frame[12..HEADER].copy_from_slice(&len);
    frame
}

const HEADER: usize = 16;

/// Returns a header without the length of the frame.
fn header(flags: u8, width: u8, bytes: usize, block: usize) -> Vec<u8> {
    let [version, lz4] = VERSIONS;
    let mut header = vec![version, lz4, flags, width];
    header.extend(number_of(bytes));
    header.extend(number_of(block));
    header.extend([0; 4]);
    header
}

/// Chunks have less than 2 GiB.
fn number_of(len: usize) -> [u8; 4] {
    u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_a_header() {
        let frame = compress(&[7; 64], 4);
        let expected = [
            &[2, 1, 0x31, 4][..], // versions, flags, width
            &[64, 0, 0, 0],       // bytes
            &[64, 0, 0, 0],       // block
        ];
        assert_eq!(frame[..12], expected.concat());
        assert_eq!(frame[12..16], number_of(frame.len()));
        assert!(frame.len() < 64);
    }

    #[test]
    fn what_does_not_get_smaller_is_copied() {
        let frame = compress(&[1, 2, 3], 1);
        assert_eq!(frame[2] & COPIED, COPIED);
        assert_eq!(frame[16..], [1, 2, 3]);
        assert_eq!(compress(&[], 8).len(), HEADER);
    }
}
