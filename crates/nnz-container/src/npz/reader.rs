//! Reading an `.npz` file.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Names, Place, Result};

use super::directory::{self, Listed};
use super::entry::Entry;
use crate::container::one_line;
use crate::npy::{ReadAt, Stored, TYPES};
use crate::{Capabilities, Container, NumberArray};

pub(super) const CAPABILITIES: Capabilities =
    Capabilities { value_types: TYPES, line_breaks: true, any_bytes: false, long_texts: true };

/// An `.npz` file. Opening one reads the list of its entries.
#[derive(Clone, Debug)]
pub struct Npz {
    path: PathBuf,
    file: Arc<File>,
    bytes: u64,
    /// By name without `.npy`.
    entries: BTreeMap<String, Listed>,
}

impl Npz {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Fails where there is no zip file at `path`, or two of its entries share a name.
    pub fn open(path: &Path) -> Result<Self> {
        let io = |error| Error::io(path, error);
        let place = Place::path(path);
        let found = path.metadata().map_err(io)?;
        if !found.is_file() {
            return Err(Error::mismatch(place, "no regular file", "a file"));
        }
        let file = File::open(path).map_err(io)?;
        let mut entries = BTreeMap::new();
        for listed in directory::read(&file, found.len(), &place)? {
            let name = listed.name.strip_suffix(".npy").unwrap_or(&listed.name).to_owned();
            if entries.insert(name.clone(), listed).is_some() {
                let place = Place::array(path, name);
                return Err(Error::mismatch(place, "a second entry of this name", "one"));
            }
        }
        let path = path.to_path_buf();
        Ok(Self { path, file: Arc::new(file), bytes: found.len(), entries })
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    fn stored(&self, name: &str) -> Result<Stored> {
        let place = self.place(name);
        let Some(listed) = self.entries.get(name).cloned() else {
            return Err(Error::new(ErrorKind::Missing, place));
        };
        let entry = Entry::open(&self.file, self.bytes, listed, place.clone())?;
        Stored::open(Box::new(entry), place)
    }

    /// Opens the entry of an array.
    pub(super) fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        let place = self.place(name);
        match self.entries.get(name).cloned() {
            Some(listed) => Ok(Box::new(Entry::open(&self.file, self.bytes, listed, place)?)),
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
        &self.path
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

    fn tag(&self, name: &str) -> Result<String> {
        let text = self.text(name)?;
        one_line(&text, || self.place(name))?;
        Ok(text)
    }

    fn text(&self, name: &str) -> Result<String> {
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
