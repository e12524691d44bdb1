//! Writing the members of a group by name, as BPCells and Binsparse do to any container.

use std::collections::BTreeSet;

use nnz_core::{At, Element, Error, ErrorKind, Listed, Place, Result, StringReader, ValueType};

use crate::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use crate::{Compression, ContainerInfo};

/// A view of the root of a tree that is being written: texts, arrays of numbers of one dimension, and lists of
/// strings. Dropped unfinished, it leaves no output.
///
/// ```
/// use nnz_container::memory::Memory;
/// use nnz_core::ValueType;
///
/// let memory = Memory::new();
/// let mut writer = memory.writer();
/// writer.set_attribute("version", "a-format-v1")?;
/// let values = writer.create_array("values", ValueType::U32)?;
/// writer.append(values, &[1_u32, 2])?;
/// writer.finish()?;
/// assert_eq!(memory.arrays().array("values")?.len(), 2);
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct NamedArraysWriter {
    tree: Box<dyn TreeWriter>,
    names: BTreeSet<String>,
    compression: Compression,
    chunk: Option<u64>,
}

impl NamedArraysWriter {
    /// Wraps a writer of a tree.
    pub fn new(tree: impl TreeWriter + 'static) -> Self {
        Self::from(Box::new(tree) as Box<dyn TreeWriter>)
    }

    /// Compresses arrays, in containers that do so.
    #[must_use]
    pub fn compress(self, compression: Compression) -> Self {
        Self { compression, ..self }
    }

    /// Sets the number of elements of a chunk, in containers with chunks. The default depends on the container.
    #[must_use]
    pub fn chunk(self, elements: u64) -> Self {
        Self { chunk: Some(elements), ..self }
    }

    /// Describes the kind of container.
    #[must_use]
    pub fn info(&self) -> &'static ContainerInfo {
        self.tree.info()
    }

    /// Writes a text.
    ///
    /// # Errors
    ///
    /// Fails if the name exists, or if the text cannot be written, or has several lines and the container does not
    /// support this.
    pub fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        self.take(name)?;
        self.tree.set_text(NodeId::ROOT, name, text)
    }

    /// Creates an empty array of numbers, to append to.
    ///
    /// # Errors
    ///
    /// Fails if the name exists, if the container does not support the type, or if the array cannot be created.
    pub fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<NodeId> {
        self.take(name)?;
        self.tree.create_array(NodeId::ROOT, name, &self.spec(ElementType::Number(value_type)))
    }

    /// Appends complete elements in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    pub fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        self.tree.append_bytes(array, bytes)
    }

    /// Appends elements.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    pub fn append<T: Element>(&mut self, array: NodeId, elements: &[T]) -> Result<()> {
        self.append_bytes(array, bytemuck::cast_slice(elements))
    }

    /// Writes a list of strings from a reader.
    ///
    /// # Errors
    ///
    /// Fails if the name exists, if the strings cannot be read or written, or if the container does not support one
    /// of them.
    pub fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        self.take(name)?;
        let spec = self.tree.list_spec(self.spec(ElementType::String), strings.remaining());
        let array = self.tree.create_array(NodeId::ROOT, name, &spec)?;
        let (place, info, stated) = (self.tree.place(array), self.info(), strings.remaining());
        let mut strings = CheckedStrings { strings, place, info, stated, count: 0 };
        self.tree.append_strings(array, &mut strings)?;
        self.tree.finish_array(array)
    }

    /// Writes a list of strings.
    ///
    /// # Errors
    ///
    /// Fails as [`copy_strings`](Self::copy_strings).
    pub fn write_strings(
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
    pub fn finish(self) -> Result<u64> {
        self.tree.finish()
    }

    fn spec(&self, element: ElementType) -> ArraySpec {
        let spec = ArraySpec::growing(element, &[]).compress(self.compression);
        let spec = if self.compression == Compression::None { spec } else { spec.shuffle() };
        match self.chunk {
            Some(chunk) => spec.chunk(&[chunk]),
            None => spec,
        }
    }

    /// Reserves the name of a member: texts and arrays have different names, since in some containers both are
    /// files.
    fn take(&mut self, name: &str) -> Result<()> {
        if self.names.insert(name.to_owned()) {
            return Ok(());
        }
        let place = self.tree.place(NodeId::ROOT).with_array(name.to_owned());
        Err(Error::new(ErrorKind::Exists, place))
    }
}

impl From<Box<dyn TreeWriter>> for NamedArraysWriter {
    fn from(tree: Box<dyn TreeWriter>) -> Self {
        Self { tree, names: BTreeSet::new(), compression: Compression::None, chunk: None }
    }
}

/// Checks strings while they are written: they have to be text where a container has only text, and as many as stated.
struct CheckedStrings<'a> {
    strings: &'a mut dyn StringReader,
    place: Place,
    info: &'static ContainerInfo,
    stated: Option<u64>,
    count: u64,
}

impl StringReader for CheckedStrings<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let found = self.strings.next_string()?;
        let stated = self.stated.unwrap_or(self.count + u64::from(found.is_some()));
        if found.is_some() != (self.count < stated) {
            let more = if found.is_some() { "more than " } else { "" };
            let found = format!("{more}{} strings", self.count);
            return Err(Error::mismatch(self.place.clone(), found, format!("the stated {stated}")));
        }
        let Some(string) = found else { return Ok(None) };
        let text = std::str::from_utf8(string).ok().filter(|text| !text.contains('\0'));
        if text.is_none() && !self.info.capabilities.any_bytes {
            let place = self.place.clone().at(At::Element(self.count));
            let shown = string[..string.len().min(80)].escape_ascii();
            let expected =
                format!("UTF-8 without zero bytes, as for all text in {}", self.info.name);
            return Err(Error::mismatch(place, format!("the name \"{shown}\""), expected));
        }
        self.count += 1;
        Ok(Some(string))
    }

    fn remaining(&self) -> Option<u64> {
        self.strings.remaining()
    }

    fn min_bytes(&self) -> u64 {
        self.strings.min_bytes()
    }
}
