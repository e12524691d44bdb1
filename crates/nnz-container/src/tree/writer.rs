//! Writing trees, whatever kind of container they are in.

use nnz_core::{Element, Names, Place, Result, StringReader};

use super::attribute::Attribute;
use super::element::ElementType;
use super::spec::ArraySpec;
use crate::Compression;

/// Names a group or an array of a tree that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(crate) usize);

impl NodeId {
    /// The group that was opened for writing.
    pub const ROOT: Self = Self(0);
}

/// A tree of groups and arrays being written, invisible until it is finished. Dropped unfinished, it
/// leaves nothing behind.
///
/// Elements are appended in the order of rows: the last dimension changes fastest. Several arrays may be
/// appended to in turns; each keeps a few chunks in memory, or as many as lie beside each other across the
/// dimensions behind the first in which a chunk is longer than 1.
///
/// After an error that is not [`Unsupported`](nnz_core::ErrorKind::Unsupported) the tree cannot be
/// completed.
pub trait TreeWriter: std::fmt::Debug + Send {
    /// Returns what kind of container it is, such as `HDF5`.
    fn kind(&self) -> &'static str;

    /// Returns the place of a group or an array, for messages.
    fn place(&self, node: NodeId) -> Place;

    /// Returns whether arrays can have such elements.
    fn supports(&self, element: &ElementType) -> bool;

    /// Returns whether there are arrays without any value. Elsewhere [`ArraySpec::null`] makes a single
    /// value that is not stored.
    fn supports_null(&self) -> bool {
        false
    }

    /// Returns whether there are arrays whose elements are not stored.
    fn supports_unwritten(&self) -> bool {
        true
    }

    /// Returns how arrays are compressed that every program of the container reads.
    fn usual_compression(&self) -> Compression;

    /// Creates a group in a group.
    ///
    /// # Errors
    ///
    /// Fails where the name cannot be one or is taken, or the container has no groups in groups.
    fn create_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId>;

    /// Creates an array in a group.
    ///
    /// # Errors
    ///
    /// Fails where the name cannot be one or is taken, the container cannot hold such an array, or there
    /// can be none.
    fn create_array(&mut self, parent: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId>;

    /// Sets an attribute of a group or an array, which must not have it yet.
    ///
    /// # Errors
    ///
    /// Fails where the container cannot hold it exactly, or the name is taken.
    fn set_attribute(&mut self, node: NodeId, name: &str, attribute: &Attribute) -> Result<()>;

    /// Appends whole elements, given in native byte order and without gaps: numbers, those of
    /// [`Float16`](ElementType::Float16) as `float32`, or compounds of these.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be written, are more than the array has, or are of other types.
    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()>;

    /// Appends all strings of a reader to an array of strings.
    ///
    /// # Errors
    ///
    /// Fails as [`append_bytes`](Self::append_bytes), or where a string cannot be stored exactly.
    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()>;

    /// Appends compounds, given field by field.
    ///
    /// # Errors
    ///
    /// Fails as [`append_bytes`](Self::append_bytes) and [`append_strings`](Self::append_strings).
    fn append_records(&mut self, array: NodeId, fields: &mut [FieldValues<'_>]) -> Result<()>;

    /// Writes what is left of an array, which is complete, and frees its memory. Arrays that are not
    /// finished so are when the tree is.
    ///
    /// # Errors
    ///
    /// Fails where elements are missing, or cannot be written.
    fn finish_array(&mut self, array: NodeId) -> Result<()>;

    /// Completes the tree, puts it in its place and returns its bytes.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done; nothing is left behind then.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// The values of a field of some compounds.
pub enum FieldValues<'a> {
    /// Numbers, as [`TreeWriter::append_bytes`] takes them.
    Bytes(&'a [u8]),
    /// Strings.
    Strings(Names<'a>),
    /// Compounds, field by field.
    Records(Vec<FieldValues<'a>>),
}

impl std::fmt::Debug for FieldValues<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Strings(_) => f.write_str("Strings"),
            Self::Records(fields) => f.debug_tuple("Records").field(fields).finish(),
        }
    }
}

impl dyn TreeWriter + '_ {
    /// Creates groups along a path from a group; the last of them is returned.
    ///
    /// # Errors
    ///
    /// Fails as [`create_group`](TreeWriter::create_group).
    pub fn create_groups(&mut self, parent: NodeId, path: &str) -> Result<NodeId> {
        let mut names = path.split('/').filter(|name| !name.is_empty());
        names.try_fold(parent, |group, name| self.create_group(group, name))
    }

    /// Writes a whole array of numbers.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be written, or is not of the shape.
    pub fn write_array<T: Element>(
        &mut self,
        parent: NodeId,
        name: &str,
        shape: &[u64],
        values: &[T],
    ) -> Result<NodeId> {
        let spec = ArraySpec::new(ElementType::Number(T::TYPE), shape);
        let array = self.create_array(parent, name, &spec)?;
        self.append_bytes(array, bytemuck::cast_slice(values))?;
        self.finish_array(array)?;
        Ok(array)
    }

    /// Writes a single string.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be written.
    pub fn write_text(&mut self, parent: NodeId, name: &str, text: &str) -> Result<NodeId> {
        let array = self.create_array(parent, name, &ArraySpec::scalar(ElementType::String))?;
        self.append_list(array, [text])?;
        self.finish_array(array)?;
        Ok(array)
    }

    /// Appends strings to an array of strings.
    ///
    /// # Errors
    ///
    /// Fails as [`append_strings`](TreeWriter::append_strings).
    pub fn append_list<T: AsRef<[u8]>>(
        &mut self,
        array: NodeId,
        strings: impl IntoIterator<Item = T>,
    ) -> Result<()> {
        let list: nnz_core::StringList = strings.into_iter().collect();
        self.append_strings(array, &mut *list.reader())
    }
}
