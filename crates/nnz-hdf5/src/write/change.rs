//! Changing the members and attributes of groups of an existing file.
//!
//! The headers of the groups stay where they are, so that all links and references to them remain valid, and so do the B-tree
//! and the local heap of a group with a symbol table: their first blocks are written in place. Everything else is appended.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, Write};

use nnz_core::Result;

use super::attribute_change::change_attributes;
use super::header_edit::HeaderEdit;
use super::link_change::{change_entries, change_links};
use super::lost_links::LostLinks;
use super::output::Output;
use super::soft_links;
use crate::fault::unsupported;
use crate::message::{Message, MessageType, file_space, symbol_table};
use crate::object_header::ObjectHeader;
use crate::read::file::File;
use crate::read::links::LinkTarget;
use crate::read::object::Object;
use crate::superblock;
use crate::symbol_node::Entry;

/// A change of a group. What is replaced is both removed and added.
pub(crate) struct GroupChange<'a> {
    pub(crate) group: &'a Object,
    /// The names of removed members and attributes.
    pub(crate) removed: &'a BTreeSet<String>,
    pub(crate) removed_attributes: &'a BTreeSet<String>,
    /// The entries of new members, which have no place of a name yet.
    pub(crate) members: BTreeMap<&'a str, Entry>,
    pub(crate) attributes: Vec<(&'a str, Message)>,
}

impl GroupChange<'_> {
    fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.removed_attributes.is_empty()
            && self.members.is_empty()
            && self.attributes.is_empty()
    }

    fn write<W: Write + Seek>(&self, lost: u32, output: &mut Output<W>) -> Result<()> {
        let (file, header) = (&**self.group.file(), &*self.group.header);
        let mut edit = HeaderEdit::new(file, header, self.group.address());
        if !self.removed.is_empty() || !self.members.is_empty() {
            let changed = (self.removed, &self.members);
            match header.body(file, MessageType::SYMBOL_TABLE)? {
                Some(table) => {
                    let table = symbol_table::parse(&table, file.sizes)?;
                    change_entries(file, table, changed, output)?;
                }
                None => change_links(&mut edit, changed)?,
            }
        }
        if !self.removed_attributes.is_empty() || !self.attributes.is_empty() {
            change_attributes(&mut edit, self.removed_attributes, &self.attributes, output)?;
        }
        edit.lose_links(lost, output)?;
        edit.write(output)
    }
}

/// Writes changes of groups, and updates the superblock.
pub(crate) fn write<W: Write + Seek>(
    file: &File,
    changes: &[GroupChange<'_>],
    output: &mut Output<W>,
) -> Result<()> {
    if let Some(first) = changes.first() {
        soft_links::check(first.group.file(), &removed_links(changes))?;
    }
    let mut lost = LostLinks::except(changes.iter().map(|change| change.group.address()));
    for change in changes.iter().filter(|change| !change.removed.is_empty()) {
        for link in change.group.links()?.iter() {
            if let LinkTarget::Hard(address) = link.target
                && change.removed.contains(&link.name)
            {
                lost.add(change.group.file(), address)?;
            }
        }
    }
    for change in changes {
        let links = lost.take(change.group.address());
        if links > 0 || !change.is_empty() {
            change.write(links, output)?;
        }
    }
    lost.write(output)?;
    if let Some(extension) = file.extension()? {
        forget_free_space(file, &extension, output)?;
    }
    output.align()?;
    let start = file.metadata(0, 96.min(file.room(0)))?;
    let (at, end) = superblock::with_end(&start, output.base() + output.end())
        .ok_or_else(|| unsupported("superblocks of this version are not supported"))?;
    output.write_at(at, &end)
}

/// Returns the addresses of groups and the names of links in them that are removed, and not replaced.
fn removed_links<'a>(changes: &'a [GroupChange<'_>]) -> BTreeSet<(u64, &'a str)> {
    let of_group = |change: &'a GroupChange<'_>| {
        let names = change.removed.iter().map(String::as_str);
        let gone = names.filter(|name| !change.members.contains_key(name));
        gone.map(|name| (change.group.address(), name))
    };
    changes.iter().flat_map(of_group).collect()
}

/// Marks the free space of a file as not stored. The HDF5 library would take what follows its list as part of the list, and
/// free it.
fn forget_free_space<W: Write + Seek>(
    file: &File,
    extension: &ObjectHeader,
    output: &mut Output<W>,
) -> Result<()> {
    let mut edit = HeaderEdit::new(file, extension, file.superblock.extension);
    let Some(at) = edit.find(MessageType::FILE_SPACE) else { return Ok(()) };
    let Some((byte, value)) = file_space::not_kept(edit.body(at)) else { return Ok(()) };
    edit.patch(at, byte, &[value])?;
    edit.write(output)
}
