//! A group of an HDF5 file.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hdf5_reader::messages::HdfMessage;
use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::InputFile;

use super::array::Dataset;
use super::{Shared, attribute};
use crate::ContainerInfo;
use crate::container::full_path;
use crate::hdf5::attribute::AttributeList;
use crate::hdf5::dataset;
use crate::hdf5::links::{self, Link, Target};
use crate::hdf5::opened::{Opened, call_library};
use crate::kinds::HDF5;
use crate::tree::{Attribute, Attributes, Child, ChildKind, Group, NdArray, View};

/// A group of an HDF5 file. Opening it reads no data.
pub struct Hdf5Group {
    shared: Arc<Shared>,
    group: hdf5_reader::group::Group,
    /// Its path from the root; empty for the root.
    name: String,
    path: PathBuf,
    attributes: OnceLock<AttributeList>,
    children: OnceLock<Vec<Child>>,
}

/// An opened HDF5 file, whose groups can be opened.
#[derive(Clone)]
pub struct Hdf5File(pub(in crate::hdf5) Arc<Opened>);

impl std::fmt::Debug for Hdf5File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5File").field("path", &self.0.file().path()).finish_non_exhaustive()
    }
}

impl Hdf5File {
    /// Reads the superblock of a file.
    ///
    /// # Errors
    ///
    /// Fails if it is not an HDF5 file.
    pub fn open(file: InputFile) -> Result<Self> {
        Opened::open(file).map(Self)
    }

    /// Opens a group as a tree, with the number of threads that decode the chunks of a large read.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group.
    pub fn tree(&self, group: &str, threads: usize) -> Result<Hdf5Group> {
        Hdf5Group::in_file(Arc::clone(&self.0), group, threads)
    }
}

impl Hdf5Group {
    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not an HDF5 file, or has no such group.
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
        Hdf5File::open(InputFile::open(path)?)?.tree(group, threads)
    }

    /// Opens a group of an opened file.
    fn in_file(opened: Arc<Opened>, group: &str, threads: usize) -> Result<Self> {
        let path = opened.file().path().to_path_buf();
        let root = call_library(&Place::path(&path), || opened.meta.root_group())?;
        let paths = OnceLock::new();
        let shared = Arc::new(Shared { opened, path, threads: threads.max(1), paths });
        let root = Self::of(shared, root, String::new());
        root.child_group(group)
    }

    fn of(shared: Arc<Shared>, group: hdf5_reader::group::Group, name: String) -> Self {
        let path = full_path(&shared.path, &name);
        Self { shared, group, name, path, attributes: OnceLock::new(), children: OnceLock::new() }
    }

    /// Opens a child group by its name or relative path.
    pub(crate) fn child_group(&self, name: &str) -> Result<Self> {
        let place = Place::path(full_path(&self.shared.path, &self.inner(name)));
        let mut here = self.group.clone();
        for name in name.split('/').filter(|name| !name.is_empty()) {
            here = match call_library(&place, || here.group(name)) {
                Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                    return Err(self.missing_or_other(&here, name, place, "a group", error));
                }
                found => found?,
            };
        }
        Ok(Self::of(Arc::clone(&self.shared), here, self.inner(name)))
    }

    /// Returns the path of a member from the root.
    fn inner(&self, name: &str) -> String {
        let names = self.name.split('/').chain(name.split('/'));
        names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// Creates the error that a member does not exist, or is of another kind than requested.
    fn missing_or_other(
        &self,
        parent: &hdf5_reader::group::Group,
        name: &str,
        place: Place,
        expected: &str,
        missing: Error,
    ) -> Error {
        let links = match readable(links::list(&self.shared.opened, parent, &place)) {
            Ok(links) => links.unwrap_or_default(),
            Err(error) => return error,
        };
        let Some(link) = links.iter().find(|link| link.name == name) else { return missing };
        if let Some(what) = link.target.not_followed() {
            return links::error_of(what, place);
        }
        let kind = match self.kind_of(parent, link, &place) {
            Ok(kind) => kind,
            Err(error) => return error,
        };
        match kind {
            ChildKind::Group => Error::mismatch(place, "a group", expected),
            ChildKind::Array => Error::mismatch(place, "a dataset", expected),
            ChildKind::Other(what) => Error::mismatch(place, what, expected),
        }
    }

    /// Returns the kind of the target of a link.
    fn kind_of(
        &self,
        group: &hdf5_reader::group::Group,
        link: &Link,
        place: &Place,
    ) -> Result<ChildKind> {
        let other = |what: &str| ChildKind::Other(what.to_owned());
        Ok(match link.target {
            Target::External => other("a link to another file"),
            Target::User => other("a user-defined link"),
            Target::Soft => {
                if readable(call_library(place, || group.group(&link.name)))?.is_some() {
                    ChildKind::Group
                } else if readable(call_library(place, || group.dataset(&link.name)))?.is_some() {
                    ChildKind::Array
                } else {
                    other("a broken soft link")
                }
            }
            Target::Hard(address) => {
                let header =
                    call_library(place, || self.shared.opened.meta.get_or_parse_header(address));
                match readable(header)? {
                    Some(header) => classify(&header.messages),
                    None => other("an object that cannot be read"),
                }
            }
        })
    }

    fn attribute_list(&self) -> Result<&AttributeList> {
        if let Some(all) = self.attributes.get() {
            return Ok(all);
        }
        let place = Place::path(&*self.path);
        let all = AttributeList::of_group(&self.shared.opened, &self.group, &place)?;
        Ok(self.attributes.get_or_init(|| all))
    }

    fn threads(&self) -> usize {
        self.shared.threads
    }
}

