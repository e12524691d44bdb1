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

/// An `.npz` file. Opening one reads the list of its entries. Clones share it.
#[derive(Clone, Debug)]
pub struct Npz {
    file: InputFile,
    /// By name without `.npy`.
    entries: Arc<BTreeMap<String, Listed>>,
}

impl Npz {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Fails where there is no zip file at `path`, or two of its entries share a name.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_file(InputFile::open(path)?)
    }

    /// Takes a file that has been opened.
    ///
    /// # Errors
    ///
    /// Fails where it is no zip file, or two of its entries share a name.
    pub fn from_file(file: InputFile) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for listed in directory::read(&file, &file.place())? {
            let name = listed.name.strip_suffix(".npy").unwrap_or(&listed.name).to_owned();
            if entries.insert(name.clone(), listed).is_some() {
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

    /// Lists the names of all entries, and whether each is named as an array.
    pub(super) fn listed(&self) -> impl Iterator<Item = (&str, bool)> {
        self.entries.iter().map(|(name, listed)| (name.as_str(), listed.name.ends_with(".npy")))
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
