//! Adding a link to a group of an existing file.
//!
//! The header of the group stays where it is, so that all links to it remain valid, and so do the B-tree and the local heap of
//! a group with a symbol table: their first blocks are written in place. Everything else is appended.

use std::collections::BTreeMap;
use std::io::{Seek, Write};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::group;
use super::output::Output;
use crate::btree_v1::Root;
use crate::bytes::PutFields as _;
use crate::fault::{invalid, unsupported};
use crate::local_heap::LocalHeap;
use crate::message::{Message, MessageType, file_space, link, link_info, symbol_table};
use crate::object_header::{MAX_BYTES, MAX_MESSAGE, ObjectHeader, StoredMessage};
use crate::read::file::File;
use crate::read::links;
use crate::read::object::Object;
use crate::symbol_node::{Entry, StoredEntry};
use crate::{UNDEFINED, checksum, superblock};

/// The group of an existing file to which an object is added, and the object that it replaces.
#[derive(Debug)]
pub(crate) struct ExistingGroup {
    pub(crate) group: Object,
    pub(crate) replaced: Option<Object>,
}

impl ExistingGroup {
    /// Links the new object, whose entry has no name yet, and updates the superblock.
    pub(crate) fn link<W: Write + Seek>(
        &self,
        name: &str,
        object: Entry,
        output: &mut Output<W>,
    ) -> Result<()> {
        let (file, header) = (&**self.group.file(), &*self.group.header);
        match header.body(file, MessageType::SYMBOL_TABLE)? {
            Some(table) => {
                let (tree, heap) = symbol_table::parse(&table, file.sizes)?;
                add_entry(file, (tree, heap), (name, object), output)?;
            }
            None => self.add_message(name, object.header, output)?,
        }
        if let Some(replaced) = &self.replaced {
            drop_link(file, &replaced.header, output)?;
        }
        if let Some(extension) = file.extension()? {
            forget_free_space(file, &extension, output)?;
        }
        output.align()?;
        let start = file.metadata(0, 96.min(file.room(0)))?;
        let (at, end) = superblock::with_end(&start, output.base() + output.end())
            .ok_or_else(|| unsupported("superblocks of this version are not supported"))?;
        output.write_at(at, &end)
    }

    /// Adds a link message, or changes the address in the one that is there.
    fn add_message<W: Write + Seek>(
        &self,
        name: &str,
        address: u64,
        output: &mut Output<W>,
    ) -> Result<()> {
        let (file, header) = (&**self.group.file(), &*self.group.header);
        let sizes = file.sizes;
        let mut edits = Edits { file, header, blocks: BTreeMap::new() };
        for stored in
            header.messages.iter().filter(|stored| stored.message.kind == MessageType::LINK)
        {
            if link::parse(&stored.message.body, sizes)?.name == name {
                let at = stored.body + link::target_at(&stored.message.body)? as u64;
                edits.put(stored.block, at, &address.to_le_bytes())?;
                return edits.write(output);
            }
        }
        let mut links = Vec::new();
        let mut is_there = false;
        let mut messages: Vec<(Message, u16)> = Vec::new();
        for StoredMessage { message, order, .. } in &header.messages {
            let mut message = message.clone();
            match message.kind {
                MessageType::NIL | MessageType::CONTINUATION => continue,
                MessageType::LINK_INFO => {
                    // Links in dense storage become messages of the header.
                    let info = link_info::parse(&message.body, sizes)?;
                    links::each_dense(file, &info, &mut |mut body| {
                        if link::parse(&body, sizes)?.name == name {
                            let at = link::target_at(&body)?;
                            let target = body.get_mut(at..at + 8);
                            let target =
                                target.ok_or_else(|| invalid("a link without an address"))?;
                            target.copy_from_slice(&address.to_le_bytes());
                            is_there = true;
                        }
                        links.push(Message { kind: MessageType::LINK, flags: 0, body });
                        Ok(())
                    })?;
                    if !is_there {
                        links.push(link::message(name, info.next, address)?);
                    }
                    let next = info.next.map(|next| next.saturating_add((!is_there).into()));
                    link_info::update(&mut message.body, next);
                }
                _ => {}
            }
            messages.push((message, *order));
        }
        if links.is_empty() {
            return Err(unsupported("links cannot be added to a group of this kind"));
        }
        messages.extend(links.into_iter().map(|link| (link, 0)));
        edits.move_messages(self.group.address(), &messages, output)?;
        edits.write(output)
    }
}

