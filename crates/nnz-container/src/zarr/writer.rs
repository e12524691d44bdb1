//! Writing a group of a store.

mod array;
mod attribute;
mod chunk;
mod consolidated;
mod element;
mod encoding;
mod metadata;
mod options;
mod strings;
mod target;
mod tree;

use std::collections::BTreeSet;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

pub use options::{ZarrOptions, ZarrTreeOptions, ZarrVersion};
pub use tree::ZarrTreeWriter;

use nnz_storage::staging::WriteOptions;

use crate::json;
use crate::tree::{ElementType, NodeId, TreeWriter as _};
use crate::{ArrayId, ContainerWriter};

/// A writer of a group of a Zarr store, which appears when it is finished.
///
/// The other contents of an existing store are kept. Dropped unfinished, the writer leaves no
/// output.
#[derive(Debug)]
pub struct ZarrWriter {
    tree: ZarrTreeWriter,
    names: BTreeSet<String>,
    arrays: Vec<NodeId>,
    options: ZarrOptions,
}

impl ZarrWriter {
    /// Starts writing a group, with or without a leading slash; the root group has an empty name.
    ///
    /// Missing parent groups are created. An existing group is replaced only with `overwrite`, and
    /// only if it has nothing but Zarr data.
    ///
    /// # Errors
    ///
    /// Fails if options are invalid, if the group may not be replaced, or if an existing store is
    /// not Zarr of version 3 or cannot be written.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: ZarrOptions,
    ) -> Result<Self> {
        options.check()?;
        if let Some(name) = group.split('/').find(|name| name.starts_with("__")) {
            let what = format!("{name:?} cannot be the name of a group in a Zarr store");
            return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
        }
        let ZarrOptions { threads, .. } = options;
        let tree = ZarrTreeOptions { version: ZarrVersion::V3, consolidate: false, threads };
        let tree = ZarrTreeWriter::create(path, group, write, tree)?;
        Ok(Self { tree, names: BTreeSet::new(), arrays: Vec::new(), options })
    }

    /// Reserves the name of a member.
    fn take(&mut self, name: &str) -> Result<Place> {
        let place = Place::array(self.tree.path(), name);
        if !target::is_name(name) {
            let what = format!("{name:?} cannot be a name in a Zarr store");
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        Ok(place)
    }

    fn add(&mut self, name: &str, element: ElementType) -> Result<NodeId> {
        let array = self.tree.create_array(NodeId::ROOT, name, &self.options.spec(element))?;
        if self.options.chunk.is_some() {
            self.tree.keep_chunk(array);
        }
        Ok(array)
    }
}

impl ContainerWriter for ZarrWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        self.take(name)?;
        let value = json::object(text).unwrap_or_else(|| metadata::string(text));
        self.tree.set_json(NodeId::ROOT, name, value)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        self.take(name)?;
        let array = self.add(name, ElementType::Number(value_type))?;
        self.arrays.push(array);
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        self.tree.append_bytes(self.arrays[array.0], bytes)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        self.take(name)?;
        let array = self.add(name, ElementType::String)?;
        self.tree.append_strings(array, strings)?;
        self.tree.finish_array(array)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        Box::new(self.tree).finish()
    }
}
