//! The data layout message (section IV.A.2.i), version 3.

use nnz_core::{Error, Result};

use super::super::UNDEFINED;
use super::super::bytes::PutFields as _;
use super::Message;

/// Layout classes.
const COMPACT: u8 = 0;
const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;

/// Maximum size of compact data: a message has at most 65,535 bytes.
pub(in super::super) const MAX_COMPACT: u64 = 64_000;

const VERSION: u8 = 3;

/// Encodes the layout of compact data, which is in the message.
pub(in super::super) fn compact(data: &[u8]) -> Result<Message> {
    let len = u16::try_from(data.len());
    let len = len.map_err(|_| Error::argument("compact data of 64 KiB or more"))?;
    let mut body = vec![VERSION, COMPACT];
    body.put_u16(len);
    body.extend_from_slice(data);
    Ok(Message::new(0x0008, body))
}

/// Encodes the layout of contiguous data. Empty data has an undefined address.
pub(in super::super) fn contiguous(address: u64, bytes: u64) -> Message {
    let mut body = vec![VERSION, CONTIGUOUS];
    body.put_u64(if bytes == 0 { UNDEFINED } else { address });
    body.put_u64(bytes);
    Message::new(0x0008, body)
}

/// Encodes the layout of chunks with an index in a B-tree.
pub(in super::super) fn chunked(btree: u64, chunk: &[u32], element: u32) -> Message {
    // The size of an element counts as a dimension. A dataspace has at most 32.
    let rank = u8::try_from(chunk.len() + 1).unwrap_or(u8::MAX);
    let mut body = vec![VERSION, CHUNKED, rank];
    body.put_u64(btree);
    chunk.iter().for_each(|len| body.put_u32(*len));
    body.put_u32(element);
    Message::new(0x0008, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_encoded() {
        assert_eq!(compact(&[7, 8]).unwrap().body, [3, 0, 2, 0, 7, 8]);
        assert!(compact(&[0; 1 << 16]).is_err());
        let address = [0x34, 0x12, 0, 0, 0, 0, 0, 0];
        let expected = [&[3, 1][..], &address, &[9, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(contiguous(0x1234, 9).body, expected);
        assert_eq!(contiguous(0x1234, 0).body[2..10], [255; 8]);
        let expected =
            [&[3, 2, 3][..], &address, &[2, 0, 0, 0], &[5, 1, 0, 0], &[4, 0, 0, 0]].concat();
        assert_eq!(chunked(0x1234, &[2, 261], 4).body, expected);
    }
}
