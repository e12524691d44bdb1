//! Writing a group of an HDF5 file, new or already there.

mod array;
mod options;
mod pack;
mod scales;
mod strings;
mod target;
mod there;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};
use rust_hdf5::{H5Dataset, H5File, H5Group, Hdf5Error};

pub use options::Hdf5Options;

use super::container::{CAPABILITIES, full_path};
use crate::compress::Compression;
use crate::staging::WriteOptions;
use crate::{ArrayId, ContainerWriter};
use array::Array;
use target::{Readers, Target};

/// A group of an HDF5 file being written, invisible until it is finished.
///
/// A file that is there already keeps all else: what is written goes into a copy of it, which
/// takes its place in the end. Dropped unfinished, nothing is left behind.
pub struct Hdf5Writer {
    target: Target,
    file: Unfinished,
    group: H5Group,
    path: PathBuf,
    names: BTreeSet<String>,
    arrays: Vec<Array>,
    /// The lists of strings, of NetCDF only.
    lists: Vec<(H5Dataset, u64)>,
    options: Hdf5Options,
    readers: Readers,
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
        let (target, file) = Target::create(path, group, write, readers, &Place::path(&*full))?;
        let place = Place::path(&*full);
        if readers == Readers::NetCdf && target.is_new() {
            scales::sign(&file, &place)?;
        }
        let group = guarded(&place, || target.make_groups(&file))?;
        Ok(Self {
            target,
            file: Unfinished(Some(file)),
            group,
            path: full,
            names: BTreeSet::new(),
            arrays: Vec::new(),
            lists: Vec::new(),
            options,
            readers,
        })
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
    fn set_tag(&mut self, name: &str, text: &str) -> Result<()> {
        if text.contains('\n') {
            let place = Place::array(&*self.path, name);
            return Err(Error::mismatch(place, "several lines", "one line"));
        }
        self.set_text(name, text)
    }

    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        let place = self.take(name)?;
        if text.contains('\0') {
            return Err(Error::mismatch(place, "a zero byte", "text"));
        }
        guarded(&place, || self.group.set_attr_string(name, text))
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        let place = self.take(name)?;
        if !CAPABILITIES.value_types.contains(&value_type) {
            let what = format!("an HDF5 dataset cannot hold {value_type}");
            return Err(Error::unsupported(place, what));
        }
        self.arrays.push(Array::new(name, value_type, place, self.options));
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        self.arrays[array.0].append(&self.group, bytes)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let place = self.take(name)?;
        let written = strings::write(&self.group, name, strings, &place)?;
        if self.readers == Readers::NetCdf {
            self.lists.push(written);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        for array in &mut self.arrays {
            array.finish(&self.group)?;
        }
        let place = Place::path(&*self.path);
        if self.readers == Readers::NetCdf {
            let arrays = self.arrays.iter().filter_map(Array::written);
            let lists = self.lists.iter().map(|(dataset, len)| (dataset, *len));
            let mut taken = self.target.names_around().clone();
            taken.append(&mut self.names);
            scales::attach(&self.group, arrays.chain(lists), &taken, &place)?;
        }
        // They hold on to the file.
        self.arrays.clear();
        self.lists.clear();
        if let Some(file) = self.file.0.take() {
            // The commit syncs, if that is asked for.
            guarded(&place, || file.close_no_sync())?;
        }
        self.target.commit()
    }
}

/// A file being written. Dropped by itself it would be synced before it vanishes.
struct Unfinished(Option<H5File>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| file.close_no_sync()));
        }
    }
}

impl std::fmt::Debug for Hdf5Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hdf5Writer").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Runs a call into the crate that writes, and says its errors in our words.
fn guarded<T>(place: &Place, call: impl FnOnce() -> rust_hdf5::Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Hdf5Error::Io(error))) => Err(Error::new(ErrorKind::Io(error), place.clone())),
        Ok(Err(error)) => {
            let error = std::io::Error::other(format!("HDF5 cannot be written: {error}"));
            Err(Error::new(ErrorKind::Io(error), place.clone()))
        }
        Err(_) => {
            let what = "HDF5 cannot be written: what is there contradicts itself".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), place.clone()))
        }
    }
}
