//! Writing a group to an existing HDF5 file: to a copy of it, which replaces the file in the end.

mod array;
pub(in crate::hdf5) mod links;
mod pack;
mod scales;
mod strings;
pub(in crate::hdf5) mod target;
mod there;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};
use rust_hdf5::{H5Dataset, H5File, H5Group, Hdf5Error};

use super::{GroupWriter, Hdf5Options, Readers};
use array::Array;
use nnz_storage::staging::WriteOptions;
use target::Target;

/// A writer of a group to an existing file.
pub(super) struct ExistingFile {
    target: Target,
    file: Unfinished,
    group: H5Group,
    place: Place,
    arrays: Vec<Array>,
    /// The lists of strings, only for NetCDF.
    lists: Vec<(H5Dataset, u64)>,
    options: Hdf5Options,
    readers: Readers,
}

impl ExistingFile {
    /// Copies the file and creates missing groups.
    pub(super) fn create(
        path: &Path,
        names: Vec<String>,
        write: WriteOptions,
        options: Hdf5Options,
        readers: Readers,
        place: Place,
    ) -> Result<Self> {
        let (target, file) = Target::create(path, names, write, readers, &place)?;
        let group = call_library(&place, || target.make_groups(&file))?;
        let file = Unfinished(Some(file));
        let (arrays, lists) = (Vec::new(), Vec::new());
        Ok(Self { target, file, group, place, arrays, lists, options, readers })
    }
}

impl GroupWriter for ExistingFile {
    fn set_text(&mut self, name: &str, text: &str, place: &Place) -> Result<()> {
        call_library(place, || self.group.set_attr_string(name, text))
    }

    fn create_array(&mut self, name: &str, value_type: ValueType, place: Place) -> usize {
        self.arrays.push(Array::new(name, value_type, place, self.options));
        self.arrays.len() - 1
    }

    fn append_bytes(&mut self, array: usize, bytes: &[u8]) -> Result<()> {
        self.arrays[array].append(&self.group, bytes)
    }

    fn copy_strings(
        &mut self,
        name: &str,
        strings: &mut dyn StringReader,
        place: &Place,
    ) -> Result<()> {
        let written = strings::write(&self.group, name, strings, place)?;
        if self.readers == Readers::NetCdf {
            self.lists.push(written);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, mut names: BTreeSet<String>) -> Result<u64> {
        for array in &mut self.arrays {
            array.finish(&self.group)?;
        }
        if self.readers == Readers::NetCdf {
            let arrays = self.arrays.iter().filter_map(Array::written);
            let lists = self.lists.iter().map(|(dataset, len)| (dataset, *len));
            names.extend(self.target.names_in_parents().iter().cloned());
            scales::attach(&self.group, arrays.chain(lists), &names, &self.place)?;
        }
        // They keep the file open.
        self.arrays.clear();
        self.lists.clear();
        if let Some(file) = self.file.0.take() {
            // The commit syncs, if requested.
            call_library(&self.place, || file.close_no_sync())?;
        }
        self.target.commit()
    }
}

/// A file that is being written. Its own drop would sync it before it is removed.
struct Unfinished(Option<H5File>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let _ = catch_unwind(AssertUnwindSafe(|| file.close_no_sync()));
        }
    }
}

/// Calls `rust-hdf5`, and converts its errors.
pub(in crate::hdf5) fn call_library<T>(
    place: &Place,
    call: impl FnOnce() -> rust_hdf5::Result<T>,
) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Hdf5Error::Io(error))) => Err(Error::new(ErrorKind::Io(error), place.clone())),
        Ok(Err(error)) => {
            let error = std::io::Error::other(format!("HDF5 cannot be written: {error}"));
            Err(Error::new(ErrorKind::Io(error), place.clone()))
        }
        Err(_) => {
            let what = "HDF5 cannot be written: the existing file is inconsistent".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), place.clone()))
        }
    }
}
