//! The members of a group by name, as BPCells and Binsparse read them from any container.

mod writer;

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, Names, Result, StringList};
use nnz_storage::Opened;

use crate::kind::other_kind;
use crate::kinds::KINDS;
use crate::tree::{ElementType, Group};
use crate::{ContainerInfo, Vector};

pub use writer::NamedArraysWriter;

/// A view of a group: texts, arrays of numbers of one dimension, and lists of strings. Clones share it.
#[derive(Clone, Debug)]
pub struct NamedArrays(Arc<dyn Group>);

impl NamedArrays {
    /// Wraps a group.
    pub fn new(group: impl Group + 'static) -> Self {
        Self(Arc::new(group))
    }

    /// Opens a group of any kind of container, each array read by one thread. The root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a known kind of container, or has no such group.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        let opened = Opened::local(path)?;
        for kind in KINDS {
            if kind.matches(&opened)? {
                return kind.open(&opened)?.group(group, 1).map(Self::from);
            }
        }
        Err(other_kind(&opened, "a container of named arrays"))
    }

    /// Returns the group.
    #[must_use]
    pub fn group(&self) -> &Arc<dyn Group> {
        &self.0
    }

    /// Returns the path, with `::GROUP` for a group inside a file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Describes the kind of container.
    #[must_use]
    pub fn info(&self) -> &'static ContainerInfo {
        self.0.info()
    }

    /// Returns the names of all members and attributes, sorted.
    ///
    /// # Errors
    ///
    /// Fails if the container cannot be read.
    pub fn members(&self) -> Result<Vec<String>> {
        let mut names = self.0.member_names()?;
        names.extend(self.0.attributes()?);
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Reads a text: a short one such as a format version, or a long one such as a description in JSON.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not text.
    pub fn attribute(&self, name: &str) -> Result<String> {
        self.0.text(name)
    }

    /// Opens an array of numbers.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, is not an array of numbers of one dimension, or has no data for its length.
    pub fn array(&self, name: &str) -> Result<Vector> {
        let array = self.0.array(name)?;
        let what = match array.element_type() {
            ElementType::Number(_) => return Vector::new(array),
            ElementType::Other(what) => format!("{what} are not supported"),
            element if element.is_string() => {
                return Err(Error::mismatch(array.place(), "strings", "numbers"));
            }
            element => format!("elements of type {element} are not supported"),
        };
        Err(Error::unsupported(array.place(), what))
    }

    /// Announces that members will be opened soon, all of those that exist.
    pub fn will_open(&self, names: &[&str]) {
        self.0.will_open(names);
    }

    /// Returns the stored size of a list of strings in bytes, without reading it.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or is not a list of strings.
    pub fn strings_size(&self, name: &str) -> Result<u64> {
        self.0.list_bytes(name)
    }

    /// Starts reading a list of strings.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not a list of strings.
    pub fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        self.0.read_list(name)
    }

    /// Calls `each` with every string of a list.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or cannot be read, or if `each` fails.
    pub fn for_each_string(
        &self,
        name: &str,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut strings = self.read_strings(name)?;
        while let Some(string) = strings.next_string()? {
            each(string)?;
        }
        Ok(())
    }

    /// Reads a whole list of strings.
    ///
    /// # Errors
    ///
    /// Fails as [`for_each_string`](Self::for_each_string).
    pub fn strings(&self, name: &str) -> Result<StringList> {
        self.read_strings(name)?.list()
    }
}

impl From<Box<dyn Group>> for NamedArrays {
    fn from(group: Box<dyn Group>) -> Self {
        Self(group.into())
    }
}

impl From<Arc<dyn Group>> for NamedArrays {
    fn from(group: Arc<dyn Group>) -> Self {
        Self(group)
    }
}
