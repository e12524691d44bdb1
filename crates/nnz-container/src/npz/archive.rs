//! A zip file as files by name.

use nnz_core::{Place, Result};
use nnz_storage::InputFile;
use std::collections::BTreeMap;

use super::directory::{self, Listed};
use super::entry::Entry;
use crate::npy::ReadAt;

/// The entries of a zip file. Of several of one name the last is taken, as Python does.
pub(crate) struct Archive {
    file: InputFile,
    entries: BTreeMap<String, Listed>,
}

impl Archive {
    /// Reads the list of entries.
    pub(crate) fn open(file: InputFile) -> Result<Self> {
        let listed = directory::read(&file, &file.place())?;
        let entries = listed.into_iter().map(|listed| (listed.name.clone(), listed)).collect();
        Ok(Self { file, entries })
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> &InputFile {
        &self.file
    }

    /// Returns whether there is an entry of a name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Lists what stands behind a prefix in names that start with it, and the bytes of each.
    pub(crate) fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, u64)> {
        let from = self.entries.range(prefix.to_owned()..);
        from.map_while(move |(name, listed)| Some((name.strip_prefix(prefix)?, listed.packed)))
    }

    /// Opens an entry, whose check sum is compared when it is read; `None` where there is none.
    pub(crate) fn entry(&self, name: &str, place: &Place) -> Result<Option<Box<dyn ReadAt>>> {
        let Some(listed) = self.entries.get(name).cloned() else { return Ok(None) };
        Ok(Some(Box::new(Entry::open(&self.file, listed, place.clone())?)))
    }
}
