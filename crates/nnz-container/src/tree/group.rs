//! Groups, and attributes of groups and arrays.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Names, Place, Result, readable};

use super::array::NdArray;
use super::attribute::{Attribute, AttributeValue};
use super::element::ElementType;
use crate::ContainerInfo;
use nnz_chunk::grid::shown;

/// Attributes that can be read. By default there are none.
pub trait Attributes: std::fmt::Debug + Send + Sync {
    /// Returns the names of all attributes, sorted.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn attributes(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Reads an attribute; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read. An attribute of an unsupported type is returned as
    /// [`AttributeValue::Unsupported`](super::AttributeValue::Unsupported).
    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let _ = name;
        Ok(None)
    }
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

    /// Describes the kind of container.
    fn info(&self) -> &'static ContainerInfo;

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

    /// Returns a text that belongs to the group: an attribute or, in containers without attributes, a member. A JSON object
    /// is returned as it is stored.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not text.
    fn text(&self, name: &str) -> Result<String> {
        let place = || Place::array(self.path(), name);
        let found = self.attribute(name)?.ok_or_else(|| Error::new(ErrorKind::Missing, place()))?;
        let utf8 = |text: &str| text.to_owned();
        match &found.value {
            AttributeValue::Json(text) if text.starts_with('{') => Ok(text.clone()),
            AttributeValue::Unsupported(what) => {
                Err(Error::unsupported(place(), format!("attributes of {what} are not supported")))
            }
            AttributeValue::Strings(list) if list.len() == 1 => found
                .text()
                .map(utf8)
                .ok_or_else(|| Error::mismatch(place(), "text that is not UTF-8", "UTF-8")),
            _ => Err(Error::mismatch(place(), "an attribute of another type", "one string")),
        }
    }

    /// Returns the names of the members, sorted.
    ///
    /// # Errors
    ///
    /// Fails if the group cannot be read.
    fn member_names(&self) -> Result<Vec<String>> {
        Ok(self.children()?.into_iter().map(|child| child.name).collect())
    }

    /// Starts reading a list of strings: an array of at most one dimension or, in containers whose strings are not arrays,
    /// what takes its place.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not a list of strings.
    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        let array = list(self.array(name)?)?;
        array.check_extent()?;
        array.read_strings(&array.all())
    }

    /// Returns the stored size of a list of strings in bytes, without reading it. What is damaged is not counted; it is an
    /// error when the strings are read.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not a list of strings, or if the system cannot read it.
    fn list_bytes(&self, name: &str) -> Result<u64> {
        let array = list(self.array(name)?)?;
        array.check_extent()?;
        readable(array.stored_bytes()).map(Option::unwrap_or_default)
    }

    /// Announces that members will be opened soon, all of those that exist.
    fn will_open(&self, names: &[&str]) {
        let _ = names;
    }
}

/// Describes elements other than strings.
pub(super) fn not_strings(element: &ElementType) -> String {
    match element {
        ElementType::Number(value_type) => format!("numbers of type {value_type}"),
        element => format!("elements of type {element}"),
    }
}

/// Checks that an array is a list of strings.
fn list(array: Box<dyn NdArray>) -> Result<Box<dyn NdArray>> {
    let found = match array.element_type() {
        element if !element.is_string() => not_strings(element),
        _ if array.shape().len() > 1 => format!("an array of {}", shown(array.shape())),
        _ => return Ok(array),
    };
    Err(Error::mismatch(array.place(), found, "strings"))
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
