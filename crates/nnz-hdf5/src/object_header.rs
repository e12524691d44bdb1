//! Object headers (section IV.A.1): the messages of an object, in one block or several.

use std::collections::BTreeSet;

use nnz_core::{Error, Result};

use crate::bytes::{Fields, PutFields as _};
use crate::fault::{invalid, unsupported};
use crate::message::{Message, MessageType};
use crate::read::file::File;
use crate::{UNDEFINED, checksum};

/// Maximum size of a header with all of its blocks. Headers have metadata and small attributes; real ones have several
/// KiB.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// The messages of an object, as they are stored.
#[derive(Debug)]
pub(crate) struct ObjectHeader {
    pub(crate) version: u8,
    /// The number of hard links to the object, and the address of this number if it is stored.
    pub(crate) links: (u32, Option<u64>),
    /// Whether messages have a creation order, and whether dense attributes are indexed by it.
    pub(crate) ordered: bool,
    pub(crate) indexed: bool,
    pub(crate) blocks: Vec<Block>,
    pub(crate) messages: Vec<StoredMessage>,
}

/// A block of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The address of the bytes that its checksum covers; in version 1 there is none.
    pub(crate) start: u64,
    /// The address of its messages, and their size.
    pub(crate) messages: u64,
    pub(crate) bytes: usize,
}

/// A message, the block it is in, and the address of its body.
#[derive(Debug)]
pub(crate) struct StoredMessage {
    pub(crate) message: Message,
    pub(crate) order: u16,
    pub(crate) block: usize,
    pub(crate) body: u64,
}

impl ObjectHeader {
    /// Reads a header.
    pub(crate) fn read(file: &File, address: u64) -> Result<Self> {
        if address == UNDEFINED {
            return Err(invalid("an object without an address"));
        }
        let mut head = vec![0; 16.min(file.room(address))];
        file.read_metadata_at(address, &mut head)?;
        let mut fields = Fields(&head);
        let (version, first, links, [ordered, indexed]) = if head.starts_with(b"OHDR") {
            fields.signature(b"OHDR", 2)?;
            let flags = fields.u8()?;
            // Times, and the numbers at which attributes become dense.
            let times = if flags & 0x20 == 0 { 0 } else { 16 };
            let limits = if flags & 0x10 == 0 { 0 } else { 4 };
            let width = 1 << (flags & 3);
            let prefix = 6 + times + limits + width;
            let mut prefix = file.metadata(address, prefix)?;
            let bytes = Fields(&prefix.split_off(6 + times + limits)).size(width)?;
            let start = (6 + times + limits + width) as u64;
            let block = Block { start: address, messages: address + start, bytes };
            (2, block, (1, None), [flags & 4 != 0, flags & 8 != 0])
        } else {
            match fields.u8()? {
                1 => {}
                version => {
                    let what = format!("object headers of version {version} are not supported");
                    return Err(unsupported(what));
                }
            }
            fields.take(3)?; // reserved, number of messages
            let links = fields.u32()?;
            let bytes = fields.size(4)?;
            let messages = address.saturating_add(16);
            let block = Block { start: messages, messages, bytes };
            (1, block, (links, address.checked_add(4)), [false; 2])
        };
        let mut header =
            Self { version, links, ordered, indexed, blocks: vec![first], messages: Vec::new() };
        header.read_blocks(file)?;
        Ok(header)
    }

    /// Reads all blocks.
    fn read_blocks(&mut self, file: &File) -> Result<()> {
        let mut seen = BTreeSet::new();
        let mut all = 0_usize;
        let mut number = 0;
        while let Some(&Block { start, messages, bytes }) = self.blocks.get(number) {
            all = all.saturating_add(bytes);
            if all > MAX_BYTES || !seen.insert(start) {
                return Err(invalid(
                    "an object header that is too long or has circular continuations",
                ));
            }
            let before = usize::try_from(messages - start).unwrap_or(usize::MAX);
            let sum = if self.version == 1 { 0 } else { 4 };
            let block = file.metadata(start, before.saturating_add(bytes).saturating_add(sum))?;
            let covered = match self.version {
                1 => &block[..],
                _ => checksum::verified(&block, "an object header")?,
            };
            self.parse_block(number, &covered[before..], messages)?;
            let more = self.messages.iter().filter(|stored| stored.block == number);
            let more = more.filter(|stored| stored.message.kind == MessageType::CONTINUATION);
            let mut blocks = Vec::new();
            for stored in more {
                let mut fields = Fields(&stored.message.body);
                let (start, bytes) = (fields.address(file.sizes)?, fields.size(file.sizes.length)?);
                // The signature precedes, and a checksum follows.
                let before = if self.version == 1 { 0 } else { 4 };
                let bytes = bytes.checked_sub(2 * before);
                let bytes = bytes.ok_or_else(|| invalid("a truncated object header"))?;
                let messages = start.saturating_add(before as u64);
                blocks.push(Block { start, messages, bytes });
            }
            self.blocks.append(&mut blocks);
            number += 1;
        }
        Ok(())
    }

    /// Returns the size of the head of a message.
    pub(crate) fn head_bytes(&self) -> usize {
        match (self.version, self.ordered) {
            (1, _) => 8,
            (_, false) => 4,
            (_, true) => 6,
        }
    }

    fn parse_block(&mut self, block: usize, bytes: &[u8], at: u64) -> Result<()> {
        let head = self.head_bytes();
        let mut fields = Fields(bytes);
        // Fewer bytes than the head of a message are a gap.
        while fields.0.len() >= head {
            let mut order = 0;
            let (kind, len, flags) = if self.version == 1 {
                let (kind, len, flags) = (fields.u16()?, fields.u16()?, fields.u8()?);
                fields.take(3)?;
                (kind, len, flags)
            } else {
                let (kind, len, flags) = (fields.u8()?, fields.u16()?, fields.u8()?);
                if self.ordered {
                    order = fields.u16()?;
                }
                (kind.into(), len, flags)
            };
            let body = at + (bytes.len() - fields.0.len()) as u64;
            let message = Message { kind, flags, body: fields.take(len.into())?.to_vec() };
            if kind == MessageType::REFERENCE_COUNT {
                if self.version == 1 {
                    return Err(invalid("a reference count in an object header of version 1"));
                }
                let mut fields = Fields(&message.body);
                fields.take(1)?;
                self.links = (fields.u32()?, body.checked_add(1));
            }
            self.messages.push(StoredMessage { message, order, block, body });
        }
        Ok(())
    }

    /// Returns the messages of a kind.
    pub(crate) fn all(&self, kind: u16) -> impl Iterator<Item = &Message> {
        let messages = self.messages.iter().map(|stored| &stored.message);
        messages.filter(move |message| message.kind == kind)
    }

    /// Returns whether it has a message of a kind.
    pub(crate) fn has(&self, kind: u16) -> bool {
        self.all(kind).next().is_some()
    }

    /// Returns the body of the first message of a kind, which may be stored elsewhere.
    pub(crate) fn body(&self, file: &File, kind: u16) -> Result<Option<Vec<u8>>> {
        self.all(kind).next().map(|message| message.resolved(file)).transpose()
    }
}

/// Maximum size of a message: a multiple of 8 that fits in 2 bytes.
pub(crate) const MAX_MESSAGE: usize = 65_528;

/// Encodes a header of version 1.
pub(crate) fn encode_v1(messages: &[Message]) -> Result<Vec<u8>> {
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

/// Encodes a header of version 2.
pub(crate) fn encode_v2(messages: &[Message]) -> Result<Vec<u8>> {
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
    Error::argument("attributes too large for an object header")
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
