//! The traits of containers.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Element, Listed, Names, Result, StringList, StringReader, ValueType};

use crate::NumberArray;

/// What a container supports.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The types of numbers.
    pub value_types: &'static [ValueType],
    /// Whether strings may have line breaks.
    pub line_breaks: bool,
    /// Whether strings may be any bytes, not only UTF-8 without zero bytes.
    pub any_bytes: bool,
    /// Whether attributes may have any length and line breaks.
    pub multiline_attributes: bool,
}

/// Returns `FILE::GROUP`, or `FILE` for the root group.
#[cfg(any(feature = "hdf5", feature = "zarr"))]
pub(crate) fn full_path(path: &Path, group: &str) -> std::path::PathBuf {
    let group = group.trim_matches('/');
    if group.is_empty() {
        return path.to_path_buf();
    }
    let mut full = std::ffi::OsString::from(path);
    full.push("::");
    full.push(group);
    full.into()
}

/// A group that has one of the attributes searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundGroup {
    /// The path of the group without a leading slash; empty for the root group.
    pub group: String,
    /// The attribute's name.
    pub attribute: String,
    /// The value of the attribute; empty if it is not text.
    pub text: String,
}

/// Named arrays that can be read.
pub trait Container: Send + Sync {
    /// Returns the path, with `::GROUP` for a group inside a file.
    fn path(&self) -> &Path;

    /// Returns the kind of container, such as `directory`.
    fn kind(&self) -> &'static str;

    /// Returns what the container supports.
    fn capabilities(&self) -> Capabilities;

    /// Lists the names of all members, sorted.
    ///
    /// # Errors
    ///
    /// Fails if the container cannot be read.
    fn members(&self) -> Result<Vec<String>>;

    /// Reads a text attribute: a short one such as a format version, or a long one such as a
    /// description in JSON.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not text.
    fn attribute(&self, name: &str) -> Result<String>;

    /// Opens an array of numbers.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not an array of numbers.
    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>>;

    /// Announces that members will be opened soon, all of those that exist.
    fn will_open(&self, names: &[&str]) {
        let _ = names;
    }

    /// Returns the stored size of a list of strings in bytes, without reading it.
    ///
    /// # Errors
    ///
    /// Fails if it is missing.
    fn strings_size(&self, name: &str) -> Result<u64>;

    /// Starts reading a list of strings.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not a list of strings.
    fn read_strings(&self, name: &str) -> Result<Names<'_>>;

    /// Calls `each` with every string of a list.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or cannot be read, or if `each` fails.
    fn for_each_string(&self, name: &str, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut strings = self.read_strings(name)?;
        while let Some(string) = strings.next_string()? {
            each(string)?;
        }
        Ok(())
    }
}

impl dyn Container + '_ {
    /// Reads a whole list of strings.
    ///
    /// # Errors
    ///
    /// Fails as [`for_each_string`](Container::for_each_string).
    pub fn strings(&self, name: &str) -> Result<StringList> {
        self.read_strings(name)?.list()
    }
}

/// An array that is being written, identified within its writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayId(pub usize);

/// A writer of named arrays. Dropped unfinished, it leaves no output.
pub trait ContainerWriter: Send {
    /// Writes a text attribute.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or has several lines and the container does not support this.
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()>;

    /// Creates an empty array of numbers, to append to.
    ///
    /// # Errors
    ///
    /// Fails if the container does not support the type, or if the array cannot be created.
    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId>;

    /// Appends complete elements in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()>;

    /// Writes a list of strings from a reader.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read or written, or if the container does not support one of them.
    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()>;

    /// Writes a list of strings.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written, or if the container does not support one of them.
    fn write_strings(
        &mut self,
        name: &str,
        strings: &mut dyn Iterator<Item = &[u8]>,
    ) -> Result<()> {
        self.copy_strings(name, &mut Listed::new(strings))
    }

    /// Completes all arrays, moves the output to the target and returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be done; there is no output then.
    fn finish(self: Box<Self>) -> Result<u64>;
}

impl dyn ContainerWriter + '_ {
    /// Appends elements.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    pub fn append<T: Element>(&mut self, array: ArrayId, elements: &[T]) -> Result<()> {
        self.append_bytes(array, bytemuck::cast_slice(elements))
    }
}

/// A container shared by several readers.
impl Container for Arc<dyn Container> {
    fn path(&self) -> &Path {
        (**self).path()
    }

    fn kind(&self) -> &'static str {
        (**self).kind()
    }

    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn members(&self) -> Result<Vec<String>> {
        (**self).members()
    }

    fn attribute(&self, name: &str) -> Result<String> {
        (**self).attribute(name)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        (**self).array(name)
    }

    fn will_open(&self, names: &[&str]) {
        (**self).will_open(names);
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        (**self).strings_size(name)
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        (**self).read_strings(name)
    }

    fn for_each_string(&self, name: &str, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        (**self).for_each_string(name, each)
    }
}