/// Returns the kind of an object, from its header.
fn classify(messages: &[HdfMessage]) -> ChildKind {
    let has = |wanted: fn(&HdfMessage) -> bool| messages.iter().any(wanted);
    if has(|message| {
        matches!(
            message,
            HdfMessage::SymbolTable(_)
                | HdfMessage::Link(_)
                | HdfMessage::LinkInfo(_)
                | HdfMessage::GroupInfo(_)
        )
    }) {
        ChildKind::Group
    } else if has(|message| matches!(message, HdfMessage::Dataspace(_) | HdfMessage::DataLayout(_)))
    {
        ChildKind::Array
    } else if has(|message| matches!(message, HdfMessage::Datatype(_))) {
        ChildKind::Other("a named datatype".to_owned())
    } else if has(|message| matches!(message, HdfMessage::Attribute(_))) {
        ChildKind::Group
    } else {
        ChildKind::Other("an object of an unknown kind".to_owned())
    }
}

impl Attributes for Hdf5Group {
    fn attributes(&self) -> Result<Vec<String>> {
        Ok(self.attribute_list()?.names())
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let place = Place::array(&*self.path, name);
        attribute::find(&self.shared, self.attribute_list()?, name, &place)
    }
}

impl Group for Hdf5Group {
    fn path(&self) -> &Path {
        &self.path
    }

    fn info(&self) -> &'static ContainerInfo {
        &HDF5
    }

    fn identity(&self) -> Option<u64> {
        Some(self.group.address())
    }

    fn children(&self) -> Result<Vec<Child>> {
        if let Some(children) = self.children.get() {
            return Ok(children.clone());
        }
        let place = Place::path(&*self.path);
        let links = links::list(&self.shared.opened, &self.group, &place)?;
        let mut children = Vec::new();
        for link in links {
            let kind = self.kind_of(&self.group, &link, &place)?;
            children.push(Child { kind, name: link.name });
        }
        children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        children.dedup_by(|a, b| a.name == b.name);
        Ok(self.children.get_or_init(|| children).clone())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Ok(Box::new(self.child_group(name)?))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let place = Place::array(&*self.path, name);
        let (parents, own) = name.trim_matches('/').rsplit_once('/').unwrap_or(("", name));
        let own = own.trim_matches('/');
        let opened = &self.shared.opened;
        let parent = dataset::walk(opened, &self.group, parents, &place)?;
        let found = match dataset::find(opened, &parent, own, &place) {
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                return Err(self.missing_or_other(&parent, own, place, "a dataset", error));
            }
            found => found?,
        };
        let dataset = Dataset::open(&self.shared, &found, place, self.threads())?;
        Ok(Box::new(View::new(Arc::new(dataset))?))
    }
}

impl std::fmt::Debug for Hdf5Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5Group").field("path", &self.path).finish_non_exhaustive()
    }
}
