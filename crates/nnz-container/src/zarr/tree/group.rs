//! A group of a Zarr store.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::Opened;

use super::array::Array;
use super::attribute;
use crate::ContainerInfo;
use crate::kinds::ZARR;
use crate::tree::{Attribute, Attributes, Child, ChildKind, Group, NdArray, View};
use crate::zarr::ZarrStore;
use crate::zarr::node::{Fields, Node};
use crate::zarr::store::{Store, StoreEntryKind};
use nnz_core::full_path;

/// A group of a Zarr store, in a directory or a zip file. Opening it reads its attributes.
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
    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a Zarr store, or has no such group.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::with_threads(path, group, threads)
    }

    /// Opens a group, with the number of threads that decode the chunks of a large read.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub fn with_threads(path: &Path, group: &str, threads: usize) -> Result<Self> {
        let store = match Opened::local(path)? {
            Opened::Directory(directory) => {
                ZarrStore::new(Store::Directory(directory), path.to_path_buf())
            }
            Opened::File(file) => ZarrStore::of_zip(file)?.ok_or_else(|| {
                Error::new(ErrorKind::Missing, Place::path(full_path(path, group)))
            })?,
            Opened::Special(..) => {
                return Err(Error::mismatch(
                    Place::path(path),
                    "a special file",
                    "a directory or zip file",
                ));
            }
        };
        store.tree(group, threads)
    }

    /// Opens a directory as a group with a path in a store; `None` if it is an array.
    pub(in crate::zarr) fn in_store(
        directory: Store,
        store: &Path,
        name: &str,
        threads: usize,
    ) -> Result<Option<Self>> {
        let name = name.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/");
        let path = full_path(store, &name);
        let place = Place::path(&*path);
        match directory.node(&place)? {
            None => Err(directory.missing(&place)),
            Some(Node::Array(..)) => Ok(None),
            Some(Node::Group(group)) => {
                let (store, attributes) = (store.to_path_buf(), group.attributes);
                let threads = threads.max(1);
                Ok(Some(Self { directory, store, name, path, attributes, threads }))
            }
        }
    }

    pub(in crate::zarr) fn directory(&self) -> &Store {
        &self.directory
    }

    /// Returns the names of the groups and arrays of the group, sorted.
    pub(in crate::zarr) fn nodes(&self) -> Result<Vec<String>> {
        let nodes = self.directory.nodes()?.into_iter();
        Ok(nodes
            .filter(|(_, listed)| *listed == StoreEntryKind::Node)
            .map(|(name, _)| name)
            .collect())
    }
}

/// Returns the kind of a member from its metadata.
fn kind_of(node: Result<Option<Node>>) -> Result<ChildKind> {
    Ok(match readable(node)?.flatten() {
        Some(Node::Group(_)) => ChildKind::Group,
        Some(Node::Array(..)) => ChildKind::Array,
        None => ChildKind::Other("metadata that cannot be read".to_owned()),
    })
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

    fn info(&self) -> &'static ContainerInfo {
        &ZARR
    }

    fn children(&self) -> Result<Vec<Child>> {
        let place = Place::path(&*self.path);
        let kind = |name: &str, listed| match listed {
            StoreEntryKind::Link => Ok(ChildKind::Other("a symbolic link".to_owned())),
            // Opening it is an error.
            StoreEntryKind::Bare => Ok(ChildKind::Group),
            StoreEntryKind::Node => kind_of(self.directory.inside(name.as_ref()).node(&place)),
        };
        let nodes = self.directory.nodes()?.into_iter();
        nodes.map(|(name, listed)| Ok(Child { kind: kind(&name, listed)?, name })).collect()
    }

    fn member_names(&self) -> Result<Vec<String>> {
        self.nodes()
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        let full = format!("{}/{name}", self.name);
        let place = Place::path(full_path(&self.store, &full));
        let directory = self.directory.within(name, &place)?;
        let found = Self::in_store(directory, &self.store, &full, self.threads)?;
        Ok(Box::new(found.ok_or_else(|| Error::mismatch(place, "an array", "a group"))?))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let place = Place::array(&*self.path, name);
        if name.trim_matches('/').is_empty() {
            return Err(Error::new(ErrorKind::Missing, place));
        }
        let directory = self.directory.within(name, &place)?;
        let array = Array::open(directory, place, self.threads)?;
        Ok(Box::new(View::new(Arc::new(array))?))
    }
}

impl std::fmt::Debug for ZarrGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZarrGroup").field("path", &self.path).finish_non_exhaustive()
    }
}
