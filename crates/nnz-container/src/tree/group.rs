//! Groups, and what groups and arrays have in common.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::array::NdArray;
use super::attribute::Attribute;
use crate::Container;

/// Attributes that can be read.
pub trait Attributes: std::fmt::Debug + Send + Sync {
    /// Lists the names of all attributes, sorted.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read.
    fn attributes(&self) -> Result<Vec<String>>;

    /// Reads an attribute; `None` where there is none of that name.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read. One of a type that is not handled is
    /// [`AttributeValue::Unsupported`](super::AttributeValue::Unsupported).
    fn attribute(&self, name: &str) -> Result<Option<Attribute>>;
}

/// What is in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its name in the group.
    pub name: String,
    /// What it is.
    pub kind: ChildKind,
}

/// What something in a group is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildKind {
    /// A group.
    Group,
    /// An array.
    Array,
    /// Anything else, such as a link that leads nowhere; described for a message.
    Other(String),
}

/// A group of a tree, open for reading.
pub trait Group: Attributes {
    /// Returns the path, with `::GROUP` where it is a group inside a file.
    fn path(&self) -> &Path;

    /// Returns what kind of container it is in, such as `HDF5`.
    fn kind(&self) -> &'static str;

    /// Returns a number that two paths to the same group share; `None` where each group has one
    /// path. Hard links can make circles, which are found by it.
    fn identity(&self) -> Option<u64> {
        None
    }

    /// Lists what is in the group, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails where the group cannot be read.
    fn children(&self) -> Result<Vec<Child>>;

    /// Opens a child group, by its name or its path from here.
    ///
    /// # Errors
    ///
    /// Fails where it is missing, or is no group.
    fn group(&self, name: &str) -> Result<Box<dyn Group>>;

    /// Opens an array, by its name or its path from here. No elements are read.
    ///
    /// # Errors
    ///
    /// Fails where it is missing, is no array, or says of itself what cannot be.
    fn array(&self, name: &str) -> Result<Box<dyn NdArray>>;

    /// Opens the group as a container, whose arrays of one dimension are read the fastest way.
    ///
    /// # Errors
    ///
    /// Fails where the group cannot be opened.
    fn container(&self) -> Result<Box<dyn Container>>;
}

impl dyn Group + '_ {
    /// Returns what something in the group is; `None` where there is nothing of that name.
    ///
    /// # Errors
    ///
    /// Fails where the group cannot be read.
    pub fn child(&self, name: &str) -> Result<Option<ChildKind>> {
        let children = self.children()?;
        Ok(children.into_iter().find(|child| child.name == name).map(|child| child.kind))
    }

    /// Reads an attribute that has to be there.
    ///
    /// # Errors
    ///
    /// Fails where it is missing, or cannot be read.
    pub fn required_attribute(&self, name: &str) -> Result<Attribute> {
        let place = || Place::array(self.path(), name);
        self.attribute(name)?.ok_or_else(|| Error::new(ErrorKind::Missing, place()))
    }
}
