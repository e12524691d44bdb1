//! Where the files of a store are: in a directory, or in a zip file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::node::{self, Fields, Node};
use crate::npy::ReadAt;
use crate::npz::Archive;
use nnz_storage::Pinned;

/// A group or an array of a store, by where its files are.
#[derive(Clone)]
pub(super) enum Store {
    Directory(Pinned),
    Zip {
        archive: Arc<Archive>,
        /// What names of files start with: nothing, or a path and a slash.
        prefix: String,
    },
}

/// The bytes of a file in a store.
#[derive(Clone)]
pub(super) enum StoredFile {
    File(Arc<File>),
    Entry(Arc<dyn ReadAt>),
}

impl StoredFile {
    /// Fills `out` with bytes from `at` on.
    pub(super) fn read_at(&self, at: u64, out: &mut [u8], place: &Place) -> Result<()> {
        match self {
            Self::File(file) => file
                .read_exact_at(out, at)
                .map_err(|error| Error::new(ErrorKind::Io(error), place.clone())),
            Self::Entry(entry) => entry.read_at(at, out),
        }
    }
}

impl Store {
    /// Returns what lies inside by its path.
    pub(super) fn inside(&self, path: &Path) -> Self {
        match self {
            Self::Directory(directory) => Self::Directory(directory.inside(path)),
            Self::Zip { archive, prefix } => {
                let mut prefix = prefix.clone();
                for part in path.components() {
                    if let Component::Normal(name) = part {
                        prefix.push_str(&name.to_string_lossy());
                        prefix.push('/');
                    }
                }
                Self::Zip { archive: Arc::clone(archive), prefix }
            }
        }
    }

    /// Reads what it is; `None` where it is nothing of Zarr.
    pub(super) fn node(&self, place: &Place) -> Result<Option<Node>> {
        node::from_files(&|name| self.json(name, place), place)
    }

    /// Reads a file that holds an object; `None` where there is no file.
    pub(super) fn json(&self, name: &str, place: &Place) -> Result<Option<Fields>> {
        let (archive, prefix) = match self {
            Self::Directory(directory) => return node::json(&directory.join(name), place),
            Self::Zip { archive, prefix } => (archive, prefix),
        };
        let Some(entry) = archive.entry(&format!("{prefix}{name}"), place)? else {
            return Ok(None);
        };
        node::check_length(name, entry.bytes(), place)?;
        let mut text = vec![0; usize::try_from(entry.bytes()).unwrap_or(0)];
        entry.read_at(0, &mut text)?;
        node::parse(name, &text, place).map(Some)
    }

    /// Opens a file and returns its length; `None` where there is none. Opening a pipe would wait for
    /// ever.
    pub(super) fn file(&self, key: &str, place: &Place) -> Result<Option<(StoredFile, u64)>> {
        let directory = match self {
            Self::Directory(directory) => directory,
            Self::Zip { archive, prefix } => {
                let entry = archive.entry(&format!("{prefix}{key}"), place)?;
                return Ok(entry.map(|entry| {
                    let bytes = entry.bytes();
                    (StoredFile::Entry(entry.into()), bytes)
                }));
            }
        };
        let path: &Path = &directory.join(key);
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let found = match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // What is not stored is a fill value. But files of a store that was replaced are gone.
                if directory.is_replaced() {
                    return Err(Error::new(ErrorKind::Changed, place.clone()));
                }
                return Ok(None);
            }
            found => found.map_err(io)?,
        };
        if !found.is_file() {
            let found = format!("{key}, which is no regular file");
            return Err(Error::mismatch(place.clone(), found, "a chunk"));
        }
        let file = StoredFile::File(Arc::new(File::open(path).map_err(io)?));
        Ok(Some((file, found.len())))
    }

    /// Returns the names in a zip file that are groups or arrays, sorted.
    pub(super) fn zipped_nodes(&self) -> Vec<String> {
        let Self::Zip { archive, prefix } = self else { return Vec::new() };
        let below = archive.below(prefix).filter_map(|(name, _)| name.split_once('/'));
        let names: BTreeSet<&str> = below.map(|(name, _)| name).collect();
        let is_node = |name: &&str| {
            let files = node::FILES.iter();
            files.map(|file| format!("{prefix}{name}/{file}")).any(|file| archive.contains(&file))
        };
        names.into_iter().filter(is_node).map(ToOwned::to_owned).collect()
    }
}
