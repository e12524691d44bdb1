//! Opened stores.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::{InputDirectory, InputFile};

use super::consolidated;
use super::node;
use super::store::Store;
use super::tree::ZarrGroup;
use crate::npz::Archive;
use nnz_core::full_path;

/// Maximum number of folders in a zip file that contain only the next.
const MAX_DEPTH: usize = 32;

/// Maximum number of groups that are kept open.
const MAX_GROUPS: usize = 64;

/// An opened Zarr store, in a directory or a zip file, whose groups can be opened.
#[derive(Clone)]
pub struct ZarrStore {
    root: Store,
    path: PathBuf,
    /// Opened groups by name, to share what was read of them.
    groups: Arc<Mutex<BTreeMap<String, Store>>>,
}

impl ZarrStore {
    pub(super) fn new(root: Store, path: PathBuf) -> Self {
        Self { root, path, groups: Arc::default() }
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Opens a directory; `None` if it is neither a group nor an array.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn of_directory(directory: InputDirectory) -> Result<Option<Self>> {
        let path = directory.path().to_path_buf();
        consolidated::remember(&directory)?;
        Ok(node::is_node(&directory)?.then(|| Self::new(Store::Directory(directory), path)))
    }

    /// Opens a zip file; `None` if it is neither a group nor an array. If it has only one folder, as by
    /// `zip -r x.zarr.zip x.zarr`, that is the root.
    ///
    /// # Errors
    ///
    /// Fails if the directory of the zip file cannot be read.
    pub fn of_zip(file: InputFile) -> Result<Option<Self>> {
        let archive = Archive::open(file)?;
        let mut prefix = String::new();
        let is_node = |prefix: &str| {
            node::FILES.iter().any(|file| archive.contains(&format!("{prefix}{file}")))
        };
        let mut depth = 0;
        while !is_node(&prefix) {
            depth += 1;
            match archive.only_folder(&prefix) {
                Some(inner) if depth <= MAX_DEPTH => prefix = inner,
                _ => return Ok(None),
            }
        }
        let path = archive.file().path().to_path_buf();
        let root = Store::Zip { archive: Arc::new(archive), prefix };
        Ok(Some(Self::new(root, path)))
    }

    /// Opens a group, with the number of threads that decode the chunks of a large read. The root group has an empty
    /// name.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group.
    pub fn tree(&self, name: &str, threads: usize) -> Result<ZarrGroup> {
        let array =
            || Error::mismatch(Place::path(full_path(&self.path, name)), "an array", "a group");
        self.find(name, threads, true)?.ok_or_else(array)
    }

    /// Opens a group; `None` if it is an array. `keep` is whether it will be opened again.
    pub(super) fn find(&self, name: &str, threads: usize, keep: bool) -> Result<Option<ZarrGroup>> {
        let place = Place::path(full_path(&self.path, name));
        let directory = self.directory(name, &place, keep)?;
        ZarrGroup::in_store(directory, &self.path, name, threads)
    }

    /// Keeps an opened group.
    pub(super) fn keep(&self, name: &str, group: &ZarrGroup) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if groups.len() < MAX_GROUPS {
            groups.insert(normalize(name), group.directory().clone());
        }
    }

    /// Opens the directory of a group itself, as another one may take its path in a store that
    /// remains.
    fn directory(&self, name: &str, place: &Place, keep: bool) -> Result<Store> {
        let name = normalize(name);
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(directory) = groups.get(&name) {
            return Ok(directory.clone());
        }
        let inside = self.root.within(&name, place)?;
        let directory = match (&self.root, inside) {
            (Store::Directory(root), Store::Directory(_)) => {
                let opened = root.open_inside(&name).map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                        Error::new(ErrorKind::Missing, place.clone())
                    }
                    _ => Error::new(ErrorKind::Io(error), place.clone()),
                })?;
                Store::Directory(opened)
            }
            (_, inside) => inside,
        };
        if keep && groups.len() < MAX_GROUPS {
            groups.insert(name, directory.clone());
        }
        Ok(directory)
    }
}

/// Returns the normalized path of a group.
fn normalize(name: &str) -> String {
    name.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

impl fmt::Debug for ZarrStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZarrStore").field("path", &self.path).finish_non_exhaustive()
    }
}
