//! Groups, and attributes of groups and arrays.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::array::NdArray;
use super::attribute::Attribute;
use crate::Container;

/// Attributes that can be read.
pub trait Attributes: std::fmt::Debug + Send + Sync {
    /// Returns the names of all attributes, sorted.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn attributes(&self) -> Result<Vec<String>>;

    /// Reads an attribute; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read. An attribute of an unsupported type is returned as
    /// [`AttributeValue::Unsupported`](super::AttributeValue::Unsupported).
    fn attribute(&self, name: &str) -> Result<Option<Attribute>>;
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its name in the group.
    pub name: String,
    /// Its kind.
    pub kind: ChildKind,
}

/// The kind of a member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildKind {
    /// A group.
    Group,
    /// An array.
    Array,
    /// Something else, such as a broken link; described for messages.
    Other(String),
}

/// A group of a tree.
pub trait Group: Attributes {
    /// Returns the path, with `::GROUP` for a group inside a file.
    fn path(&self) -> &Path;

    /// Returns the kind of container, such as `HDF5`.
    fn kind(&self) -> &'static str;

    /// Returns a number that is the same for all paths to the same group; `None` if each group has
    /// one path. It is used to detect cycles of hard links.
    fn identity(&self) -> Option<u64> {
        None
    }

    /// Returns the members, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be read.
    fn children(&self) -> Result<Vec<Child>>;

    /// Opens a child group by its name or relative path.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or is not a group.
    fn group(&self, name: &str) -> Result<Box<dyn Group>>;

    /// Opens an array by its name or relative path. No elements are read.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, is not an array, or has invalid metadata.
    fn array(&self, name: &str) -> Result<Box<dyn NdArray>>;

    /// Returns the group as a container, whose arrays of one dimension are read faster.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be opened.
    fn container(&self) -> Result<Box<dyn Container>>;
}

impl dyn Group + '_ {
    /// Returns the kind of a member; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be read.
    pub fn child(&self, name: &str) -> Result<Option<ChildKind>> {
        let children = self.children()?;
        Ok(children.into_iter().find(|child| child.name == name).map(|child| child.kind))
    }

    /// Reads an attribute that must exist.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or cannot be read.
    pub fn required_attribute(&self, name: &str) -> Result<Attribute> {
        let place = || Place::array(self.path(), name);
        self.attribute(name)?.ok_or_else(|| Error::new(ErrorKind::Missing, place()))
    }
}
