//! Changing the attributes of a group of an existing file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, Write};

use nnz_core::Result;

use super::header_edit::{HeaderEdit, MessageChange};
use super::output::Output;
use crate::btree_v2::{self, RecordType};
use crate::fault::unsupported;
use crate::fractal_heap::{self, FractalHeap};
use crate::message::attribute_info::{self, AttributeInfo};
use crate::message::shared::{self, SHARED};
use crate::message::{Message, MessageType, attribute};
use crate::object_header::MAX_MESSAGE;
use crate::read::file::File;
use crate::{UNDEFINED, fault};

/// Attributes that are not in the header, or new: the name, the creation order and the message.
type Attributes = Vec<(String, u16, Message)>;

/// Removes and adds attributes. Those in dense storage become messages of the header, unless one is too large.
pub(super) fn change_attributes<W: Write + Seek>(
    edit: &mut HeaderEdit<'_>,
    removed: &BTreeSet<String>,
    added: &[(&str, Message)],
    output: &mut Output<W>,
) -> Result<()> {
    let (file, header) = (edit.file(), edit.header());
    // What is replaced keeps its place.
    let mut orders: BTreeMap<String, u16> = BTreeMap::new();
    let mut kept = 0;
    edit.change(MessageType::ATTRIBUTE, &mut |message, order| {
        let name = attribute::parse(file, &message.resolved(file)?)?.name;
        if removed.contains(&name) {
            orders.insert(name, order);
            return Ok(MessageChange::Removal);
        }
        kept += 1;
        Ok(MessageChange::Nothing)
    })?;
    let position = edit.find(MessageType::ATTRIBUTE_INFO);
    let info = match header.body(file, MessageType::ATTRIBUTE_INFO)? {
        Some(body) => Some(attribute_info::parse(&body, file.sizes)?),
        None => None,
    };
    let mut outside: Attributes = Vec::new();
    if let Some(info) = &info {
        each_dense(file, info, &mut |name, order, message| {
            match removed.contains(&name) {
                true => drop(orders.insert(name, order)),
                false => outside.push((name, order, message)),
            }
            Ok(())
        })?;
    }
    let is_tracked = header.ordered || info.as_ref().is_some_and(|info| info.next.is_some());
    let mut next = info.as_ref().and_then(|info| info.next).unwrap_or(0);
    for (name, message) in added {
        let order = orders.get(*name).copied().unwrap_or_else(|| {
            let order = next;
            next = next.saturating_add(1);
            order
        });
        outside.push(((*name).to_owned(), order, message.clone()));
    }
    let is_large = outside.iter().any(|(_, _, message)| message.body.len() > MAX_MESSAGE);
    let mut changed = AttributeInfo {
        next: is_tracked.then_some(next),
        is_indexed: info.as_ref().map_or(header.indexed, |info| info.is_indexed),
        heap: UNDEFINED,
        names: UNDEFINED,
    };
    if is_large {
        if header.version == 1 || is_tracked || kept > 0 {
            let what = "attributes of 64 KiB or more cannot be added to this group";
            return Err(unsupported(what));
        }
        let names: Vec<String> = outside.iter().map(|(name, ..)| name.clone()).collect();
        let bodies: Vec<_> = outside.drain(..).map(|(_, _, message)| message.body).collect();
        let heap = fractal_heap::write(output, &bodies)?;
        let names: Vec<_> = names.iter().map(String::as_str).zip(heap.ids).collect();
        (changed.heap, changed.names) = (heap.address, btree_v2::write_names(output, &names)?);
    }
    match position {
        Some(at) => edit.replace(at, changed.encode()),
        // Headers of version 2 need the message.
        None if header.version > 1 => edit.push(changed.message(), 0),
        None => {}
    }
    outside.into_iter().for_each(|(_, order, message)| edit.push(message, order));
    Ok(())
}

/// Calls `each` with the names, creation orders and messages of attributes in dense storage.
fn each_dense(
    file: &File,
    info: &AttributeInfo,
    each: &mut dyn FnMut(String, u16, Message) -> Result<()>,
) -> Result<()> {
    if info.heap == UNDEFINED {
        return Ok(());
    }
    let mut room = file.bytes;
    let mut heap = FractalHeap::open(file, info.heap)?;
    btree_v2::each_record(file, info.names, &[RecordType::ATTRIBUTE_NAMES], &mut |_, record| {
        let (id, rest) = record.split_at(record.len().min(8));
        let body = match rest.first().is_some_and(|flags| flags & SHARED != 0) {
            true => shared::from_table(file, MessageType::ATTRIBUTE, id)?,
            false => heap.object(file, id)?,
        };
        // Records may have the same object.
        let left = room.checked_sub(body.len() as u64);
        room = left.ok_or_else(|| fault::invalid("attributes larger than the file"))?;
        let name = attribute::parse(file, &body)?.name;
        // After the flags.
        let order = rest.get(1..3).map_or(0, |order| u16::from_le_bytes([order[0], order[1]]));
        each(name, order, Message { kind: MessageType::ATTRIBUTE, flags: 0, body })
    })
}
