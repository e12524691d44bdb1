//! NumPy arrays as a tree: one group without attributes.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::header::{self, PREAMBLE};
use crate::ContainerInfo;
use crate::tree::{
    ArrayStorage, Attribute, Attributes, Child, Group, Layout, NdArray, ReadRange, Source,
    StoredType, View, check_rank,
};
use nnz_chunk::grid::{shown, strides};

/// The bytes of an array, including its header.
pub(crate) trait ReadAt: Send + Sync {
    /// Returns their number.
    fn bytes(&self) -> u64;

    /// Returns their stored size.
    fn stored_bytes(&self) -> u64 {
        self.bytes()
    }

    /// Fills `out` with the first bytes, which have the header.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn read_header(&self, out: &mut [u8]) -> Result<()> {
        self.read_at(0, out)
    }

    /// Fills `out` with bytes from `at` on.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()>;
}

/// Reads the complete header.
fn header_bytes(source: &dyn ReadAt, place: &Place) -> Result<Vec<u8>> {
    let bytes = source.bytes();
    let mut start = [0; PREAMBLE];
    let read = usize::try_from(bytes).unwrap_or(PREAMBLE).min(PREAMBLE);
    source.read_header(&mut start[..read])?;
    let length = header::length(&start[..read], place)?;
    if length as u64 > bytes {
        let found = format!("the end after {bytes} bytes");
        return Err(Error::mismatch(place.clone(), found, format!("a header of {length} bytes")));
    }
    let mut header = vec![0; length];
    source.read_header(&mut header)?;
    Ok(header)
}

/// An array in any storage.
pub(crate) struct NumpyArray {
    source: Box<dyn ReadAt>,
    place: Place,
    element: StoredType,
    shape: Vec<u64>,
    strides: Vec<u64>,
    /// Whether the array is in Fortran order.
    fortran: bool,
    /// The offset of the elements.
    first: u64,
    /// Number of bytes after the last element.
    trailing: u64,
}

impl NumpyArray {
    /// Reads the header, and checks that its elements exist.
    pub(crate) fn open(source: Box<dyn ReadAt>, place: Place) -> Result<Self> {
        let header = header_bytes(&*source, &place)?;
        let (element, shape, fortran) = header::parse(&header, &place)?;
        check_rank(shape.len(), &place)?;
        let size = element.bytes().unwrap_or(0) as u64;
        let there = source.bytes() - header.len() as u64;
        let needed = match shape.contains(&0) {
            true => Some(0),
            false => shape.iter().try_fold(size, |all, &length| all.checked_mul(length)),
        };
        let Some(trailing) = needed.and_then(|needed| there.checked_sub(needed)) else {
            let found = format!("{there} bytes after the header");
            let elements = format!("{} elements of {size} bytes", shown(&shape));
            let expected = match needed {
                Some(needed) => format!("{needed} ({elements}); the file is truncated"),
                None => elements,
            };
            return Err(Error::mismatch(place, found, expected));
        };
        let mut lengths = shape.clone();
        if fortran {
            lengths.reverse();
        }
        // The product of the lengths of an empty shape may overflow.
        let mut strides = strides(&lengths, size).unwrap_or_else(|| vec![0; lengths.len()]);
        if fortran {
            strides.reverse();
        }
        let first = header.len() as u64;
        Ok(Self { source, place, element, shape, strides, fortran, first, trailing })
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

    fn element(&self) -> &StoredType {
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

    fn trailing_bytes(&self) -> u64 {
        self.trailing
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

/// A container whose only group has no attributes. Its texts are arrays of one string.
pub(crate) trait FlatGroup: std::fmt::Debug + Send + Sync {
    fn path(&self) -> &Path;

    fn info(&self) -> &'static ContainerInfo;

    fn children(&self) -> Result<Vec<Child>>;

    fn member_names(&self) -> Result<Vec<String>>;

    fn source(&self, name: &str) -> Result<Box<dyn ReadAt>>;

    /// Reads a text that is not an array; `None` if there is none of this name.
    fn file(&self, name: &str) -> Result<Option<String>> {
        let _ = name;
        Ok(None)
    }
}

impl<T: FlatGroup> Attributes for T {}

impl<T: FlatGroup> Group for T {
    fn path(&self) -> &Path {
        FlatGroup::path(self)
    }

    fn info(&self) -> &'static ContainerInfo {
        FlatGroup::info(self)
    }

    fn children(&self) -> Result<Vec<Child>> {
        FlatGroup::children(self)
    }

    fn member_names(&self) -> Result<Vec<String>> {
        FlatGroup::member_names(self)
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

    fn text(&self, name: &str) -> Result<String> {
        match self.file(name)? {
            Some(text) => Ok(text),
            None => self.array(name)?.text(MAX_TEXT_LEN),
        }
    }
}

/// Maximum length of a text.
pub(super) const MAX_TEXT_LEN: u64 = 64 << 20;
