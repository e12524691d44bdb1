//! Reading an `.npz` file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Names, Place, Result};
use nnz_storage::InputFile;

use super::directory::{self, Listed};
use super::entry::Entry;
use crate::npy::{ReadAt, Stored, TYPES};
use crate::{Capabilities, Container, NumberArray};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    value_types: TYPES,
    line_breaks: true,
    any_bytes: false,
    multiline_attributes: true,
};

/// An `.npz` file. Opening it reads the directory. Clones share it.
#[derive(Clone, Debug)]
pub struct Npz {
    file: InputFile,
    /// The entries by name without `.npy`.
    entries: Arc<BTreeMap<String, Listed>>,
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

    fn place(&self, name: &str) -> Place {
        Place::array(self.file.path(), name)
    }

    fn stored(&self, name: &str) -> Result<Stored> {
        let place = self.place(name);
        let Some(listed) = self.entries.get(name).cloned() else {
            return Err(Error::new(ErrorKind::Missing, place));
        };
        let entry = Entry::open(&self.file, listed, place.clone())?;
        Stored::open(Box::new(entry), place)
    }

    /// Opens the entry of an array.
    pub(super) fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
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

impl Container for Npz {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn kind(&self) -> &'static str {
        "npz"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        Ok(self.entries.keys().cloned().collect())
    }

    fn attribute(&self, name: &str) -> Result<String> {
        self.stored(name)?.text()
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        Ok(Box::new(self.stored(name)?.numbers()?))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.stored(name)?.strings_size()
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        self.stored(name)?.strings()
    }
}
