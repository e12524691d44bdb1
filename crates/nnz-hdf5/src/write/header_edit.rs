//! Changing the messages of an object header that stays at its address.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, Write};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::output::Output;
use crate::bytes::PutFields as _;
use crate::fault::{invalid, unsupported};
use crate::message::{Message, MessageType};
use crate::object_header::{MAX_BYTES, MAX_MESSAGE, ObjectHeader};
use crate::read::file::File;
use crate::{UNDEFINED, checksum};

/// Changes of a header. Messages of the same length are changed in place; otherwise all of them move to a new block, with which
/// the first one continues.
pub(crate) struct HeaderEdit<'a> {
    file: &'a File,
    header: &'a ObjectHeader,
    address: u64,
    /// All messages, without gaps and continuations.
    messages: Vec<EditedMessage>,
    /// Bytes to change in place: the number of the block, the address and the bytes.
    patches: Vec<(usize, u64, Vec<u8>)>,
    moved: bool,
}

/// A change of a message.
pub(crate) enum MessageChange {
    Nothing,
    /// Other bytes from an offset on.
    Patch(usize, Vec<u8>),
    Removal,
}

/// A message of a header that is changed.
struct EditedMessage {
    message: Message,
    order: u16,
    /// The number of its block and the address of its body, unless it is new.
    stored: Option<(usize, u64)>,
}

impl<'a> HeaderEdit<'a> {
    pub(crate) fn new(file: &'a File, header: &'a ObjectHeader, address: u64) -> Self {
        let kept = header.messages.iter().filter(|stored| {
            !matches!(stored.message.kind, MessageType::NIL | MessageType::CONTINUATION)
        });
        let messages = kept.map(|stored| EditedMessage {
            message: stored.message.clone(),
            order: stored.order,
            stored: Some((stored.block, stored.body)),
        });
        let messages = messages.collect();
        Self { file, header, address, messages, patches: Vec::new(), moved: false }
    }

    pub(crate) fn file(&self) -> &'a File {
        self.file
    }

    pub(crate) fn header(&self) -> &'a ObjectHeader {
        self.header
    }

    /// Returns the number of the first message of a kind.
    pub(crate) fn find(&self, kind: u16) -> Option<usize> {
        self.messages.iter().position(|edited| edited.message.kind == kind)
    }

    /// Returns the body of a message; empty if there is none.
    pub(crate) fn body(&self, at: usize) -> &[u8] {
        self.messages.get(at).map_or(&[], |edited| &edited.message.body)
    }

    /// Changes bytes of a message in place.
    pub(crate) fn patch(&mut self, at: usize, start: usize, bytes: &[u8]) -> Result<()> {
        let edited = self.messages.get_mut(at);
        let stored = edited.as_ref().and_then(|edited| edited.stored);
        let end = start.saturating_add(bytes.len());
        let part = edited.and_then(|edited| edited.message.body.get_mut(start..end));
        part.ok_or_else(|| invalid("a message that is too short"))?.copy_from_slice(bytes);
        if let Some((block, body)) = stored {
            self.patches.push((block, body.saturating_add(start as u64), bytes.to_vec()));
        }
        Ok(())
    }

    /// Replaces the body of a message.
    pub(crate) fn replace(&mut self, at: usize, body: Vec<u8>) {
        if let Some(edited) = self.messages.get_mut(at) {
            edited.message.body = body;
            self.moved = true;
        }
    }

    /// Adds a message with its creation order.
    pub(crate) fn push(&mut self, message: Message, order: u16) {
        self.messages.push(EditedMessage { message, order, stored: None });
        self.moved = true;
    }

    /// Changes the messages of a kind: calls a function with each of them, and its order.
    pub(crate) fn change(
        &mut self,
        kind: u16,
        change: &mut dyn FnMut(&Message, u16) -> Result<MessageChange>,
    ) -> Result<()> {
        let mut removed = BTreeSet::new();
        for at in 0..self.messages.len() {
            let Some(edited) = self.messages.get(at).filter(|it| it.message.kind == kind) else {
                continue;
            };
            match change(&edited.message, edited.order)? {
                MessageChange::Nothing => {}
                MessageChange::Patch(start, bytes) => self.patch(at, start, &bytes)?,
                MessageChange::Removal => drop(removed.insert(at)),
            }
        }
        self.moved |= !removed.is_empty();
        let mut at = 0..;
        self.messages.retain(|_| at.next().is_none_or(|at| !removed.contains(&at)));
        Ok(())
    }

    /// Counts hard links less to an object that keeps some.
    pub(crate) fn lose_links<W: Write + Seek>(
        &mut self,
        lost: u32,
        output: &mut Output<W>,
    ) -> Result<()> {
        let (count, Some(at)) = self.header.links else { return Ok(()) };
        let left = count.saturating_sub(lost);
        if lost == 0 || left == 0 {
            return Ok(());
        }
        let left = left.to_le_bytes();
        match self.find(MessageType::REFERENCE_COUNT) {
            _ if self.header.version == 1 => output.write_at(at, &left),
            // After the version.
            Some(message) => self.patch(message, 1, &left),
            None => Ok(()),
        }
    }

    /// Writes the changed blocks with their checksums.
    pub(crate) fn write<W: Write + Seek>(self, output: &mut Output<W>) -> Result<()> {
        let mut blocks = Blocks { file: self.file, header: self.header, bytes: BTreeMap::new() };
        if self.moved {
            self.move_messages(&mut blocks, output)?;
        } else {
            for (block, at, bytes) in &self.patches {
                blocks.put(*block, *at, bytes)?;
            }
        }
        blocks.write(output)
    }

    /// Puts all messages in a new block, with which the first one continues.
    fn move_messages<W: Write + Seek>(
        &self,
        blocks: &mut Blocks<'_>,
        output: &mut Output<W>,
    ) -> Result<()> {
        let header = self.header;
        let mut block = if header.version == 1 { Vec::new() } else { b"OCHK".to_vec() };
        for EditedMessage { message, order, .. } in &self.messages {
            put_message(&mut block, header, message, *order)?;
        }
        if header.version != 1 {
            checksum::append(&mut block);
        }
        // Headers that are too long are not read.
        let first = header.blocks.first().map_or(0, |first| first.bytes);
        if block.len().saturating_add(first) > MAX_BYTES {
            return Err(unsupported(
                "a group with this many links and attributes cannot be changed",
            ));
        }
        output.align()?;
        let mut body = output.append(&block)?.to_le_bytes().to_vec();
        body.put_u64(block.len() as u64);
        let mut first = Vec::new();
        let continuation = Message { kind: MessageType::CONTINUATION, flags: 0, body };
        put_message(&mut first, header, &continuation, 0)?;
        let Some(place) = header.blocks.first().filter(|place| place.bytes >= first.len()) else {
            return Err(unsupported("a group whose header is this short cannot be changed"));
        };
        let mut count = self.messages.len() + 1;
        // Fewer bytes than the head of a message are a gap.
        while let Some(rest) = (place.bytes - first.len()).checked_sub(header.head_bytes()) {
            // Version 1 pads messages to 8 bytes, and damaged blocks have other lengths.
            let len = if header.version == 1 { rest - rest % 8 } else { rest }.min(MAX_MESSAGE);
            let message = Message { kind: MessageType::NIL, flags: 0, body: vec![0; len] };
            put_message(&mut first, header, &message, 0)?;
            count += 1;
        }
        first.resize(place.bytes, 0);
        blocks.put(0, place.messages, &first)?;
        match u16::try_from(count) {
            Ok(count) if header.version == 1 => {
                output.write_at(self.address.saturating_add(2), &count.to_le_bytes())
            }
            Err(_) if header.version == 1 => {
                Err(unsupported("a group with this many links and attributes cannot be changed"))
            }
            _ => Ok(()),
        }
    }
}

