//! A group of a store as a container.

use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Names, Place, Result};
use nnz_storage::InputDirectory;

use super::chunks::Stored;
use super::node::{Group, Node};
use super::numbers::Numbers;
use super::open::ZarrStore;
use super::store::{Listed, Store};
use super::strings::{self, Strings};
use crate::npy::TYPES;
use crate::{Capabilities, Container, NumberArray};

/// What a group supports.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    value_types: TYPES,
    line_breaks: true,
    any_bytes: false,
    multiline_attributes: true,
};

/// A group of a Zarr store. Opening it reads its attributes.
pub struct Zarr {
    directory: Store,
    path: PathBuf,
    group: Group,
    threads: usize,
}

impl Zarr {
    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a Zarr store, or has no such group.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        let root = InputDirectory::open(path)?;
        ZarrStore::new(Store::Directory(root), path.to_path_buf()).group(group)
    }

    /// Opens a directory, or a part of a zip file, as a group.
    pub(super) fn of(directory: Store, path: PathBuf, threads: usize) -> Result<Self> {
        let place = Place::path(&*path);
        let array = || Error::mismatch(place.clone(), "an array", "a group");
        Self::in_directory(directory, path, threads)?.ok_or_else(array)
    }

    /// Opens a directory, or a part of a zip file, as a group; `None` if it is an array.
    pub(super) fn in_directory(
        directory: Store,
        path: PathBuf,
        threads: usize,
    ) -> Result<Option<Self>> {
        let place = Place::path(&*path);
        match directory.node(&place)? {
            Some(Node::Group(group)) => Ok(Some(Self { directory, path, group, threads })),
            Some(Node::Array(..)) => Ok(None),
            None => Err(Error::new(ErrorKind::Missing, place)),
        }
    }

    /// Sets the number of threads that decode the chunks of a large read; the default is all cores.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    pub(super) fn directory(&self) -> &Store {
        &self.directory
    }

    /// Returns whether an attribute of any type exists.
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.group.attributes.contains_key(name)
    }

    /// Returns the names of the groups and arrays of the group, sorted.
    pub(super) fn nodes(&self) -> Result<Vec<String>> {
        let nodes = self.directory.nodes()?.into_iter();
        Ok(nodes.filter(|(_, listed)| *listed == Listed::Node).map(|(name, _)| name).collect())
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    fn stored(&self, name: &str) -> Result<Stored> {
        let place = self.place(name);
        if name.trim_matches('/').is_empty() {
            return Err(Error::new(ErrorKind::Missing, place));
        }
        Stored::open(self.directory.within(name, &place)?, place)
    }
}

impl Container for Zarr {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> &'static str {
        "Zarr"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        let mut names = self.nodes()?;
        names.extend(self.group.attributes.keys().cloned());
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn attribute(&self, name: &str) -> Result<String> {
        let found = self.group.attributes.get(name);
        let raw = found.ok_or_else(|| Error::new(ErrorKind::Missing, self.place(name)))?.get();
        let found = match raw.as_bytes().first() {
            Some(b'{') => return Ok(raw.to_owned()),
            Some(b'"') => serde_json::from_str(raw).ok(),
            _ => None,
        };
        let expected = "an attribute that is an object or a string";
        found.ok_or_else(|| {
            Error::mismatch(self.place(name), "an attribute of another type", expected)
        })
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        Ok(Box::new(Numbers::of(self.stored(name)?, self.threads)?))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        let stored = self.stored(name)?;
        strings::check(&stored)?;
        stored.stored_bytes()
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        Ok(Box::new(Strings::new(self.stored(name)?)?))
    }
}

impl std::fmt::Debug for Zarr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zarr").field("path", &self.path).finish_non_exhaustive()
    }
}