/// Adds an entry to a symbol table, or changes the one that is there.
fn add_entry<W: Write + Seek>(
    file: &File,
    (tree, heap): (u64, u64),
    (name, object): (&str, Entry),
    output: &mut Output<W>,
) -> Result<()> {
    let mut names = LocalHeap::read(file, heap)?;
    let mut entries: Vec<(Vec<u8>, StoredEntry)> = Vec::new();
    links::each_entry(file, tree, &mut |entry| {
        entries.push((names.stored_name(entry.name)?.to_vec(), entry));
        Ok(())
    })?;
    if let Some((_, there)) = entries.iter().find(|(there, _)| there == name.as_bytes()) {
        let entry = Entry { name: there.name, ..object };
        return output.write_at(there.at, &entry.encode());
    }
    let added = Entry { name: names.add(name), ..object };
    let stored = |(name, found): (Vec<u8>, StoredEntry)| (name, (found.name, found.stored));
    let mut entries: Vec<_> = entries.into_iter().map(stored).collect();
    entries.push((name.as_bytes().to_vec(), (added.name, added.encode())));
    entries.sort_unstable();
    let entries: Vec<_> = entries.into_iter().map(|(_, entry)| entry).collect();
    // Both have the same size in all files that can be added to.
    file.check(tree, crate::btree_v1::GROUP_NODE_BYTES)?;
    group::write_entries(output, &entries, Root::At(tree))?;
    names.write_at(output, heap)
}

/// Counts one link less to an object that has several.
fn drop_link<W: Write + Seek>(
    file: &File,
    header: &ObjectHeader,
    output: &mut Output<W>,
) -> Result<()> {
    let (count @ 2.., Some(at)) = header.links else { return Ok(()) };
    let count = (count - 1).to_le_bytes();
    if header.version == 1 {
        return output.write_at(at, &count);
    }
    let stored =
        header.messages.iter().find(|stored| stored.message.kind == MessageType::REFERENCE_COUNT);
    let Some(stored) = stored else { return Ok(()) };
    let mut edits = Edits { file, header, blocks: BTreeMap::new() };
    edits.put(stored.block, at, &count)?;
    edits.write(output)
}

/// Marks the free space of a file as not stored. The HDF5 library would take what follows its list as part of the list, and
/// free it.
fn forget_free_space<W: Write + Seek>(
    file: &File,
    extension: &ObjectHeader,
    output: &mut Output<W>,
) -> Result<()> {
    let of_kind = |stored: &&StoredMessage| stored.message.kind == MessageType::FILE_SPACE;
    let Some(stored) = extension.messages.iter().find(of_kind) else { return Ok(()) };
    let Some((at, byte)) = file_space::not_kept(&stored.message.body) else { return Ok(()) };
    let mut edits = Edits { file, header: extension, blocks: BTreeMap::new() };
    edits.put(stored.block, stored.body + at, &[byte])?;
    edits.write(output)
}

/// Changes to the blocks of a header.
struct Edits<'a> {
    file: &'a File,
    header: &'a ObjectHeader,
    /// The bytes of changed blocks without their checksums.
    blocks: BTreeMap<usize, Vec<u8>>,
}

impl Edits<'_> {
    /// Overwrites bytes at an address in a block.
    fn put(&mut self, block: usize, at: u64, bytes: &[u8]) -> Result<()> {
        let outside = || Error::new(ErrorKind::Missing, Place::default());
        let place = *self.header.blocks.get(block).ok_or_else(outside)?;
        let before = usize::try_from(place.messages - place.start).unwrap_or(usize::MAX);
        let stored = match self.blocks.entry(block) {
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

    /// Puts all messages in a new block, with which the first one continues.
    fn move_messages<W: Write + Seek>(
        &mut self,
        address: u64,
        messages: &[(Message, u16)],
        output: &mut Output<W>,
    ) -> Result<()> {
        let header = self.header;
        let mut block = if header.version == 1 { Vec::new() } else { b"OCHK".to_vec() };
        for (message, order) in messages {
            put_message(&mut block, header, message, *order)?;
        }
        if header.version != 1 {
            checksum::append(&mut block);
        }
        // Headers that are too long are not read.
        if block.len() > MAX_BYTES - self.header.blocks.first().map_or(0, |first| first.bytes) {
            return Err(unsupported("links cannot be added to a group that has this many"));
        }
        output.align()?;
        let mut body = output.append(&block)?.to_le_bytes().to_vec();
        body.put_u64(block.len() as u64);
        let mut first = Vec::new();
        let continuation = Message { kind: MessageType::CONTINUATION, flags: 0, body };
        put_message(&mut first, header, &continuation, 0)?;
        let Some(place) = header.blocks.first().filter(|place| place.bytes >= first.len()) else {
            return Err(unsupported("links cannot be added to a group whose header is this short"));
        };
        let mut count = messages.len() + 1;
        // Fewer bytes than the head of a message are a gap.
        while let Some(rest) = (place.bytes - first.len()).checked_sub(header.head_bytes()) {
            let message =
                Message { kind: MessageType::NIL, flags: 0, body: vec![0; rest.min(MAX_MESSAGE)] };
            put_message(&mut first, header, &message, 0)?;
            count += 1;
        }
        first.resize(place.bytes, 0);
        self.put(0, place.messages, &first)?;
        match u16::try_from(count) {
            Ok(count) if header.version == 1 => output.write_at(address + 2, &count.to_le_bytes()),
            Err(_) if header.version == 1 => {
                Err(unsupported("links cannot be added to a group that has this many"))
            }
            _ => Ok(()),
        }
    }

    /// Writes the changed blocks with their checksums.
    fn write<W: Write + Seek>(self, output: &mut Output<W>) -> Result<()> {
        for (number, mut bytes) in self.blocks {
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
        .map_err(|_| unsupported("links of 64 KiB or more are not supported"))?;
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
