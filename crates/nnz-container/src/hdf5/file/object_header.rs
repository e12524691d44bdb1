//! Object headers (section IV.A.1): the messages of an object, in one block.

use nnz_core::{Error, Result};

use super::bytes::PutFields as _;
use super::checksum;
use super::message::Message;

/// Maximum size of a message: a multiple of 8 that fits in 2 bytes.
pub(super) const MAX_MESSAGE: usize = 65_528;

/// Encodes a header of version 1.
pub(super) fn encode_v1(messages: &[Message]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for message in messages {
        all.put_u16(message.kind);
        all.put_u16(body_len(message.body.len().next_multiple_of(8))?);
        all.extend([message.flags, 0, 0, 0]);
        all.extend_from_slice(&message.body);
        all.pad8();
    }
    let count = u16::try_from(messages.len()).map_err(|_| too_long())?;
    let mut out = vec![1, 0];
    out.put_u16(count);
    out.put_u32(1); // hard links
    out.put_u32(u32::try_from(all.len()).map_err(|_| too_long())?);
    out.put_u32(0); // the messages begin at a multiple of 8
    out.append(&mut all);
    Ok(out)
}

/// Size of a header that has only a continuation, of either version.
pub(in crate::hdf5) const STUB: u64 = 40;

/// Encodes a header that continues with the messages of another header, and the continuation, which replaces that
/// `header` at `address`. `None` if it has too many messages.
pub(super) fn encode_stub(header: &[u8], address: u64) -> Option<(Vec<u8>, Vec<u8>)> {
    if header.starts_with(b"OHDR") {
        // After the signature, the version, flags, and the length of the messages; before a checksum.
        let messages = header.get(10..header.len().checked_sub(4)?)?;
        let mut block = [b"OCHK", messages].concat();
        checksum::append(&mut block);
        let mut out = b"OHDR\x02\x00\x14\x10\x10\x00\x00".to_vec();
        out.put_u64(address);
        out.put_u64(block.len() as u64);
        checksum::append(&mut out);
        return Some((out, block));
    }
    let messages = header.get(16..)?;
    let count = u16::from_le_bytes([*header.get(2)?, *header.get(3)?]).checked_add(1)?;
    let mut out = vec![1, 0];
    out.put_u16(count);
    out.put_u32(1); // hard links
    out.put_u32(24); // bytes of the messages here
    out.put_u32(0);
    out.put_u16(0x0010); // a continuation: section IV.A.2.q
    out.put_u16(16);
    out.extend([0; 4]);
    out.put_u64(address + 16);
    out.put_u64(messages.len() as u64);
    Some((out, header.to_vec()))
}

/// Encodes a header of version 2.
pub(super) fn encode_v2(messages: &[Message]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for message in messages {
        all.push(u8::try_from(message.kind).map_err(|_| too_long())?);
        all.put_u16(body_len(message.body.len())?);
        all.push(message.flags);
        all.extend_from_slice(&message.body);
    }
    let mut out = b"OHDR".to_vec();
    // Version; the length of the messages has 4 bytes, no times are stored.
    out.extend([2, 0b10]);
    out.put_u32(u32::try_from(all.len()).map_err(|_| too_long())?);
    out.append(&mut all);
    checksum::append(&mut out);
    Ok(out)
}

fn body_len(len: usize) -> Result<u16> {
    u16::try_from(len).map_err(|_| Error::argument("a header message of 64 KiB or more"))
}

fn too_long() -> Error {
    Error::argument("more attributes than an object has room for")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_version_1_are_padded() {
        let messages = [
            Message { kind: 5, flags: 1, body: vec![2, 2, 2, 1, 0, 0, 0, 0] },
            Message { kind: 3, flags: 0, body: vec![9; 3] },
        ];
        let expected = [
            1, 0, 2, 0, // version, reserved, messages
            1, 0, 0, 0, // links
            32, 0, 0, 0, 0, 0, 0, 0, // bytes of messages, padding
            5, 0, 8, 0, 1, 0, 0, 0, // type, size, flags, reserved
            2, 2, 2, 1, 0, 0, 0, 0, //
            3, 0, 8, 0, 0, 0, 0, 0, //
            9, 9, 9, 0, 0, 0, 0, 0,
        ];
        assert_eq!(encode_v1(&messages).unwrap(), expected);
    }

    #[test]
    fn messages_of_version_2_are_packed() {
        let bytes = encode_v2(&[Message { kind: 3, flags: 1, body: vec![9; 3] }]).unwrap();
        let expected = [b'O', b'H', b'D', b'R', 2, 2, 7, 0, 0, 0, 3, 3, 0, 1, 9, 9, 9];
        assert_eq!(bytes[..17], expected);
        assert_eq!(bytes[17..], checksum::lookup3(&expected).to_le_bytes());
    }
}
