//! Completing a file: the metadata of all objects.

mod references;

use std::io::{Seek, Write};

use nnz_core::{Error, Place, Result};

use super::change::{self, GroupChange};
use super::group::{self, Member};
use super::object::{Object, ObjectId, ObjectKind};
use super::output::Output;
use super::value::Data;
use crate::bytes::PutFields as _;
use crate::global_heap::GlobalHeap;
use crate::message::{
    Message, attribute, attribute_info, group_info, link, link_info, symbol_table,
};
use crate::object_header::{self, MAX_MESSAGE};
use crate::read::file::File;
use crate::superblock;
use crate::symbol_node::Entry;
use crate::{UNDEFINED, btree_v2, fractal_heap};

/// Size of object headers that are written together.
const BATCH: usize = 1 << 20;

/// The addresses of the parts of an object outside its header.
#[derive(Clone, Copy, Default)]
struct Parts {
    /// The B-tree and the heap of a group.
    members: (u64, u64),
    /// The heap and the B-tree of attributes in dense storage.
    attributes: (u64, u64),
}

/// All objects, and the addresses of their headers once they are known.
pub(crate) struct Metadata<'a> {
    pub(crate) objects: &'a mut [Object],
    /// Whether groups store the creation order of members.
    pub(crate) track_order: bool,
    pub(crate) place: &'a Place,
    pub(crate) headers: Vec<u64>,
    /// The existing file that is changed; `None` for a new file.
    pub(crate) existing: Option<&'a File>,
}

