//! Writing a file of version 3.0.0, like loompy 3.

use nnz_container::Compression;
use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_core::{At, Error, Place, Result, StringReader, Values};

use super::spec;

/// The version that is written.
const WRITTEN_VERSION: &str = "3.0.0";

/// Elements in a chunk of an attribute.
const CHUNK: u64 = 1 << 15;

/// The groups of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    pub(super) attributes: NodeId,
    pub(super) layers: NodeId,
    /// Attributes and graphs of rows and of columns.
    pub(super) tables: [NodeId; 2],
    pub(super) graphs: [NodeId; 2],
}

/// A file being written.
pub(super) struct Output {
    pub(super) tree: Box<dyn TreeWriter>,
    pub(super) compression: Compression,
    pub(super) groups: Groups,
}

impl Output {
    /// Starts a file in an empty tree: its version, and the groups that every file has. There is no date, so that
    /// the same data gives the same bytes.
    pub(super) fn start(mut tree: Box<dyn TreeWriter>, compression: Compression) -> Result<Self> {
        let mut group = |name: &str| tree.create_group(NodeId::ROOT, name);
        let groups = Groups {
            attributes: group(spec::ATTRIBUTES)?,
            layers: group("layers")?,
            tables: [group("row_attrs")?, group("col_attrs")?],
            graphs: [group("row_graphs")?, group("col_graphs")?],
        };
        tree.write_text(groups.attributes, spec::VERSION, WRITTEN_VERSION)?;
        Ok(Self { tree, compression, groups })
    }

    /// Writes an array of numbers in one dimension.
    pub(super) fn numbers(&mut self, group: NodeId, name: &str, values: &Values) -> Result<()> {
        let len = values.len().unwrap_or(0) as u64;
        let spec = self.spec(ElementType::Number(values.value_type()), len);
        let array = self.tree.create_array(group, name, &spec)?;
        self.tree.append_bytes(array, values.bytes())?;
        self.tree.finish_array(array)
    }

    /// Writes an array of `len` strings while they are read.
    pub(super) fn strings(
        &mut self,
        group: NodeId,
        name: &str,
        len: u64,
        strings: &mut dyn StringReader,
    ) -> Result<()> {
        let array = self.tree.create_array(group, name, &self.spec(ElementType::String, len))?;
        let mut checked = Checked { strings, place: self.tree.place(array), read: 0 };
        self.tree.append_strings(array, &mut checked)?;
        if checked.read != len {
            let found = format!("{} strings", checked.read);
            return Err(Error::mismatch(checked.place, found, len));
        }
        self.tree.finish_array(array)
    }

    fn spec(&self, element: ElementType, len: u64) -> ArraySpec {
        let spec = ArraySpec::new(element, &[len]);
        match self.compression {
            Compression::None => spec,
            _ if len == 0 => spec,
            _ => spec.chunk(&[len.min(CHUNK)]).compress(self.compression),
        }
    }
}

/// Strings that must be UTF-8.
struct Checked<'a> {
    strings: &'a mut dyn StringReader,
    place: Place,
    read: u64,
}

impl StringReader for Checked<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(string) = self.strings.next_string()? else { return Ok(None) };
        if std::str::from_utf8(string).is_err() {
            let found = format!("the string \"{}\"", string.escape_ascii());
            let place = self.place.clone().at(At::Element(self.read));
            return Err(Error::mismatch(place, found, "UTF-8, which Loom requires"));
        }
        self.read = self.read.saturating_add(1);
        Ok(Some(string))
    }

    fn remaining(&self) -> Option<u64> {
        self.strings.remaining()
    }
}