/// The bytes of changed blocks without their checksums, by number.
struct Blocks<'a> {
    file: &'a File,
    header: &'a ObjectHeader,
    bytes: BTreeMap<usize, Vec<u8>>,
}

impl Blocks<'_> {
    /// Overwrites bytes at an address in a block.
    fn put(&mut self, block: usize, at: u64, bytes: &[u8]) -> Result<()> {
        let outside = || Error::new(ErrorKind::Missing, Place::default());
        let place = *self.header.blocks.get(block).ok_or_else(outside)?;
        let before = usize::try_from(place.messages - place.start).unwrap_or(usize::MAX);
        let stored = match self.bytes.entry(block) {
            std::collections::btree_map::Entry::Occupied(there) => there.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                new.insert(self.file.metadata(place.start, before + place.bytes)?)
            }
        };
        let start = usize::try_from(at - place.start).unwrap_or(usize::MAX);
        let part = stored.get_mut(start..start.saturating_add(bytes.len())).ok_or_else(outside)?;
        part.copy_from_slice(bytes);
        Ok(())
    }

    fn write<W: Write + Seek>(self, output: &mut Output<W>) -> Result<()> {
        for (number, mut bytes) in self.bytes {
            if self.header.version != 1 {
                checksum::append(&mut bytes);
            }
            let start = self.header.blocks.get(number).map_or(UNDEFINED, |block| block.start);
            output.write_at(start, &bytes)?;
        }
        Ok(())
    }
}

/// Appends a message as a header stores it.
fn put_message(
    out: &mut Vec<u8>,
    header: &ObjectHeader,
    message: &Message,
    order: u16,
) -> Result<()> {
    let padded = match header.version {
        1 => message.body.len().next_multiple_of(8),
        _ => message.body.len(),
    };
    let len = u16::try_from(padded)
        .map_err(|_| unsupported("links and attributes of 64 KiB or more are not supported"))?;
    if header.version == 1 {
        out.put_u16(message.kind);
        out.put_u16(len);
        out.extend([message.flags, 0, 0, 0]);
    } else {
        out.push(u8::try_from(message.kind).unwrap_or(0));
        out.put_u16(len);
        out.push(message.flags);
        if header.ordered {
            out.put_u16(order);
        }
    }
    let start = out.len();
    out.extend_from_slice(&message.body);
    out.resize(start + padded, 0);
    Ok(())
}
