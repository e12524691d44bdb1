//! NumPy arrays as a tree: one group without attributes.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::header::NdHeader;
use super::reader::NpyDirectory;
use super::stored::{ReadAt, header_bytes};
use crate::Container;
use crate::tree::{
    ArrayStorage, Attribute, Attributes, Child, ChildKind, Group, Layout, NdArray, ReadRange,
    Source, Stored, View, check_rank, shown, strides,
};

/// An array in any storage.
pub(crate) struct NumpyArray {
    source: Box<dyn ReadAt>,
    place: Place,
    element: Stored,
    shape: Vec<u64>,
    strides: Vec<u64>,
    /// Whether the array is in Fortran order.
    fortran: bool,
    /// The offset of the elements.
    first: u64,
}

impl NumpyArray {
    /// Reads the header, and checks that its elements exist.
    pub(crate) fn open(source: Box<dyn ReadAt>, place: Place) -> Result<Self> {
        let header = header_bytes(&*source, &place)?;
        let (element, shape, fortran) = NdHeader::parse_stored(&header, &place)?;
        check_rank(shape.len(), &place)?;
        let size = element.bytes().unwrap_or(0) as u64;
        let there = source.bytes() - header.len() as u64;
        let needed = match shape.contains(&0) {
            true => Some(0),
            false => shape.iter().try_fold(size, |all, &length| all.checked_mul(length)),
        };
        if needed.is_none_or(|needed| needed > there) {
            let found = format!("{there} bytes after the header");
            let elements = format!("{} elements of {size} bytes", shown(&shape));
            let expected = match needed {
                Some(needed) => format!("{needed} ({elements}); the file is truncated"),
                None => elements,
            };
            return Err(Error::mismatch(place, found, expected));
        }
        let mut lengths = shape.clone();
        if fortran {
            lengths.reverse();
        }
        // The product of the lengths of an empty shape may overflow.
        let mut strides = strides(&lengths, size).unwrap_or_else(|| vec![0; lengths.len()]);
        if fortran {
            strides.reverse();
        }
        Ok(Self { source, place, element, shape, strides, fortran, first: header.len() as u64 })
    }

    /// Returns the end of the elements; `None` on overflow.
    pub(crate) fn end(&self) -> Option<u64> {
        self.len()?.checked_mul(self.element.bytes()? as u64)?.checked_add(self.first)
    }

    /// Returns the number of elements; `None` on overflow.
    fn len(&self) -> Option<u64> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(1_u64, |all, &length| all.checked_mul(length))
    }

    /// Returns the shape, whether it is in Fortran order, and all elements in stored order.
    pub(crate) fn flatten(mut self) -> (Vec<u64>, bool, Self) {
        // The number of elements was checked against the size of the file.
        let len = self.len().unwrap_or(0);
        let shape = std::mem::replace(&mut self.shape, vec![len]);
        self.strides = vec![self.element.bytes().unwrap_or(0) as u64];
        (shape, self.fortran, self)
    }

    /// Opens an array of a tree.
    pub(crate) fn view(source: Box<dyn ReadAt>, place: Place) -> Result<Box<dyn NdArray>> {
        Ok(Box::new(View::new(Arc::new(Self::open(source, place)?))?))
    }
}

impl Source for NumpyArray {
    fn place(&self) -> &Place {
        &self.place
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element(&self) -> &Stored {
        &self.element
    }

    fn layout(&self) -> Result<Layout<'_>> {
        Ok(Layout::Flat { storage: self, first: self.first, strides: self.strides.clone() })
    }

    fn storage(&self) -> ArrayStorage {
        ArrayStorage::default()
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.source.stored_bytes())
    }

    fn is_fully_stored(&self) -> Result<bool> {
        Ok(true)
    }

    fn attributes(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn attribute(&self, _: &str) -> Result<Option<Attribute>> {
        Ok(None)
    }
}

impl ReadRange for NumpyArray {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let end = at.checked_add(out.len() as u64);
        match end.is_some_and(|end| end <= self.source.bytes()) {
            true => self.source.read_at(at, out),
            false => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> Error {
        let found = format!("the end after {} bytes", self.source.bytes());
        Error::mismatch(self.place.clone(), found, "more elements")
    }
}

/// A container whose only group has no attributes.
pub(crate) trait FlatGroup: std::fmt::Debug + Send + Sync {
    fn path(&self) -> &Path;

    fn kind(&self) -> &'static str;

    fn children(&self) -> Result<Vec<Child>>;

    fn source(&self, name: &str) -> Result<Box<dyn ReadAt>>;

    fn container(&self) -> Box<dyn Container>;
}

impl<T: FlatGroup> Attributes for T {
    fn attributes(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn attribute(&self, _: &str) -> Result<Option<Attribute>> {
        Ok(None)
    }
}

impl<T: FlatGroup> Group for T {
    fn path(&self) -> &Path {
        FlatGroup::path(self)
    }

    fn kind(&self) -> &'static str {
        FlatGroup::kind(self)
    }

    fn children(&self) -> Result<Vec<Child>> {
        FlatGroup::children(self)
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        let place = Place::array(FlatGroup::path(self), name);
        let children = FlatGroup::children(self)?;
        Err(match children.iter().any(|child| child.name == name) {
            true => Error::mismatch(place, "an array", "a group"),
            false => Error::new(ErrorKind::Missing, place),
        })
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        NumpyArray::view(self.source(name)?, Place::array(FlatGroup::path(self), name))
    }

    fn container(&self) -> Result<Box<dyn Container>> {
        Ok(FlatGroup::container(self))
    }
}

/// A directory of `.npy` files as a group. Opening it reads nothing.
#[derive(Clone, Debug)]
pub struct NpyGroup(NpyDirectory);

impl NpyGroup {
    /// Opens a directory, whose root is the only group.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a directory, or if `group` is not empty.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        NpyDirectory::open(path)?.tree(group)
    }
}

impl NpyDirectory {
    /// Returns the directory as a tree, whose root is the only group.
    ///
    /// # Errors
    ///
    /// Fails if `group` is not empty.
    pub fn tree(&self, group: &str) -> Result<NpyGroup> {
        check_root(Container::path(self), group)?;
        Ok(NpyGroup(self.clone()))
    }
}

/// Refuses a group other than the root.
pub(crate) fn check_root(path: &Path, group: &str) -> Result<()> {
    if group.trim_matches('/').is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Missing, Place::array(path, group)))
}

impl FlatGroup for NpyGroup {
    fn path(&self) -> &Path {
        Container::path(&self.0)
    }

    fn kind(&self) -> &'static str {
        Container::kind(&self.0)
    }

    fn children(&self) -> Result<Vec<Child>> {
        let names = self.0.arrays()?;
        Ok(names.into_iter().map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        self.0.source(name)
    }

    fn container(&self) -> Box<dyn Container> {
        Box::new(self.0.clone())
    }
}
