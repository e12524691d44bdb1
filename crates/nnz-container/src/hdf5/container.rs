//! A group of an HDF5 file as a container.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hdf5_reader::group::Group;
use nnz_core::{Error, ErrorKind, Names, Place, Result, ValueType};
use nnz_storage::InputFile;

use super::attribute::{self, Attribute, AttributeList};
use super::dataset::{self, Stored};
use super::links::{Members, members};
use super::numbers::Numbers;
use super::opened::{Opened, call_library};
use super::strings::{self, Strings};
pub(super) use crate::container::full_path;
use crate::{Capabilities, Container, NumberArray};

/// What a group supports.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    value_types: &[
        ValueType::U8,
        ValueType::U16,
        ValueType::U32,
        ValueType::U64,
        ValueType::I8,
        ValueType::I16,
        ValueType::I32,
        ValueType::I64,
        ValueType::F32,
        ValueType::F64,
        ValueType::Bint8,
        ValueType::ComplexF32,
        ValueType::ComplexF64,
    ],
    line_breaks: true,
    any_bytes: false,
    multiline_attributes: true,
};

/// An opened HDF5 file, whose groups can be opened.
#[derive(Clone)]
pub struct Hdf5File(pub(super) Arc<Opened>);

impl Hdf5File {
    /// Reads the superblock of a file.
    ///
    /// # Errors
    ///
    /// Fails if it is not an HDF5 file.
    pub fn open(file: InputFile) -> Result<Self> {
        Opened::open(file).map(Self)
    }

    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group.
    pub fn group(&self, name: &str) -> Result<Hdf5> {
        Hdf5::in_file(Arc::clone(&self.0), name)
    }
}

impl std::fmt::Debug for Hdf5File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5File").field("path", &self.0.file().path()).finish_non_exhaustive()
    }
}

/// A group of an HDF5 file. Opening it reads no data.
pub struct Hdf5 {
    opened: Arc<Opened>,
    group: Group,
    path: PathBuf,
    threads: usize,
}

impl Hdf5 {
    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not an HDF5 file, or has no such group.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        Hdf5File::open(InputFile::open(path)?)?.group(group)
    }

    /// Opens a group of an opened file.
    fn in_file(opened: Arc<Opened>, group: &str) -> Result<Self> {
        let full = full_path(opened.file().path(), group);
        let place = Place::path(&*full);
        let root = call_library(&place, || opened.meta.root_group())?;
        let group = dataset::walk(&opened, &root, group, &place)?;
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self { opened, group, path: full, threads })
    }

    /// Wraps an opened group.
    pub(super) fn of(opened: Arc<Opened>, group: Group, path: PathBuf, threads: usize) -> Self {
        Self { opened, group, path, threads }
    }

    /// Sets the number of threads that decode the chunks of a large read; the default is all cores.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Reads an attribute of the group; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it is neither strings nor numbers, or cannot be read.
    pub fn typed_attribute(&self, name: &str) -> Result<Option<Attribute>> {
        let place = self.place(name);
        let all = AttributeList::of_group(&self.opened, &self.group, &place)?;
        let found = all.find(name, &place)?;
        found.map(|raw| attribute::decode(&self.opened, raw, &place)).transpose()
    }

    /// Reads an attribute of a dataset.
    pub(crate) fn attribute_of(&self, dataset: &str, name: &str) -> Result<Option<Attribute>> {
        let place = self.place(dataset);
        let dataset = dataset::find(&self.opened, &self.group, dataset, &place)?;
        let all = AttributeList::of_dataset(&self.opened, &dataset, &place)?;
        let found = all.find(name, &place)?;
        found.map(|raw| attribute::decode(&self.opened, raw, &place)).transpose()
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    fn stored(&self, name: &str) -> Result<Stored> {
        Stored::open(&self.opened, &self.group, name, self.place(name), self.threads)
    }
}

impl Container for Hdf5 {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> &'static str {
        "HDF5"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        let place = Place::path(&*self.path);
        let Members { groups: mut names, others } = members(&self.opened, &self.group, &place)?;
        names.extend(others);
        names.extend(AttributeList::of_group(&self.opened, &self.group, &place)?.names());
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn attribute(&self, name: &str) -> Result<String> {
        let place = || self.place(name);
        let found = self.typed_attribute(name)?;
        let found = found.ok_or_else(|| Error::new(ErrorKind::Missing, place()))?;
        let text = found.text().ok_or_else(|| {
            Error::mismatch(place(), "an attribute of another type", "one string")
        })?;
        let text = std::str::from_utf8(text)
            .map_err(|_| Error::mismatch(place(), "text that is not UTF-8", "UTF-8"))?;
        Ok(text.to_owned())
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        Ok(Box::new(Numbers::of(self.stored(name)?)?))
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

impl std::fmt::Debug for Hdf5 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5").field("path", &self.path).finish_non_exhaustive()
    }
}
