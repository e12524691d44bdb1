//! A group of a store as a container.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Names, Place, Result};

use super::chunks::Stored;
use super::node::{self, Group, Node};
use super::numbers::Numbers;
use super::store::Store;
use super::strings::{self, Strings};
use crate::container::{full_path, one_line};
use crate::npy::TYPES;
use crate::{Capabilities, Container, NumberArray};
use nnz_storage::Pinned;

/// What a group can hold.
pub(super) const CAPABILITIES: Capabilities =
    Capabilities { value_types: TYPES, line_breaks: true, any_bytes: false, long_texts: true };

/// A group of a Zarr store. Opening one reads its attributes.
pub struct Zarr {
    directory: Store,
    path: PathBuf,
    group: Group,
    threads: usize,
}

impl Zarr {
    /// Opens a group, named with or without a slash before it; the root group has no name.
    ///
    /// # Errors
    ///
    /// Fails where `path` is no Zarr store, or has no such group.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        let opened = Self::open_group(path, group)?;
        opened.ok_or_else(|| {
            Error::mismatch(Place::path(full_path(path, group)), "an array", "a group")
        })
    }

    /// Opens a group; `None` where it is an array.
    pub(super) fn open_group(path: &Path, group: &str) -> Result<Option<Self>> {
        let full = full_path(path, group);
        let place = Place::path(&*full);
        let found = path.metadata().map_err(|error| Error::io(path, error))?;
        if !found.is_dir() {
            return Err(Error::io(path, std::io::ErrorKind::NotADirectory.into()));
        }
        let missing = || Error::new(ErrorKind::Missing, place.clone());
        // The group itself, since another can take its place in a store that stays.
        let directory = path.join(inside(group).ok_or_else(missing)?);
        let directory = Pinned::open(&directory).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => missing(),
            _ => Error::new(ErrorKind::Io(error), place.clone()),
        })?;
        let directory = Store::Directory(directory);
        let Node::Group(group) = directory.node(&place)?.ok_or_else(missing)? else {
            return Ok(None);
        };
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Some(Self { directory, path: full, group, threads }))
    }

    /// Opens the group that a directory, or a part of a zip file, is.
    pub(super) fn of(directory: Store, path: PathBuf, threads: usize) -> Result<Self> {
        let place = Place::path(&*path);
        match directory.node(&place)? {
            Some(Node::Group(group)) => Ok(Self { directory, path, group, threads }),
            Some(Node::Array(..)) => Err(Error::mismatch(place, "an array", "a group")),
            None => Err(Error::new(ErrorKind::Missing, place)),
        }
    }

    /// Sets how many threads decode the chunks of one large read; all cores unless set.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Returns whether there is an attribute of any kind.
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.group.attributes.contains_key(name)
    }

    /// Lists the directories of the group that are groups or arrays, sorted.
    pub(super) fn nodes(&self) -> Result<Vec<String>> {
        let io = |error| Error::io(&self.path, error);
        let mut names = Vec::new();
        let Store::Directory(directory) = &self.directory else {
            return Ok(self.directory.zipped_nodes());
        };
        for entry in std::fs::read_dir(&**directory).map_err(io)? {
            let entry = entry.map_err(io)?;
            if node::is_node(&entry.path()) {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    fn stored(&self, name: &str) -> Result<Stored> {
        let place = self.place(name);
        match inside(name).filter(|_| !name.is_empty()) {
            Some(inside) => Stored::open(self.directory.inside(&inside), place),
            None => Err(Error::new(ErrorKind::Missing, place)),
        }
    }
}

/// Returns the path of what lies in a directory by its name; `None` where a name leads out.
pub(super) fn inside(path: &str) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if name == "." || name == ".." || name.contains('\0') {
            return None;
        }
        inside.push(name);
    }
    Some(inside)
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

    fn tag(&self, name: &str) -> Result<String> {
        let text = self.text(name)?;
        one_line(&text, || self.place(name))?;
        Ok(text)
    }

    fn text(&self, name: &str) -> Result<String> {
        let found = self.group.attributes.get(name);
        let raw = found.ok_or_else(|| Error::new(ErrorKind::Missing, self.place(name)))?.get();
        let found = match raw.as_bytes().first() {
            Some(b'{') => return Ok(raw.to_owned()),
            Some(b'"') => serde_json::from_str(raw).ok(),
            _ => None,
        };
        let expected = "an attribute that is an object or a string";
        found.ok_or_else(|| Error::mismatch(self.place(name), "other values", expected))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        Ok(Box::new(Numbers::of(self.stored(name)?, self.threads)?))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        let stored = self.stored(name)?;
        strings::check(&stored)?;
        Ok(stored.stored_bytes())
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
