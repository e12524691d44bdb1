//! Writing groups and arrays, with the attributes of anndata.

use nnz_container::Compression;
use nnz_container::kinds;
use nnz_container::tree::{ArraySpec, Attribute, ElementType, NodeId, TreeWriter};
use nnz_core::{Element, Error, Place, Result, StringReader, TimeType, ValueType, Values};

/// Elements in a chunk.
const CHUNK: u64 = 1 << 15;

/// Elements in a chunk if each chunk is a file.
const LARGE_CHUNK: u64 = 1 << 20;

/// A group.
#[derive(Clone, Copy)]
pub(crate) struct Group(pub(crate) NodeId);

impl Group {
    pub(crate) const ROOT: Self = Self(NodeId::ROOT);
}

/// An array to which elements are appended.
#[derive(Clone, Copy)]
pub(crate) struct Array(pub(crate) NodeId);

/// A tree being written.
pub(crate) struct Output {
    pub(crate) tree: Box<dyn TreeWriter>,
    pub(crate) compression: Compression,
    chunk: u64,
}

impl Output {
    pub(crate) fn new(tree: Box<dyn TreeWriter>, compression: Compression) -> Self {
        let chunk = if *tree.info() == kinds::ZARR { LARGE_CHUNK } else { CHUNK };
        Self { tree, compression, chunk }
    }

    pub(crate) fn group(&mut self, parent: Group, name: &str) -> Result<Group> {
        self.tree.create_group(parent.0, name).map(Group)
    }

    /// Sets the encoding of a group.
    pub(crate) fn encode(&mut self, group: Group, kind: &str, version: &str) -> Result<()> {
        self.encode_node(group.0, kind, version)
    }

    pub(crate) fn encode_node(&mut self, node: NodeId, kind: &str, version: &str) -> Result<()> {
        self.tree.set_attribute(node, "encoding-type", &Attribute::of_text(kind))?;
        self.tree.set_attribute(node, "encoding-version", &Attribute::of_text(version))
    }

    pub(crate) fn set_text(&mut self, group: Group, name: &str, text: &str) -> Result<()> {
        self.tree.set_attribute(group.0, name, &Attribute::of_text(text))
    }

    /// Sets a list of strings. An empty list is an array of floats, like in anndata.
    pub(crate) fn set_texts(&mut self, group: Group, name: &str, texts: &[String]) -> Result<()> {
        let attribute = match texts {
            [] => Attribute::of_numbers::<f64>(&[]),
            texts => Attribute::of_texts(texts),
        };
        self.tree.set_attribute(group.0, name, &attribute)
    }

    pub(crate) fn set_numbers<T: Element>(
        &mut self,
        group: Group,
        name: &str,
        numbers: &[T],
    ) -> Result<()> {
        self.tree.set_attribute(group.0, name, &Attribute::of_numbers(numbers))
    }

    pub(crate) fn set_boolean(&mut self, group: Group, name: &str, value: bool) -> Result<()> {
        self.tree.set_attribute(group.0, name, &Attribute::of_boolean(value))
    }

    /// Creates an array of a sparse matrix, to which elements are appended; `len` is its length, if
    /// it is known.
    pub(crate) fn growing(
        &mut self,
        group: Group,
        name: &str,
        value_type: ValueType,
        len: Option<u64>,
    ) -> Result<Array> {
        let spec = ArraySpec::growing(ElementType::Number(value_type), &[]);
        let spec = spec.chunk(&[self.chunk(len)]).compress(self.compression);
        self.tree.create_array(group.0, name, &spec).map(Array)
    }

    /// Appends elements in native byte order.
    pub(crate) fn append(&mut self, array: Array, bytes: &[u8]) -> Result<()> {
        self.tree.append_bytes(array.0, bytes)
    }

    /// Writes the rest of an array that is complete.
    pub(crate) fn finish_array(&mut self, array: Array) -> Result<()> {
        self.tree.finish_array(array.0)
    }

    /// Writes an array of numbers.
    pub(crate) fn numbers(&mut self, group: Group, name: &str, values: &Values) -> Result<()> {
        let element = ElementType::Number(values.value_type());
        let array = self.elements(group, name, values, element)?;
        self.tree.finish_array(array)
    }

