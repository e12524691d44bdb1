//! Writing a group to a new or existing HDF5 file.

pub(super) mod dimensions;
pub(super) mod existing;
mod new;
pub(super) mod options;
mod texts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

pub use options::Hdf5Options;

use super::file::not_a_name;
use crate::container::full_path;
use crate::kinds::HDF5;
use crate::{ArrayId, ContainerWriter};
use existing::ExistingFile;
use new::NewFile;
use nnz_storage::staging::{WriteOptions, check_addition};

/// The programs that a file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// All programs that read HDF5, as for files of BPCells and h5py.
    Hdf5,
    /// NetCDF programs, which add to a file only if it tracks creation order.
    NetCdf,
}

/// A writer of a group to a new or existing file.
trait GroupWriter: Send {
    fn set_text(&mut self, name: &str, text: &str, place: &Place) -> Result<()>;
    fn create_array(&mut self, name: &str, value_type: ValueType, place: Place) -> usize;
    fn append_bytes(&mut self, array: usize, bytes: &[u8]) -> Result<()>;
    fn copy_strings(
        &mut self,
        name: &str,
        strings: &mut dyn StringReader,
        place: &Place,
    ) -> Result<()>;
    /// Completes the group, with the names of its members and attributes, and returns its size in
    /// bytes.
    fn finish(self: Box<Self>, names: BTreeSet<String>) -> Result<u64>;
}

/// A writer of a group of an HDF5 file, which appears when it is finished.
///
/// The other contents of an existing file are kept: the group is written to a copy, which replaces
/// the file in the end. Dropped unfinished, the writer leaves no output.
pub struct Hdf5Writer {
    group: Box<dyn GroupWriter>,
    path: PathBuf,
    names: BTreeSet<String>,
}

impl Hdf5Writer {
    /// Starts writing a group, with or without a leading slash; the root group has an empty name.
    ///
    /// Missing parent groups are created. An existing group is replaced only with `overwrite`;
    /// replacing the root group replaces the file.
    ///
    /// # Errors
    ///
    /// Fails if options are invalid, if the group may not be replaced, if an existing file is not
    /// HDF5, or if the file cannot be written.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        Self::create_for(path, group, write, options, Readers::Hdf5)
    }

    /// Starts writing a group whose arrays have dimensions, for NetCDF programs.
    pub(crate) fn create_netcdf(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        Self::create_for(path, group, write, options, Readers::NetCdf)
    }

    fn create_for(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
        readers: Readers,
    ) -> Result<Self> {
        options.check()?;
        let full = full_path(path, group);
        let place = Place::path(&*full);
        let names: Vec<String> =
            group.split('/').filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect();
        if names.iter().any(|name| name == "." || name.contains('\0')) {
            return Err(Error::new(
                ErrorKind::Argument("the name of the group is empty".into()),
                place,
            ));
        }
        // Replacing the root group replaces the file.
        if !names.is_empty() {
            check_addition(path)?;
        }
        let is_new = names.is_empty() || path.symlink_metadata().is_err();
        let group: Box<dyn GroupWriter> = match is_new {
            true => Box::new(NewFile::create(path, &names, write, options, readers, place)?),
            false => Box::new(ExistingFile::create(path, names, write, options, readers, place)?),
        };
        Ok(Self { group, path: full, names: BTreeSet::new() })
    }

    /// Returns the path, with `::GROUP` for a group inside a file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reserves the name of a member.
    fn take(&mut self, name: &str) -> Result<Place> {
        let place = Place::array(&*self.path, name);
        if let Some(what) = not_a_name(name) {
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        Ok(place)
    }
}

impl ContainerWriter for Hdf5Writer {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        let place = self.take(name)?;
        if text.contains('\0') {
            return Err(Error::mismatch(place, "a zero byte", "text"));
        }
        self.group.set_text(name, text, &place)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        let place = self.take(name)?;
        if !HDF5.capabilities.value_types.contains(&value_type) {
            let what = format!("an HDF5 dataset cannot hold {value_type}");
            return Err(Error::unsupported(place, what));
        }
        Ok(ArrayId(self.group.create_array(name, value_type, place)))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        self.group.append_bytes(array.0, bytes)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let place = self.take(name)?;
        self.group.copy_strings(name, strings, &place)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        self.group.finish(self.names)
    }
}

impl std::fmt::Debug for Hdf5Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5Writer").field("path", &self.path).finish_non_exhaustive()
    }
}
