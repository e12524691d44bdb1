//! A zip file as files by name.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, Place, Result};

use super::directory::{self, Listed};
use super::entry::Entry;
use crate::npy::ReadAt;

/// The entries of a zip file. Of several of one name the last is taken, as Python does.
pub(crate) struct Archive {
    file: Arc<File>,
    bytes: u64,
    entries: BTreeMap<String, Listed>,
}

impl Archive {
    /// Reads the list of entries.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let io = |error| Error::io(path, error);
        let place = Place::path(path);
        if !path.metadata().map_err(io)?.is_file() {
            return Err(Error::mismatch(place, "no regular file", "a zip file"));
        }
        let file = File::open(path).map_err(io)?;
        let bytes = file.metadata().map_err(io)?.len();
        let listed = directory::read(&file, bytes, &place)?;
        let entries = listed.into_iter().map(|listed| (listed.name.clone(), listed)).collect();
        Ok(Self { file: Arc::new(file), bytes, entries })
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
        Ok(Some(Box::new(Entry::open(&self.file, self.bytes, listed, place.clone())?)))
    }
}
