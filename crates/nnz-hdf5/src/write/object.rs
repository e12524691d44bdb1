//! The objects of a file that is being written.

use std::collections::BTreeMap;

use super::dataset::Dataset;
use super::existing_group::ExistingGroup;
use super::value::Data;

/// An object of a file that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub(crate) usize);

impl ObjectId {
    /// The root group.
    pub const ROOT: Self = Self(0);

    /// No object: a null reference.
    pub const NONE: Self = Self(usize::MAX);
}

/// A group or a dataset.
pub(crate) struct Object {
    /// Its path from the root group, for messages.
    pub(crate) path: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) kind: ObjectKind,
}

pub(crate) enum ObjectKind {
    /// A group and its members, sorted by name.
    Group(BTreeMap<String, ObjectId>),
    Dataset(Box<Dataset>),
    /// A group of the existing file that is changed.
    Existing(Box<ExistingGroup>),
}

/// An attribute with its encoded type and shape.
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) datatype: Vec<u8>,
    pub(crate) dataspace: Vec<u8>,
    pub(crate) data: Data,
}

impl Object {
    pub(crate) fn group(path: String) -> Self {
        let kind = ObjectKind::Group(BTreeMap::new());
        Self { path, attributes: Vec::new(), kind }
    }

    /// Returns the new members of a group; `None` for a dataset.
    pub(crate) fn members(&mut self) -> Option<&mut BTreeMap<String, ObjectId>> {
        match &mut self.kind {
            ObjectKind::Group(members) => Some(members),
            ObjectKind::Existing(existing) => Some(&mut existing.members),
            ObjectKind::Dataset(_) => None,
        }
    }
}