impl Metadata<'_> {
    /// Writes the metadata of all objects and the superblock.
    pub(crate) fn write<W: Write + Seek>(
        &mut self,
        output: &mut Output<W>,
        heap: &mut GlobalHeap,
    ) -> Result<()> {
        self.headers = vec![0; self.objects.len()];
        let sizes = self.sizes()?;
        let bytes: u64 = sizes.iter().sum();
        let first = output.reserve(bytes)?;
        let mut address = first;
        for ((header, size), object) in self.headers.iter_mut().zip(&sizes).zip(&*self.objects) {
            *header = match &object.kind {
                ObjectKind::Existing(existing) => existing.group.address(),
                _ => address,
            };
            address += size;
        }
        self.resolve_references(output, heap)?;
        heap.finish(output)?;

        let mut parts = vec![Parts::default(); self.objects.len()];
        // Members are created after their groups, so they are written in reverse order.
        for at in (0..self.objects.len()).rev() {
            parts[at] = self.write_parts(at, &parts, output)?;
        }
        self.write_headers(first, &sizes, &parts, output)?;

        output.align()?;
        if let Some(existing) = self.existing {
            return change::write(existing, &self.changes(&parts)?, output);
        }
        let root = Entry { name: 0, header: first, group: Some(parts[0].members) };
        let superblock = match self.track_order {
            true => superblock::encode_v2(output.base(), first, output.end()),
            false => superblock::encode_v0(output.base(), &root.encode(), output.end()),
        };
        output.write_at(0, &superblock)
    }

    /// Returns the changes of existing groups.
    fn changes<'b>(&'b self, parts: &[Parts]) -> Result<Vec<GroupChange<'b>>> {
        let mut changes = Vec::new();
        for object in &*self.objects {
            let ObjectKind::Existing(existing) = &object.kind else { continue };
            let entry = |id: &ObjectId| {
                let is_old_group =
                    matches!(self.objects[id.0].kind, ObjectKind::Group(_)) && !self.track_order;
                let group = is_old_group.then_some(parts[id.0].members);
                Entry { name: 0, header: self.headers[id.0], group }
            };
            let members = existing.members.iter().map(|(name, id)| (&**name, entry(id))).collect();
            let mut attributes = Vec::new();
            for attribute in &object.attributes {
                let Data::Bytes(data) = &attribute.data else { continue };
                let message = message_of(attribute, data).map_err(self.at(object))?;
                attributes.push((&*attribute.name, message));
            }
            changes.push(GroupChange {
                group: &existing.group,
                removed: &existing.removed,
                removed_attributes: &existing.removed_attributes,
                members,
                attributes,
            });
        }
        Ok(changes)
    }

    /// Returns the size of each header, which does not depend on addresses.
    fn sizes(&self) -> Result<Vec<u64>> {
        let header = |at| Ok(self.encode(at, Parts::default())?.len().next_multiple_of(8) as u64);
        (0..self.objects.len()).map(header).collect()
    }

    /// Writes the parts of an object outside its header.
    fn write_parts<W: Write + Seek>(
        &self,
        at: usize,
        written: &[Parts],
        output: &mut Output<W>,
    ) -> Result<Parts> {
        let object = &self.objects[at];
        let mut parts = Parts::default();
        if let (ObjectKind::Group(members), false) = (&object.kind, self.track_order) {
            let member = |(name, id): (&'_ String, &ObjectId)| {
                let is_group = matches!(self.objects[id.0].kind, ObjectKind::Group(_));
                let group = is_group.then_some(written[id.0].members);
                (name.clone(), self.headers[id.0], group)
            };
            let members: Vec<_> = members.iter().map(member).collect();
            let members = members.iter().map(|(name, header, group)| Member {
                name,
                header: *header,
                group: *group,
            });
            parts.members = group::write(output, members)?;
        }
        if is_dense(object) && !is_existing(object) {
            let bodies = object.attributes.iter().map(|attribute| {
                let Data::Bytes(data) = &attribute.data else { return Ok(Vec::new()) };
                Ok(message_of(attribute, data)?.body)
            });
            let bodies: Vec<Vec<u8>> = bodies.collect::<Result<_>>().map_err(self.at(object))?;
            let heap = fractal_heap::write(output, &bodies).map_err(self.at(object))?;
            let names = object.attributes.iter().map(|attribute| attribute.name.as_str());
            let names: Vec<_> = names.zip(heap.ids).collect();
            parts.attributes = (heap.address, btree_v2::write_names(output, &names)?);
        }
        Ok(parts)
    }

    fn write_headers<W: Write + Seek>(
        &self,
        first: u64,
        sizes: &[u64],
        parts: &[Parts],
        output: &mut Output<W>,
    ) -> Result<()> {
        let mut batch = Vec::new();
        let mut address = first;
        for (at, (size, parts)) in sizes.iter().zip(parts).enumerate() {
            let start = batch.len();
            batch.extend(self.encode(at, *parts)?);
            batch.pad8();
            if (batch.len() - start) as u64 != *size {
                return Err(Error::argument("an object header changed its size"));
            }
            if batch.len() >= BATCH || at + 1 == sizes.len() {
                output.write_at(address, &batch)?;
                address += batch.len() as u64;
                batch.clear();
            }
        }
        Ok(())
    }

    /// Encodes the header of an object.
    fn encode(&self, at: usize, parts: Parts) -> Result<Vec<u8>> {
        let object = &self.objects[at];
        if is_existing(object) {
            return Ok(Vec::new());
        }
        let mut messages = self.messages(object, parts).map_err(self.at(object))?;
        let dense = is_dense(object);
        let newer = dense || (self.track_order && matches!(object.kind, ObjectKind::Group(_)));
        if newer && !object.attributes.is_empty() {
            // Attributes are found only with this message.
            let (heap, names) = if dense { parts.attributes } else { (UNDEFINED, UNDEFINED) };
            messages.push(attribute_info::message(heap, names));
        }
        if !dense {
            for attribute in &object.attributes {
                let data = match &attribute.data {
                    Data::Bytes(data) => data,
                    other => &vec![0; stored_len(other)],
                };
                messages.push(message_of(attribute, data).map_err(self.at(object))?);
            }
        }
        let encode = if newer { object_header::encode_v2 } else { object_header::encode_v1 };
        encode(&messages).map_err(self.at(object))
    }

    /// Returns the messages of an object, without its attributes.
    fn messages(&self, object: &Object, parts: Parts) -> Result<Vec<Message>> {
        let members = match &object.kind {
            ObjectKind::Dataset(dataset) => return dataset.messages(),
            ObjectKind::Group(_) if !self.track_order => {
                let (btree, heap) = parts.members;
                return Ok(vec![symbol_table::message(btree, heap)]);
            }
            ObjectKind::Group(members) => members,
            ObjectKind::Existing(_) => return Ok(Vec::new()),
        };
        // In creation order.
        let mut members: Vec<_> = members.iter().map(|(name, id)| (*id, name)).collect();
        members.sort_unstable();
        let mut messages = vec![link_info::message(members.len() as u64), group_info::message()];
        for (order, (id, name)) in (0..).zip(members) {
            messages.push(link::message(name, Some(order), self.headers[id.0])?);
        }
        Ok(messages)
    }

    /// Returns a function that adds the path of an object to an error.
    fn at(&self, object: &Object) -> impl Fn(Error) -> Error {
        let path = Some(object.path.clone()).filter(|path| !path.is_empty());
        let place = self.place.clone().with_array(path);
        move |error| error.with_context(&place)
    }
}

/// Returns whether an object is a group of the existing file, which has a header.
fn is_existing(object: &Object) -> bool {
    matches!(object.kind, ObjectKind::Existing(_))
}

/// Returns whether an attribute of the object is too large for its header, so that all of them are
/// in dense storage.
fn is_dense(object: &Object) -> bool {
    let bytes = |attribute: &super::object::Attribute| {
        let parts = [attribute.name.len() + 1, attribute.datatype.len(), attribute.dataspace.len()];
        let parts: usize = parts.iter().map(|len| len.next_multiple_of(8)).sum();
        8 + parts + stored_len(&attribute.data)
    };
    object.attributes.iter().any(|attribute| bytes(attribute) > MAX_MESSAGE)
}

fn stored_len(data: &Data) -> usize {
    match data {
        Data::Bytes(bytes) => bytes.len(),
        Data::Strings(strings) => 16 * strings.len(),
        Data::References(ids) => 8 * ids.len(),
        Data::ReferenceLists(lists) => 16 * lists.len(),
        Data::Axes(axes) => 12 * axes.len(),
    }
}

fn message_of(attribute: &super::object::Attribute, data: &[u8]) -> Result<Message> {
    attribute::message(&attribute.name, &attribute.datatype, &attribute.dataspace, data)
}
