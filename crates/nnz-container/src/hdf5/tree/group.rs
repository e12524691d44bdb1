//! A group of an HDF5 file.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use nnz_core::{Error, Place, Result, full_path, readable};
use nnz_hdf5::{File, Link, LinkTarget, Object, ObjectKind};
use nnz_storage::InputFile;

use super::array::Dataset;
use super::attribute::AttributeList;
use super::{Shared, placed};
use crate::ContainerInfo;
use crate::kinds::HDF5;
use crate::tree::{Attribute, Attributes, Child, ChildKind, Group, NdArray, View};

/// A group of an HDF5 file. Opening it reads no data.
pub struct Hdf5Group {
    shared: Arc<Shared>,
    object: Object,
    /// Its path from the root; empty for the root.
    name: String,
    path: PathBuf,
    attributes: OnceLock<AttributeList>,
    children: OnceLock<Vec<Child>>,
}

/// An opened HDF5 file, whose groups can be opened.
#[derive(Clone, Debug)]
pub struct Hdf5File(pub(in crate::hdf5) Arc<File>);

impl Hdf5File {
    /// Reads the superblock of a file.
    ///
    /// # Errors
    ///
    /// Fails if it is not an HDF5 file.
    pub fn open(file: InputFile) -> Result<Self> {
        File::open(file).map(Self)
    }

    /// Opens a group as a tree, with the number of threads that decode the chunks of a large read.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group.
    pub fn tree(&self, group: &str, threads: usize) -> Result<Hdf5Group> {
        let (file, paths) = (Arc::clone(&self.0), OnceLock::new());
        let root = file.root()?;
        let shared = Arc::new(Shared { file, threads: threads.max(1), paths });
        Hdf5Group::of(shared, root, String::new()).child_group(group)
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

    fn of(shared: Arc<Shared>, object: Object, name: String) -> Self {
        let path = full_path(shared.file.path(), &name);
        Self { shared, object, name, path, attributes: OnceLock::new(), children: OnceLock::new() }
    }

    /// Opens a child group by its name or relative path.
    pub(crate) fn child_group(&self, name: &str) -> Result<Self> {
        let inner = self.inner(name);
        let place = Place::path(full_path(self.shared.file.path(), &inner));
        let object = self.find(name, ObjectKind::Group, "a group", &place)?;
        Ok(Self::of(Arc::clone(&self.shared), object, inner))
    }

    /// Returns the path of a member from the root.
    fn inner(&self, name: &str) -> String {
        let names = self.name.split('/').chain(name.split('/'));
        names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// Opens a member by its relative path, which must be of a kind.
    fn find(&self, path: &str, kind: ObjectKind, expected: &str, place: &Place) -> Result<Object> {
        let object = match self.object.open(path) {
            Ok(object) => object,
            Err(error) if !error.is_system() && self.is_soft(path) => {
                return Err(Error::mismatch(place.clone(), "a broken soft link", expected));
            }
            Err(error) => return Err(placed(error, place)),
        };
        let found = match object.kind() {
            found if found == kind => return Ok(object),
            ObjectKind::Group => "a group",
            ObjectKind::Dataset => "a dataset",
            ObjectKind::Datatype => "a named datatype",
            ObjectKind::Other => "an object of an unknown kind",
        };
        Err(Error::mismatch(place.clone(), found, expected))
    }

    /// Returns whether a path leads to a soft link.
    fn is_soft(&self, path: &str) -> bool {
        let (parents, name) = path.trim_matches('/').rsplit_once('/').unwrap_or(("", path));
        let link = self.object.open(parents).and_then(|parent| parent.link(name.trim_matches('/')));
        matches!(link, Ok(Some(Link { target: LinkTarget::Soft(_), .. })))
    }

    /// Returns the kind of the target of a link.
    fn kind_of(&self, link: &Link) -> Result<ChildKind> {
        let other = |what: &str| ChildKind::Other(what.to_owned());
        let object = match link.target {
            LinkTarget::External { .. } => return Ok(other("a link to another file")),
            LinkTarget::User => return Ok(other("a user-defined link")),
            LinkTarget::Soft(_) => match readable(self.object.open(&link.name))? {
                Some(object) => object,
                None => return Ok(other("a broken soft link")),
            },
            LinkTarget::Hard(address) => match readable(self.shared.file.object(address))? {
                Some(object) => object,
                None => return Ok(other("an object that cannot be read")),
            },
        };
        Ok(match object.kind() {
            ObjectKind::Group => ChildKind::Group,
            ObjectKind::Dataset => ChildKind::Array,
            ObjectKind::Datatype => other("a named datatype"),
            ObjectKind::Other => other("an object of an unknown kind"),
        })
    }

    fn attribute_list(&self) -> Result<&AttributeList> {
        AttributeList::of(&self.object, &self.attributes, &Place::path(&*self.path))
    }
}

impl Attributes for Hdf5Group {
    fn attributes(&self) -> Result<Vec<String>> {
        Ok(self.attribute_list()?.names())
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let place = Place::array(&*self.path, name);
        self.attribute_list()?.find(&self.shared, name, &place)
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
        Some(self.object.address())
    }

    fn children(&self) -> Result<Vec<Child>> {
        if let Some(children) = self.children.get() {
            return Ok(children.clone());
        }
        let place = Place::path(&*self.path);
        let links = self.object.links().map_err(|error| placed(error, &place))?;
        let mut children = Vec::new();
        for link in links.iter() {
            let kind = self.kind_of(link).map_err(|error| error.with_context(&place))?;
            children.push(Child { kind, name: link.name.clone() });
        }
        children.dedup_by(|a, b| a.name == b.name);
        Ok(self.children.get_or_init(|| children).clone())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Ok(Box::new(self.child_group(name)?))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let place = Place::array(&*self.path, name);
        let object = self.find(name, ObjectKind::Dataset, "a dataset", &place)?;
        let dataset = Dataset::open(&self.shared, object, place)?;
        Ok(Box::new(View::new(Arc::new(dataset))?))
    }
}

impl std::fmt::Debug for Hdf5Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5Group").field("path", &self.path).finish_non_exhaustive()
    }
}
