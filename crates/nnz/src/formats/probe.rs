//! A place, looked at once.

use std::cell::{OnceCell, RefCell};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use nnz_container::directory::Directory;
use nnz_container::npy::{self, NpyDirectory};
use nnz_container::npz::{self, Npz};
use nnz_container::rds::{self, Document, Limits};
use nnz_container::tree::{self, Group};
use nnz_container::{Container, zarr};
use nnz_core::{Error, ErrorKind, Place, Result};

use super::Grouped;
use crate::Location;
use crate::container_target::ends_in_rds;

/// Bytes at the start of a file that are read for detection.
const START: u64 = 512;

/// A place that a format is looked for in: what was read and opened for one format is there for the
/// next, and for the one that opens it.
pub struct Probe {
    location: Location,
    memory: u64,
    found: Found,
    container: OnceCell<Arc<dyn Container>>,
    tree: OnceCell<Box<dyn Group>>,
    root: OnceCell<Arc<dyn Group>>,
    document: RefCell<Object>,
}

/// What lies at a place.
enum Found {
    Stream,
    Directory,
    /// A regular file without groups.
    File {
        start: Vec<u8>,
        len: u64,
    },
    /// Something that can be read only once, such as a pipe.
    Special,
    /// A group of a file or store.
    Group(Grouped, String),
    /// Not looked at, as the format is given.
    Unknown,
}

/// An R object in a file.
enum Object {
    Unread,
    Absent,
    Read(Document),
}

impl Probe {
    /// Looks at a place. An R object in it may take `memory` bytes.
    pub(super) fn new(location: &Location, memory: u64) -> Result<Self> {
        let found = match location {
            Location::Stream => Found::Stream,
            Location::Path { path, group } => look(path, group.as_deref())?,
        };
        Ok(Self::with(location, memory, found))
    }

    /// Takes a place as it is, for a format that is given.
    pub(super) fn unknown(location: &Location, memory: u64) -> Self {
        Self::with(location, memory, Found::Unknown)
    }

    fn with(location: &Location, memory: u64, found: Found) -> Self {
        let document = RefCell::new(Object::Unread);
        let (container, tree, root) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { location: location.clone(), memory, found, container, tree, root, document }
    }

    /// Goes on with another group of the same file.
    pub(super) fn into_group(mut self, name: &str) -> Self {
        if let Found::Group(_, group) = &mut self.found
            && group != name
        {
            name.clone_into(group);
            self.container = OnceCell::new();
            self.tree = OnceCell::new();
        }
        self
    }

    /// Returns the kind of file and the group, where it has groups.
    pub(super) fn group(&self) -> Option<(Grouped, &str)> {
        match &self.found {
            Found::Group(kind, group) => Some((*kind, group)),
            _ => None,
        }
    }

