//! An `.npz` file as a tree: one group without attributes.

use std::path::Path;

use nnz_core::{Result, readable};

use super::reader::Npz;
use crate::ContainerInfo;
use crate::kinds::NPZ;
use crate::npy::{FlatGroup, MAGIC, ReadAt};
use crate::tree::{Child, ChildKind};

impl Npz {
    /// Returns whether an entry starts like an array, whatever its name, as NumPy does.
    fn is_array(&self, name: &str) -> Result<bool> {
        let mut start = [0; MAGIC.len()];
        let source = readable(self.open_array(name))?;
        let Some(source) = source.filter(|source| source.bytes() >= start.len() as u64) else {
            return Ok(false);
        };
        Ok(readable(source.read_header(&mut start))?.is_some() && start == *MAGIC)
    }
}

impl FlatGroup for Npz {
    fn path(&self) -> &Path {
        self.file().path()
    }

    fn info(&self) -> &'static ContainerInfo {
        &NPZ
    }

    fn children(&self) -> Result<Vec<Child>> {
        let kind = |name, named| match named || self.is_array(name)? {
            true => Ok(ChildKind::Array),
            false => Ok(ChildKind::Other("a file that is not an array".to_owned())),
        };
        let entries = self.entries();
        entries.map(|(name, n)| Ok(Child { name: name.to_owned(), kind: kind(name, n)? })).collect()
    }

    fn member_names(&self) -> Result<Vec<String>> {
        Ok(self.entries().map(|(name, _)| name.to_owned()).collect())
    }

    fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        self.open_array(name)
    }
}
