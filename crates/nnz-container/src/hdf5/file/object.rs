//! The objects of a file that is being written.

use std::collections::BTreeMap;

use super::dataset::Dataset;
use super::value::Data;

/// An object of a file that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub(super) usize);

impl ObjectId {
    /// The root group.
    pub const ROOT: Self = Self(0);

    /// No object: a null reference.
    pub const NONE: Self = Self(usize::MAX);
}

/// A group or a dataset.
pub(super) struct Object {
    /// Its path from the root group, for messages.
    pub(super) path: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) kind: ObjectKind,
}

pub(super) enum ObjectKind {
    /// A group and its members, sorted by name.
    Group(BTreeMap<String, ObjectId>),
    Dataset(Box<Dataset>),
}

/// An attribute with its encoded type and shape.
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) datatype: Vec<u8>,
    pub(super) dataspace: Vec<u8>,
    pub(super) data: Data,
}

impl Object {
    pub(super) fn group(path: String) -> Self {
        let kind = ObjectKind::Group(BTreeMap::new());
        Self { path, attributes: Vec::new(), kind }
    }
}
