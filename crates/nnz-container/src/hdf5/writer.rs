//! Writing a group of an HDF5 file, new or already there.

pub(super) mod dimensions;
pub(super) mod existing;
mod new;
mod options;
mod texts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

pub use options::Hdf5Options;

use super::container::{CAPABILITIES, full_path};
use crate::{ArrayId, ContainerWriter};
use existing::ExistingFile;
use new::NewFile;
use nnz_storage::staging::WriteOptions;

/// What programs a file is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// All of HDF5. BPCells and h5py do so by default.
    Hdf5,
    /// Those of NetCDF, which add to a file only if it knows the order in which things were made.
    NetCdf,
}

/// A group being written, in a new file or in one that is there.
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
    /// Completes the group, which has members and attributes of these names, and returns its bytes.
    fn finish(self: Box<Self>, names: BTreeSet<String>) -> Result<u64>;
}

/// A group of an HDF5 file being written, invisible until it is finished.
///
/// A file that is there already keeps all else: what is written goes into a copy of it, which
/// takes its place in the end. Dropped unfinished, nothing is left behind.
pub struct Hdf5Writer {
    group: Box<dyn GroupWriter>,
    path: PathBuf,
    names: BTreeSet<String>,
}

impl Hdf5Writer {
    /// Starts writing a group, named with or without a slash before it; the root group has no
    /// name.
    ///
    /// Groups above it are made where they are missing. A group that is there is replaced only
    /// with leave to overwrite; replacing the root group replaces the file.
    ///
    /// # Errors
    ///
    /// Fails where options make no sense, the group may not be replaced, what is there is not an
    /// HDF5 file, or the file cannot be written.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        Self::create_for(path, group, write, options, Readers::Hdf5)
    }

    /// Starts writing a group whose arrays get dimensions, as programs of NetCDF want them.
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
            return Err(Error::new(ErrorKind::Argument("no name of a group".into()), place));
        }
        // Replacing the root group is replacing the file.
        let is_new = names.is_empty() || path.symlink_metadata().is_err();
        let group: Box<dyn GroupWriter> = match is_new {
            true => Box::new(NewFile::create(path, &names, write, options, readers, place)?),
            false => Box::new(ExistingFile::create(path, names, write, options, readers, place)?),
        };
        Ok(Self { group, path: full, names: BTreeSet::new() })
    }

    /// Returns the path, with `::GROUP` where it is a group inside a file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a name for a member.
    fn take(&mut self, name: &str) -> Result<Place> {
        let place = Place::array(&*self.path, name);
        if name.is_empty() || name.contains(['/', '\0']) || name == "." {
            let what = format!("{name:?} cannot be a name in an HDF5 file");
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
        if !CAPABILITIES.value_types.contains(&value_type) {
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