    /// Writes an array of dates or durations.
    pub(crate) fn times(
        &mut self,
        group: Group,
        name: &str,
        values: &Values,
        time: TimeType,
    ) -> Result<()> {
        let array = self.elements(group, name, values, ElementType::Time(time))?;
        self.tree.finish_array(array)
    }

    /// Writes an array of numbers with an attribute.
    pub(crate) fn numbers_with(
        &mut self,
        group: Group,
        name: &str,
        values: &Values,
        (attribute, value): (&str, &Attribute),
    ) -> Result<()> {
        let element = ElementType::Number(values.value_type());
        let array = self.elements(group, name, values, element)?;
        self.tree.set_attribute(array, attribute, value)?;
        self.tree.finish_array(array)
    }

    fn elements(
        &mut self,
        group: Group,
        name: &str,
        values: &Values,
        element: ElementType,
    ) -> Result<NodeId> {
        let spec = self.spec(element, values.len().unwrap_or(0) as u64);
        let array = self.tree.create_array(group.0, name, &spec)?;
        self.encode_node(array, "array", "0.2.0")?;
        self.tree.append_bytes(array, values.bytes())?;
        Ok(array)
    }

    /// Writes a matrix of `float64`, whose bytes are in native order, by row.
    pub(crate) fn dense(
        &mut self,
        group: Group,
        name: &str,
        shape: [u64; 2],
        values: &Values,
    ) -> Result<()> {
        let [rows, cols] = shape;
        let spec = ArraySpec::new(ElementType::Number(values.value_type()), &shape);
        let chunk = [(self.chunk / cols.max(1)).clamp(1, rows.max(1)), cols.max(1)];
        let spec = match self.compression {
            Compression::None => spec,
            _ if rows == 0 || cols == 0 => spec,
            _ => spec.chunk(&chunk).compress(self.compression),
        };
        let array = self.tree.create_array(group.0, name, &spec)?;
        self.encode_node(array, "array", "0.2.0")?;
        self.tree.append_bytes(array, values.bytes())?;
        self.tree.finish_array(array)
    }

    /// Writes an array of `len` strings while they are read.
    pub(crate) fn strings(
        &mut self,
        group: Group,
        name: &str,
        len: u64,
        strings: &mut dyn StringReader,
    ) -> Result<()> {
        let spec = self.spec(ElementType::String, len);
        let array = self.tree.create_array(group.0, name, &spec)?;
        self.encode_node(array, "string-array", "0.2.0")?;
        let mut checked = Checked { strings, place: self.tree.place(array), left: len };
        self.tree.append_strings(array, &mut checked)?;
        if checked.left > 0 {
            let found = format!("{} strings", len - checked.left);
            return Err(Error::mismatch(checked.place, found, len));
        }
        self.tree.finish_array(array)
    }

    fn spec(&self, element: ElementType, len: u64) -> ArraySpec {
        let spec = ArraySpec::new(element, &[len]);
        match self.compression {
            // Contiguous, in containers that support it.
            Compression::None => spec,
            _ if len == 0 => spec,
            _ => spec.chunk(&[self.chunk(Some(len))]).compress(self.compression),
        }
    }

    /// Returns the length of chunks.
    pub(crate) fn chunk(&self, len: Option<u64>) -> u64 {
        len.unwrap_or(self.chunk).clamp(1, self.chunk)
    }

    pub(crate) fn finish(self) -> Result<u64> {
        self.tree.finish()
    }
}

/// Strings that must be UTF-8, up to a number.
struct Checked<'a> {
    strings: &'a mut dyn StringReader,
    place: Place,
    left: u64,
}

impl StringReader for Checked<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(string) = self.strings.next_string()? else { return Ok(None) };
        if std::str::from_utf8(string).is_err() {
            let found = format!("the string {:?}", String::from_utf8_lossy(string));
            let expected = "UTF-8, which AnnData requires";
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        self.left = self.left.saturating_sub(1);
        Ok(Some(string))
    }

    fn remaining(&self) -> Option<u64> {
        self.strings.remaining()
    }
}
