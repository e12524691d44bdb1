//! A group of a Zarr store.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::array::Array;
use super::attribute;
use crate::Container;
use crate::container::full_path;
use crate::npz::Archive;
use crate::tree::{Attribute, Attributes, Child, ChildKind, Group, NdArray, View};
use crate::zarr::Zarr;
use crate::zarr::container::inside;
use crate::zarr::node::{self, Fields, Node};
use crate::zarr::store::Store;
use nnz_storage::Pinned;

/// A group of a Zarr store, in a directory or a zip file. Opening one reads its attributes.
pub struct ZarrGroup {
    directory: Store,
    store: PathBuf,
    /// Its path in the store; empty for the root.
    name: String,
    path: PathBuf,
    attributes: Fields,
    threads: usize,
}

impl ZarrGroup {
    /// Opens a group, named with or without a slash before it; the root group has no name.
    ///
    /// # Errors
    ///
    /// Fails where `path` is no Zarr store, or has no such group.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::with_threads(path, group, threads)
    }

    /// Opens a group, and sets how many threads decode the chunks of one large read.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub fn with_threads(path: &Path, group: &str, threads: usize) -> Result<Self> {
        let found = path.metadata().map_err(|error| Error::io(path, error))?;
        let root = match found.is_dir() {
            true => Store::Directory(Pinned::open(path).map_err(|error| Error::io(path, error))?),
            false => Store::Zip { archive: Arc::new(Archive::open(path)?), prefix: String::new() },
        };
        let place = Place::path(full_path(path, group));
        let directory = root.inside(&within(&root, group, &place)?);
        Self::of(directory, path, group, threads.max(1))
    }

    fn zipped_child(&self, zip: &Store, name: String) -> Child {
        let inner = zip.inside(name.as_ref());
        Child { kind: kind_of(inner.node(&Place::path(&*self.path))), name }
    }

    /// Opens the group that a directory is, which has a name in a store.
    fn of(directory: Store, store: &Path, name: &str, threads: usize) -> Result<Self> {
        let name = name.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/");
        let path = full_path(store, &name);
        let place = Place::path(&*path);
        match directory.node(&place)? {
            None => Err(Error::new(ErrorKind::Missing, place)),
            Some(Node::Array(..)) => Err(Error::mismatch(place, "an array", "a group")),
            Some(Node::Group(group)) => {
                let (store, attributes) = (store.to_path_buf(), group.attributes);
                Ok(Self { directory, store, name, path, attributes, threads })
            }
        }
    }
}

/// Says what something is from its metadata.
fn kind_of(node: Result<Option<Node>>) -> ChildKind {
    match node {
        Ok(Some(Node::Group(_))) => ChildKind::Group,
        Ok(Some(Node::Array(..))) => ChildKind::Array,
        _ => ChildKind::Other("metadata that cannot be read".to_owned()),
    }
}

/// Checks that a path in a directory goes through no symbolic links, and returns it.
fn within(store: &Store, name: &str, place: &Place) -> Result<PathBuf> {
    let missing = || Error::new(ErrorKind::Missing, place.clone());
    let inside = inside(name).ok_or_else(missing)?;
    let Store::Directory(directory) = store else { return Ok(inside) };
    let mut here = directory.to_path_buf();
    for part in &inside {
        here.push(part);
        match here.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                return Err(Error::mismatch(place.clone(), "a symbolic link", "a directory"));
            }
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(missing());
            }
            Err(error) => return Err(Error::new(ErrorKind::Io(error), place.clone())),
        }
    }
    Ok(inside)
}

impl Attributes for ZarrGroup {
    fn attributes(&self) -> Result<Vec<String>> {
        Ok(attribute::names(&self.attributes))
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        Ok(attribute::find(&self.attributes, name))
    }
}

impl Group for ZarrGroup {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> &'static str {
        "Zarr"
    }

    fn children(&self) -> Result<Vec<Child>> {
        let io = |error| Error::io(&self.path, error);
        let mut children = Vec::new();
        let directory = match &self.directory {
            Store::Directory(directory) => directory,
            zip @ Store::Zip { .. } => {
                let names = zip.zipped_nodes().into_iter();
                return Ok(names.map(|name| self.zipped_child(zip, name)).collect());
            }
        };
        for entry in std::fs::read_dir(&**directory).map_err(io)? {
            let entry = entry.map_err(io)?;
            let kind = entry.file_type().map_err(io)?;
            let path = entry.path();
            let kind = if kind.is_symlink() {
                ChildKind::Other("a symbolic link".to_owned())
            } else if !kind.is_dir() || !node::is_node(&path) {
                continue;
            } else {
                kind_of(node::read(&path, &Place::path(&*self.path)))
            };
            children.push(Child { name: entry.file_name().to_string_lossy().into_owned(), kind });
        }
        children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(children)
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        let full = format!("{}/{name}", self.name);
        let place = Place::path(full_path(&self.store, &full));
        let directory = self.directory.inside(&within(&self.directory, name, &place)?);
        Ok(Box::new(Self::of(directory, &self.store, &full, self.threads)?))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let place = Place::array(&*self.path, name);
        if name.trim_matches('/').is_empty() {
            return Err(Error::new(ErrorKind::Missing, place));
        }
        let directory = self.directory.inside(&within(&self.directory, name, &place)?);
        let array = Array::open(directory, place, self.threads)?;
        Ok(Box::new(View::new(Arc::new(array))?))
    }

    fn container(&self) -> Result<Box<dyn Container>> {
        Ok(Box::new(Zarr::of(self.directory.clone(), self.path.clone(), self.threads)?))
    }
}

impl std::fmt::Debug for ZarrGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZarrGroup").field("path", &self.path).finish_non_exhaustive()
    }
}
