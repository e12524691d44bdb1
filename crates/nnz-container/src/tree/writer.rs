//! Writing trees to any kind of container.

use nnz_core::{Element, Error, Names, Place, Result, StringReader};

use super::attribute::Attribute;
use super::element::ElementType;
use super::spec::ArraySpec;
use crate::{Compression, ContainerInfo};

/// A group or an array of a tree that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub usize);

impl NodeId {
    /// The group that was opened for writing.
    pub const ROOT: Self = Self(0);
}

/// A writer of a tree of groups and arrays, which appears when it is finished. Dropped unfinished,
/// it leaves no output.
///
/// Elements are appended in C order. Several arrays may be appended to alternately; each keeps a
/// few chunks in memory, or the adjacent chunks across the dimensions after the first one in which
/// a chunk is longer than 1.
///
/// After an error other than [`Unsupported`](nnz_core::ErrorKind::Unsupported) the tree cannot be
/// completed.
pub trait TreeWriter: std::fmt::Debug + Send {
    /// Describes the kind of container.
    fn info(&self) -> &'static ContainerInfo;

    /// Returns the location of a group or an array, for messages.
    fn place(&self, node: NodeId) -> Place;

    /// Returns whether arrays can have such elements: by default numbers of the types of the container, and strings.
    fn supports(&self, element: &ElementType) -> bool {
        match element {
            ElementType::Number(number) => self.info().capabilities.value_types.contains(number),
            element => *element == ElementType::String,
        }
    }

    /// Returns whether arrays without a value are supported. Otherwise [`ArraySpec::null`] creates
    /// a scalar that is not stored.
    fn supports_null(&self) -> bool {
        false
    }

    /// Returns whether arrays whose elements are not stored are supported.
    fn supports_unwritten(&self) -> bool {
        true
    }

    /// Returns a compression that all programs for the container can read.
    fn usual_compression(&self) -> Compression {
        Compression::None
    }

    /// Returns how a list of strings is stored, given how other arrays are, and its length if it is known: by default
    /// in the same way.
    fn list_spec(&self, spec: ArraySpec, len: Option<u64>) -> ArraySpec {
        let _ = len;
        spec
    }

    /// Creates a group in a group. By default there are no groups but the root.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or exists, or if the container does not support nested groups.
    fn create_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        let place = self.place(parent).with_array(name.to_owned());
        Err(Error::unsupported(place, format!("{} has no groups", self.info().name)))
    }

    /// Creates an array in a group.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or exists, if the container does not support such an array, or
    /// if the specification is invalid.
    fn create_array(&mut self, parent: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId>;

    /// Sets a new attribute of a group or an array. By default there are none.
    ///
    /// # Errors
    ///
    /// Fails if the container does not support it exactly, or if the name exists.
    fn set_attribute(&mut self, node: NodeId, name: &str, attribute: &Attribute) -> Result<()> {
        let _ = (name, attribute);
        let what = format!("{} has no attributes", self.info().name);
        Err(Error::unsupported(self.place(node), what))
    }

    /// Sets a text of a group as [`Group::text`](super::Group::text) reads it: by default an attribute.
    ///
    /// # Errors
    ///
    /// Fails as [`set_attribute`](Self::set_attribute).
    fn set_text(&mut self, group: NodeId, name: &str, text: &str) -> Result<()> {
        self.set_attribute(group, name, &Attribute::of_text(text))
    }

    /// Opens a group in a group of an existing tree that is [changed](super::edit). By default there are no existing groups.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not a group, or if the tree is new.
    fn open_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        let place = self.place(parent).with_array(name.to_owned());
        Err(Error::unsupported(place, "a new tree has no existing groups"))
    }

    /// Removes a member of an existing group. A member with the same name can be created afterwards.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or if the tree or the group is new.
    fn remove(&mut self, parent: NodeId, name: &str) -> Result<()> {
        self.open_group(parent, name).map(drop)
    }

    /// Removes an attribute of an existing group. An attribute with the same name can be set afterwards.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or if the tree or the group is new.
    fn remove_attribute(&mut self, group: NodeId, name: &str) -> Result<()> {
        self.open_group(group, name).map(drop)
    }

    /// Appends complete elements in native byte order, without gaps: numbers
    /// ([`Float16`](ElementType::Float16) as `float32`), or compounds of these.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written, if there are more than the array has, or if they have
    /// another type.
    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()>;

    /// Appends all strings of a reader to an array of strings.
    ///
    /// # Errors
    ///
    /// Fails as [`append_bytes`](Self::append_bytes), or if a string cannot be stored exactly.
    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()>;

    /// Appends compounds whose fields are passed in separately. By default there are none.
    ///
    /// # Errors
    ///
    /// Fails as [`append_bytes`](Self::append_bytes) and [`append_strings`](Self::append_strings).
    fn append_records(&mut self, array: NodeId, fields: &mut [FieldValues<'_>]) -> Result<()> {
        let _ = fields;
        Err(Error::mismatch(self.place(array), "compounds", "numbers or strings"))
    }

    /// Writes the rest of a complete array, and frees its memory. Other arrays are finished with
    /// the tree.
    ///
    /// # Errors
    ///
    /// Fails if elements are missing, or cannot be written.
    fn finish_array(&mut self, array: NodeId) -> Result<()> {
        let _ = array;
        Ok(())
    }

    /// Completes the tree, moves it to the target and returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be done; there is no output then.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// The values of a field of compounds.
pub enum FieldValues<'a> {
    /// Numbers, as for [`TreeWriter::append_bytes`].
    Bytes(&'a [u8]),
    /// Strings.
    Strings(Names<'a>),
    /// Compounds, as separate fields.
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
    /// Creates groups along a path from a group, and returns the last of them.
    ///
    /// # Errors
    ///
    /// Fails as [`create_group`](TreeWriter::create_group).
    pub fn create_groups(&mut self, parent: NodeId, path: &str) -> Result<NodeId> {
        let mut names = path.split('/').filter(|name| !name.is_empty());
        names.try_fold(parent, |group, name| self.create_group(group, name))
    }

    /// Appends numbers.
    ///
    /// # Errors
    ///
    /// Fails as [`append_bytes`](TreeWriter::append_bytes).
    pub fn append<T: Element>(&mut self, array: NodeId, elements: &[T]) -> Result<()> {
        self.append_bytes(array, bytemuck::cast_slice(elements))
    }

    /// Writes a complete array of numbers.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or does not match the shape.
    pub fn write_array<T: Element>(
        &mut self,
        parent: NodeId,
        name: &str,
        shape: &[u64],
        values: &[T],
    ) -> Result<NodeId> {
        let spec = ArraySpec::new(ElementType::Number(T::TYPE), shape);
        let array = self.create_array(parent, name, &spec)?;
        self.append(array, values)?;
        self.finish_array(array)?;
        Ok(array)
    }

    /// Writes a scalar string.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
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
