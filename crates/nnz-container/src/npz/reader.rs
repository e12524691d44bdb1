//! Reading an `.npz` file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

use super::directory::{self, DirectoryEntry};
use super::entry::Entry;
use crate::npy::ReadAt;

/// An `.npz` file. Opening it reads the directory. Clones share it.
#[derive(Clone, Debug)]
pub struct Npz {
    file: InputFile,
    /// The entries by name without `.npy`.
    entries: Arc<BTreeMap<String, DirectoryEntry>>,
}

impl Npz {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a zip file, or if two of its entries have the same name.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_file(InputFile::open(path)?)
    }

    /// Reads the directory of an opened file.
    ///
    /// # Errors
    ///
    /// Fails if it is not a zip file, or if two of its entries have the same name.
    pub fn from_file(file: InputFile) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for entry in directory::read(&file, &file.place())? {
            let name = entry.name.strip_suffix(".npy").unwrap_or(&entry.name).to_owned();
            if entries.insert(name.clone(), entry).is_some() {
                let place = Place::array(file.path(), name);
                return Err(Error::mismatch(place, "a second entry of this name", "one"));
            }
        }
        Ok(Self { file, entries: Arc::new(entries) })
    }

    pub(super) fn file(&self) -> &InputFile {
        &self.file
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.file.path(), name)
    }

    /// Opens the entry of an array.
    pub(super) fn open_array(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        let place = self.place(name);
        match self.entries.get(name).cloned() {
            Some(listed) => Ok(Box::new(Entry::open(&self.file, listed, place)?)),
            None => Err(Error::new(ErrorKind::Missing, place)),
        }
    }

    /// Returns the names of all entries, and whether each has the name of an array.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, bool)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry.name.ends_with(".npy")))
    }
}
