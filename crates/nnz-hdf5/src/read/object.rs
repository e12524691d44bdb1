//! The objects of a file: groups, datasets and committed datatypes.

use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::file::File;
use super::links::{self, Link, LinkTarget};
use crate::UNDEFINED;
use crate::btree_v2::{self, RecordType};
use crate::datatype::Datatype;
use crate::fault::invalid;
use crate::fractal_heap::FractalHeap;
use crate::message::shared::{self, SHARED};
use crate::message::{Attribute, MessageType, attribute, attribute_info, datatype};
use crate::object_header::ObjectHeader;

/// Maximum number of soft links that are followed to an object.
const MAX_SOFT: usize = 64;

/// An object of a file. Its header was read.
#[derive(Clone, Debug)]
pub struct Object {
    file: Arc<File>,
    address: u64,
    pub(crate) header: Arc<ObjectHeader>,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    Datatype,
    /// An object of an unknown kind.
    Other,
}

impl Object {
    pub(crate) fn new(file: Arc<File>, address: u64, header: Arc<ObjectHeader>) -> Self {
        Self { file, address, header }
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the address of its header, which identifies it in the file.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns its kind.
    #[must_use]
    pub fn kind(&self) -> ObjectKind {
        let has = |kinds: &[u16]| kinds.iter().any(|kind| self.header.has(*kind));
        if has(&[
            MessageType::SYMBOL_TABLE,
            MessageType::LINK,
            MessageType::LINK_INFO,
            MessageType::GROUP_INFO,
        ]) {
            ObjectKind::Group
        } else if has(&[MessageType::DATASPACE, MessageType::LAYOUT]) {
            ObjectKind::Dataset
        } else if has(&[MessageType::DATATYPE]) {
            ObjectKind::Datatype
        } else if has(&[MessageType::ATTRIBUTE]) {
            ObjectKind::Group
        } else {
            ObjectKind::Other
        }
    }

    /// Returns the type of the elements of a dataset, or a committed datatype.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or if it is invalid.
    pub fn datatype(&self) -> Result<Datatype> {
        let body = self.header.body(&self.file, MessageType::DATATYPE)?;
        datatype::parse(&body.ok_or_else(|| invalid("an object without a datatype"))?)
    }

    /// Returns the links of a group, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if they are invalid.
    pub fn links(&self) -> Result<Arc<Vec<Link>>> {
        let links = self.file.links(self.address, || links::list(&self.file, &self.header));
        links.map_err(|error| error.with_context(&Place::path(self.file.path())))
    }

    /// Returns a link of a group by its name.
    ///
    /// # Errors
    ///
    /// Fails if the links are invalid.
    pub fn link(&self, name: &str) -> Result<Option<Link>> {
        let links = self.links()?;
        let found = links.binary_search_by(|link| link.name.as_str().cmp(name));
        Ok(found.ok().and_then(|at| links.get(at)).cloned())
    }

    /// Opens a member of a group by its path. Soft links are followed; those that lead nowhere are missing.
    ///
    /// # Errors
    ///
    /// Fails if there is no such object, if it is in another file, or if it is invalid.
    pub fn open(&self, path: &str) -> Result<Self> {
        self.walk(path, &mut |_, _| (), &mut 0)
    }

    /// Opens a member of a group by its path, and passes each link on the way to `each`: the address of its group, and its name.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub(crate) fn open_along(&self, path: &str, each: &mut dyn FnMut(u64, &str)) -> Result<Self> {
        self.walk(path, each, &mut 0)
    }

    /// Follows a path. `soft` is the number of soft links that were followed.
    fn walk(&self, path: &str, each: &mut dyn FnMut(u64, &str), soft: &mut usize) -> Result<Self> {
        let mut here = self.clone();
        for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
            each(here.address, name);
            here = match here.link(name)?.map(|link| link.target) {
                None => return Err(Error::new(ErrorKind::Missing, Place::default())),
                Some(LinkTarget::Hard(address)) => self.file.object(address)?,
                Some(LinkTarget::Soft(path)) => {
                    *soft += 1;
                    if *soft > MAX_SOFT {
                        return Err(invalid("circular soft links"));
                    }
                    let from = if path.starts_with('/') { self.file.root()? } else { here };
                    from.walk(&path, each, soft)?
                }
                Some(target) => {
                    let what = target.not_followed().unwrap_or_default();
                    return Err(links::not_followed(&what));
                }
            };
        }
        Ok(here)
    }

    /// Returns the attributes, in the order in which they are stored.
    ///
    /// # Errors
    ///
    /// Fails if they are invalid. An attribute of an unsupported type is listed.
    pub fn attributes(&self) -> Result<Vec<Attribute>> {
        let file = &*self.file;
        let mut attributes = Vec::new();
        let mut room = file.bytes;
        for message in self.header.all(MessageType::ATTRIBUTE) {
            attributes.push(attribute::parse(file, &message.resolved(file)?)?);
        }
        let Some(info) = self.header.body(file, MessageType::ATTRIBUTE_INFO)? else {
            return Ok(attributes);
        };
        let info = attribute_info::parse(&info, file.sizes)?;
        if info.heap == UNDEFINED {
            return Ok(attributes);
        }
        let mut heap = FractalHeap::open(file, info.heap)?;
        btree_v2::each_record(
            file,
            info.names,
            &[RecordType::ATTRIBUTE_NAMES],
            &mut |_, record| {
                let (id, rest) = record.split_at(record.len().min(8));
                let body = match rest.first().is_some_and(|flags| flags & SHARED != 0) {
                    true => shared::from_table(file, MessageType::ATTRIBUTE, id)?,
                    false => heap.object(file, id)?,
                };
                // Records may have the same object.
                let rest = room.checked_sub(body.len() as u64);
                room = rest.ok_or_else(|| invalid("attributes larger than the file"))?;
                attributes.push(attribute::parse(file, &body)?);
                Ok(())
            },
        )?;
        Ok(attributes)
    }
}
