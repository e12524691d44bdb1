//! An `.npz` file as a tree: one group without attributes.

use std::path::Path;

use nnz_core::{Result, readable};

use super::reader::Npz;
use crate::Container;
use crate::npy::{FlatGroup, MAGIC, ReadAt, check_root};
use crate::tree::{Child, ChildKind};

/// An `.npz` file as a group. Opening it reads the directory.
#[derive(Clone, Debug)]
pub struct NpzGroup(Npz);

impl NpzGroup {
    /// Opens a file, whose root is the only group.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a zip file, if two of its entries have the same name, or if `group`
    /// is not empty.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        Npz::open(path)?.tree(group)
    }
}

impl Npz {
    /// Returns the file as a tree, whose root is the only group.
    ///
    /// # Errors
    ///
    /// Fails if `group` is not empty.
    pub fn tree(&self, group: &str) -> Result<NpzGroup> {
        check_root(Container::path(self), group)?;
        Ok(NpzGroup(self.clone()))
    }
}

impl NpzGroup {
    /// Returns whether an entry starts like an array, whatever its name, as NumPy does.
    fn is_array(&self, name: &str) -> Result<bool> {
        let mut start = [0; MAGIC.len()];
        let source = readable(self.0.source(name))?;
        let Some(source) = source.filter(|source| source.bytes() >= start.len() as u64) else {
            return Ok(false);
        };
        Ok(readable(source.read_header(&mut start))?.is_some() && start == *MAGIC)
    }
}

impl FlatGroup for NpzGroup {
    fn path(&self) -> &Path {
        Container::path(&self.0)
    }

    fn kind(&self) -> &'static str {
        Container::kind(&self.0)
    }

    fn children(&self) -> Result<Vec<Child>> {
        let kind = |name, named| match named || self.is_array(name)? {
            true => Ok(ChildKind::Array),
            false => Ok(ChildKind::Other("a file that is not an array".to_owned())),
        };
        let entries = self.0.entries();
        entries.map(|(name, n)| Ok(Child { name: name.to_owned(), kind: kind(name, n)? })).collect()
    }

    fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        self.0.source(name)
    }

    fn container(&self) -> Box<dyn Container> {
        Box::new(self.0.clone())
    }
}
