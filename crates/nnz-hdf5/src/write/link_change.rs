//! Changing the links of a group of an existing file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, Write};

use nnz_core::Result;

use super::group;
use super::header_edit::{HeaderEdit, MessageChange};
use super::output::Output;
use crate::UNDEFINED;
use crate::btree_v1::{GROUP_NODE_BYTES, Root};
use crate::fault::{invalid, unsupported};
use crate::local_heap::LocalHeap;
use crate::message::{Message, MessageType, link, link_info};
use crate::read::file::File;
use crate::read::links::{self, LinkTarget};
use crate::symbol_node::{Entry, StoredEntry};

/// The names of removed links, and the entries of new ones. What is replaced is in both.
type Changed<'a> = (&'a BTreeSet<String>, &'a BTreeMap<&'a str, Entry>);

/// An entry with the offset of its name, or its address.
type EncodedEntry = (u64, Vec<u8>);

/// Changes the entries of a symbol table.
pub(super) fn change_entries<W: Write + Seek>(
    file: &File,
    (tree, heap): (u64, u64),
    (removed, added): Changed<'_>,
    output: &mut Output<W>,
) -> Result<()> {
    let mut names = LocalHeap::read(file, heap)?;
    let mut all: Vec<(Vec<u8>, StoredEntry)> = Vec::new();
    links::each_entry(file, tree, &mut |entry| {
        all.push((names.stored_name(entry.name)?.to_vec(), entry));
        Ok(())
    })?;
    // With the names.
    let mut kept: Vec<(Vec<u8>, EncodedEntry)> = Vec::new();
    // With the addresses.
    let mut replaced: BTreeMap<&str, EncodedEntry> = BTreeMap::new();
    let mut gone = 0;
    for (stored, entry) in all {
        let Some(name) = removed.get(&*String::from_utf8_lossy(&stored)) else {
            kept.push((stored, (entry.name, entry.stored)));
            continue;
        };
        match added.get(&**name) {
            Some(new) if !replaced.contains_key(&**name) => {
                let new = Entry { name: entry.name, ..*new }.encode();
                replaced.insert(name, (entry.at, new.clone()));
                kept.push((stored, (entry.name, new)));
            }
            _ => gone += 1,
        }
    }
    if replaced.len() + gone < removed.len() {
        return Err(invalid("links of a group outside its symbol table"));
    }
    if gone == 0 && replaced.len() == added.len() {
        return replaced.into_values().try_for_each(|(at, entry)| output.write_at(at, &entry));
    }
    let mut has_names = false;
    for (name, entry) in added.iter().filter(|(name, _)| !replaced.contains_key(**name)) {
        let entry = Entry { name: names.add(name), ..*entry };
        kept.push((name.as_bytes().to_vec(), (entry.name, entry.encode())));
        has_names = true;
    }
    kept.sort_unstable();
    let entries: Vec<_> = kept.into_iter().map(|(_, entry)| entry).collect();
    // Both have the same size in all files that can be changed.
    file.check(tree, GROUP_NODE_BYTES)?;
    group::write_entries(output, &entries, Root::At(tree))?;
    if has_names { names.write_at(output, heap) } else { Ok(()) }
}

/// Changes link messages. An object is replaced by changing the address in its link.
pub(super) fn change_links(edit: &mut HeaderEdit<'_>, (removed, added): Changed<'_>) -> Result<()> {
    let sizes = edit.file().sizes;
    let mut added: BTreeMap<&str, u64> =
        added.iter().map(|(name, entry)| (*name, entry.header)).collect();
    // The address for a link that is replaced.
    let mut replace = |body: &[u8]| -> Result<Option<(usize, u64)>> {
        let found = link::parse(body, sizes)?;
        let is_hard = matches!(found.target, LinkTarget::Hard(_));
        match added.get(&*found.name).copied().filter(|_| is_hard) {
            Some(address) => {
                added.remove(&*found.name);
                Ok(Some((link::target_at(body)?, address)))
            }
            None => Ok(None),
        }
    };
    let is_removed = |body: &[u8]| Ok(removed.contains(&link::parse(body, sizes)?.name));
    edit.change(MessageType::LINK, &mut |message, _| {
        if !is_removed(&message.body)? {
            return Ok(MessageChange::Nothing);
        }
        Ok(match replace(&message.body)? {
            Some((start, address)) => MessageChange::Patch(start, address.to_le_bytes().to_vec()),
            None => MessageChange::Removal,
        })
    })?;
    let Some(at) = edit.find(MessageType::LINK_INFO) else {
        return match added.is_empty() {
            true => Ok(()),
            false => Err(unsupported("links cannot be added to a group of this kind")),
        };
    };
    let info = link_info::parse(edit.body(at), sizes)?;
    let mut next = info.next;
    let mut links = Vec::new();
    // Links in dense storage become messages of the header.
    links::each_dense(edit.file(), &info, &mut |mut body| {
        if is_removed(&body)? {
            let Some((start, address)) = replace(&body)? else { return Ok(()) };
            let target = body.get_mut(start..start + 8);
            let target = target.ok_or_else(|| invalid("a link without an address"))?;
            target.copy_from_slice(&address.to_le_bytes());
        }
        links.push(Message { kind: MessageType::LINK, flags: 0, body });
        Ok(())
    })?;
    for (name, address) in added {
        links.push(link::message(name, next, address)?);
        next = next.map(|next| next.saturating_add(1));
    }
    if info.heap != UNDEFINED || next != info.next {
        let mut body = edit.body(at).to_vec();
        link_info::update(&mut body, next);
        edit.replace(at, body);
    }
    links.into_iter().for_each(|link| edit.push(link, 0));
    Ok(())
}
