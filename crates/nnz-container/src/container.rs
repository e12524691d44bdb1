//! What every container can do.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Element, Listed, Names, Result, StringList, StringReader, ValueType};

use crate::NumberArray;

/// Says what a container can hold.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The types of number it can store.
    pub value_types: &'static [ValueType],
    /// Whether a string may hold line breaks.
    pub line_breaks: bool,
    /// Whether a string may be any bytes, not only UTF-8 without zero bytes.
    pub any_bytes: bool,
    /// Whether an attribute may have any length and line breaks.
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

/// A group with an attribute that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundGroup {
    /// The group's path without a slash before it; empty for the root group.
    pub group: String,
    /// The attribute's name.
    pub attribute: String,
    /// What it says; empty where it is no text.
    pub text: String,
}

/// Named arrays that can be read.
pub trait Container: Send + Sync {
    /// Returns the path, with `::GROUP` where it is a group inside a file.
    fn path(&self) -> &Path;

    /// Returns what kind of container it is, such as `directory`.
    fn kind(&self) -> &'static str;

    /// Returns what it can hold.
    fn capabilities(&self) -> Capabilities;

    /// Lists the names of all members, sorted.
    ///
    /// # Errors
    ///
    /// Fails where the container cannot be read.
    fn members(&self) -> Result<Vec<String>>;

    /// Reads an attribute that is text: a short one that says what the container holds, or a long one such as a
    /// description in JSON.
    ///
    /// # Errors
    ///
    /// Fails where it is missing or no text.
    fn attribute(&self, name: &str) -> Result<String>;

    /// Opens an array of numbers.
    ///
    /// # Errors
    ///
    /// Fails where it is missing, or is no array of numbers.
    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>>;

    /// Announces that members will be opened soon, all of those that exist.
    fn will_open(&self, names: &[&str]) {
        let _ = names;
    }

    /// Checks that a list of strings is there, without reading it, and returns its stored bytes.
    ///
    /// # Errors
    ///
    /// Fails where it is missing.
    fn strings_size(&self, name: &str) -> Result<u64>;

    /// Starts reading a list of strings.
    ///
    /// # Errors
    ///
    /// Fails where it is missing, or is no list of strings.
    fn read_strings(&self, name: &str) -> Result<Names<'_>>;

    /// Reads a list of strings, one after the other, into `each`.
    ///
    /// # Errors
    ///
    /// Fails where it is missing, cannot be read, or `each` fails.
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

/// An array being written. The writer that created it numbers its arrays as it likes, and knows no
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayId(pub usize);

/// Named arrays being written. Dropped unfinished, they leave nothing behind.
pub trait ContainerWriter: Send {
    /// Writes an attribute that is text.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be written, or has several lines and the container holds none such.
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()>;

    /// Creates an empty array of numbers to append to.
    ///
    /// # Errors
    ///
    /// Fails where the container cannot hold the type, or the array cannot be created.
    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId>;

    /// Appends whole elements, given in native byte order.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be written.
    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()>;

    /// Writes a list of strings as they are read.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read or written, or one of them would not read back the same.
    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()>;

    /// Writes a list of strings.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be written, or one of them would not read back the same.
    fn write_strings(
        &mut self,
        name: &str,
        strings: &mut dyn Iterator<Item = &[u8]>,
    ) -> Result<()> {
        self.copy_strings(name, &mut Listed::new(strings))
    }

    /// Completes all arrays, puts the whole in its place and returns its bytes.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done; nothing is left behind then.
    fn finish(self: Box<Self>) -> Result<u64>;
}

impl dyn ContainerWriter + '_ {
    /// Appends elements.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be written.
    pub fn append<T: Element>(&mut self, array: ArrayId, elements: &[T]) -> Result<()> {
        self.append_bytes(array, bytemuck::cast_slice(elements))
    }
}

/// A container that several readers share, without being opened again.
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
