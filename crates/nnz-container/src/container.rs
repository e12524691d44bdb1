//! The traits of containers.

use std::path::Path;

use nnz_core::{Element, Listed, Result, StringReader, ValueType};

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

impl Capabilities {
    /// All types of numbers, strings in UTF-8, and attributes of any length.
    pub const TEXTS: Self = Self {
        value_types: ValueType::ALL,
        line_breaks: true,
        any_bytes: false,
        multiline_attributes: true,
    };
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