    /// Returns the place as it was named.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the path of the file or directory; `None` for standard input.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.location {
            Location::Stream => None,
            Location::Path { path, .. } => Some(path),
        }
    }

    /// Returns whether it can be read only once: standard input, a pipe, a device.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self.found, Found::Stream | Found::Special)
    }

    /// Returns the path of a directory that is no Zarr store.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.path().filter(|_| matches!(self.found, Found::Directory))
    }

    /// Returns the path of a regular file without groups, its first 512 bytes and its length.
    #[must_use]
    pub fn file(&self) -> Option<(&Path, &[u8], u64)> {
        match &self.found {
            Found::File { start, len } => Some((self.path()?, start, *len)),
            _ => None,
        }
    }

    /// Opens the named arrays at the place, once; `None` where there is no container.
    ///
    /// # Errors
    ///
    /// Fails where the container is broken or cannot be read.
    pub fn container(&self) -> Result<Option<&Arc<dyn Container>>> {
        if self.container.get().is_none()
            && let Some(opened) = self.open_container()?
        {
            return Ok(Some(self.container.get_or_init(|| opened)));
        }
        Ok(self.container.get())
    }

    fn open_container(&self) -> Result<Option<Arc<dyn Container>>> {
        let Some(path) = self.path() else { return Ok(None) };
        Ok(Some(match &self.found {
            Found::Group(kind, group) => kind.open(path, group)?,
            Found::Directory if path.join("version").exists() => Arc::new(Directory::open(path)?),
            Found::Directory if npy::is_npy_directory(path)? => Arc::new(NpyDirectory::open(path)?),
            Found::File { start, .. } if npz::is_npz(start) => Arc::new(Npz::open(path)?),
            _ => return Ok(None),
        }))
    }

    /// Opens the group at the place as a tree, once; `None` where there is no container.
    ///
    /// # Errors
    ///
    /// Fails where the container is broken or cannot be read.
    pub fn tree(&self) -> Result<Option<&dyn Group>> {
        if self.tree.get().is_none()
            && let Some(opened) = self.open_tree()?
        {
            return Ok(Some(&**self.tree.get_or_init(|| opened)));
        }
        Ok(self.tree.get().map(|group| &**group))
    }

    fn open_tree(&self) -> Result<Option<Box<dyn Group>>> {
        let Some(path) = self.path() else { return Ok(None) };
        let group = match &self.found {
            Found::Group(_, group) => group,
            Found::Directory if npy::is_npy_directory(path)? => "",
            Found::File { start, .. } if npz::is_npz(start) => "",
            _ => return Ok(None),
        };
        // Units are decoded by many threads already.
        tree::OpenOptions::new().threads(1).open(path, group).map(Some)
    }

    /// Opens the tree of a file or store with groups at its root, once; `None` where there is none.
    /// Chunks are decoded by the thread that reads them.
    ///
    /// # Errors
    ///
    /// Fails where the file or store is broken or cannot be read.
    pub fn root(&self) -> Result<Option<&Arc<dyn Group>>> {
        if self.root.get().is_none()
            && let (Found::Group(..) | Found::Unknown, Some(path)) = (&self.found, self.path())
        {
            let root = tree::OpenOptions::new().threads(1).open(path, "")?;
            return Ok(Some(self.root.get_or_init(|| root.into())));
        }
        Ok(self.root.get())
    }

    /// Takes the container over, to read from it.
    pub(super) fn into_container(self) -> Result<Option<Arc<dyn Container>>> {
        self.container().map(|opened| opened.cloned())
    }

    /// Keeps a container that was made of the R object.
    pub(super) fn set_container(&self, container: Arc<dyn Container>) {
        // There is no other: a file is an R object or a container.
        let _ = self.container.set(container);
    }

    /// Reads the R object of a file, once, and applies `f` to it; `None` where there is none, or it
    /// was taken.
    pub(super) fn document<T>(&self, f: impl FnOnce(&Document) -> T) -> Result<Option<T>> {
        if matches!(*self.document.borrow(), Object::Unread) {
            let read = self.read_document()?.map_or(Object::Absent, Object::Read);
            *self.document.borrow_mut() = read;
        }
        Ok(match &*self.document.borrow() {
            Object::Read(document) => Some(f(document)),
            _ => None,
        })
    }

    fn read_document(&self) -> Result<Option<Document>> {
        let Some((path, start, _)) = self.file() else { return Ok(None) };
        // A broken one, or one that is compressed in a way that is not supported, has an error to say
        // so.
        let named = || ends_in_rds(path) && !start.is_empty() && !npz::is_npz(start);
        if !rds::is_rds(path)? && !named() {
            return Ok(None);
        }
        rds::read(path, Limits { memory: self.memory }).map(Some)
    }

    /// Takes the R object over.
    pub(super) fn take_document(&self) -> Option<Document> {
        match self.document.replace(Object::Absent) {
            Object::Read(document) => Some(document),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Probe").field("location", &self.location).finish_non_exhaustive()
    }
}

/// Reads the first bytes of a file.
pub(super) fn first_bytes(path: &Path) -> Result<Vec<u8>> {
    let io = |error| Error::io(path, error);
    let mut start = Vec::new();
    File::open(path).map_err(io)?.take(START).read_to_end(&mut start).map_err(io)?;
    Ok(start)
}

fn look(path: &Path, group: Option<&str>) -> Result<Found> {
    let io = |error| Error::io(path, error);
    let metadata = path.metadata().map_err(io)?;
    let named = group.unwrap_or_default();
    let mut start = Vec::new();
    if metadata.is_file() {
        start = first_bytes(path)?;
        if let Some(kind) = Grouped::of_file(path, &start)? {
            return Ok(Found::Group(kind, named.to_owned()));
        }
    }
    if metadata.is_dir() && zarr::is_zarr(path) {
        return Ok(Found::Group(Grouped::Zarr, named.to_owned()));
    }
    if !named.is_empty() {
        let what = format!("holds no groups, so there is no {named:?} in it");
        return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)));
    }
    Ok(if metadata.is_dir() {
        Found::Directory
    } else if metadata.is_file() {
        Found::File { start, len: metadata.len() }
    } else {
        Found::Special
    })
}
