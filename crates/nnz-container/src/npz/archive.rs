//! A zip file as a set of files.

use nnz_core::{Place, Result};
use nnz_storage::InputFile;
use std::collections::BTreeMap;

use super::directory::{self, DirectoryEntry};
use super::entry::Entry;
use crate::npy::ReadAt;

/// The entries of a zip file. Of entries with the same name the last one is used, as in Python.
pub(crate) struct Archive {
    file: InputFile,
    entries: BTreeMap<String, DirectoryEntry>,
}

impl Archive {
    /// Reads the directory.
    pub(crate) fn open(file: InputFile) -> Result<Self> {
        let listed = directory::read(&file, &file.place())?;
        let entries = listed.into_iter().map(|listed| (listed.name.clone(), listed)).collect();
        Ok(Self { file, entries })
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> &InputFile {
        &self.file
    }

    /// Returns whether an entry exists.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Returns the prefix of the only folder below a prefix; `None` if there are several, or none.
    pub(crate) fn only_folder(&self, prefix: &str) -> Option<String> {
        let folder = |name: &str| name.split_once('/').map(|(folder, _)| folder.to_owned());
        let mut folders = self.below(prefix).filter_map(|(name, _)| folder(name));
        let first = folders.next()?;
        folders.all(|other| other == first).then(|| format!("{prefix}{first}/"))
    }

    /// Returns the names of entries with a prefix, without it, and their sizes.
    pub(crate) fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, u64)> {
        let from = self.entries.range(prefix.to_owned()..);
        from.map_while(move |(name, listed)| Some((name.strip_prefix(prefix)?, listed.packed)))
    }

    /// Opens an entry, whose checksum is verified when it is read; `None` if it does not exist.
    pub(crate) fn entry(&self, name: &str, place: &Place) -> Result<Option<Box<dyn ReadAt>>> {
        let Some(listed) = self.entries.get(name).cloned() else { return Ok(None) };
        Ok(Some(Box::new(Entry::open(&self.file, listed, place.clone())?)))
    }
}
