//! A group of a NetCDF file of any format, as a container.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, Names, Place, Result};
use nnz_storage::InputFile;

use super::CAPABILITIES;
use super::classic::Classic;
use crate::{Capabilities, Container, NumberArray};
#[cfg(feature = "hdf5")]
use crate::{hdf5::Hdf5, hdf5::Hdf5File, netcdf::dimensions};

/// An opened NetCDF file, whose groups can be opened.
#[derive(Clone)]
pub struct NetCdfFile(pub(super) OpenForm);

#[derive(Clone)]
pub(super) enum OpenForm {
    Classic(Arc<Classic>),
    #[cfg(feature = "hdf5")]
    Hdf5(Hdf5File),
}

impl NetCdfFile {
    /// Reads the header of a classic file, or the superblock of an HDF5 file.
    ///
    /// # Errors
    ///
    /// Fails if it is not a NetCDF file.
    pub fn open(file: InputFile) -> Result<Self> {
        if super::is_netcdf(&file.start(4)?) {
            return Ok(Self(OpenForm::Classic(Arc::new(Classic::open(file)?))));
        }
        Self::open_hdf5(file)
    }

    #[cfg(feature = "hdf5")]
    fn open_hdf5(file: InputFile) -> Result<Self> {
        Ok(Self(OpenForm::Hdf5(Hdf5File::open(file)?)))
    }

    #[cfg(not(feature = "hdf5"))]
    fn open_hdf5(file: InputFile) -> Result<Self> {
        Err(Error::mismatch(file.place(), "no NetCDF signature", "a classic NetCDF file"))
    }

    /// Returns the HDF5 file, for NetCDF-4.
    #[cfg(feature = "hdf5")]
    pub(crate) fn hdf5(&self) -> Option<&Hdf5File> {
        match &self.0 {
            OpenForm::Hdf5(file) => Some(file),
            OpenForm::Classic(_) => None,
        }
    }

    /// Wraps a NetCDF-4 file.
    #[cfg(feature = "hdf5")]
    pub(crate) fn of_hdf5(file: Hdf5File) -> Self {
        Self(OpenForm::Hdf5(file))
    }

    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group. A classic file has no groups.
    pub fn group(&self, name: &str) -> Result<NetCdf> {
        match &self.0 {
            OpenForm::Classic(classic) => {
                let name = name.trim_matches('/');
                if !name.is_empty() {
                    let found = format!("the group {name} in a classic file");
                    let place = Place::path(classic.file_path());
                    return Err(Error::mismatch(place, found, "the root group"));
                }
                Ok(NetCdf::of_classic((**classic).clone()))
            }
            #[cfg(feature = "hdf5")]
            OpenForm::Hdf5(file) => file.group(name).map(NetCdf::of_hdf5),
        }
    }
}

impl std::fmt::Debug for NetCdfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetCdfFile").finish_non_exhaustive()
    }
}

/// A group of a NetCDF file. Opening it reads no data.
pub struct NetCdf(Form);

enum Form {
    Classic(Box<Classic>),
    #[cfg(feature = "hdf5")]
    Hdf5(Hdf5),
}

impl NetCdf {
    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a NetCDF file, or has no such group. Classic files have no groups.
    pub fn open(path: &Path, group: &str) -> Result<Self> {
        NetCdfFile::open(InputFile::open(path)?)?.group(group)
    }

    /// Wraps a group of an opened file.
    #[cfg(feature = "hdf5")]
    pub(super) fn of_hdf5(group: Hdf5) -> Self {
        Self(Form::Hdf5(group))
    }

    /// Wraps an opened file.
    pub(super) fn of_classic(classic: Classic) -> Self {
        Self(Form::Classic(Box::new(classic)))
    }

    /// Sets the number of threads that decode the chunks of a large read; the default is all cores.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        match self.0 {
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => Self(Form::Hdf5(group.with_threads(threads))),
            form @ Form::Classic(_) => {
                let _ = threads;
                Self(form)
            }
        }
    }

    fn inner(&self) -> &dyn Container {
        match &self.0 {
            Form::Classic(classic) => &**classic,
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => group,
        }
    }

    /// Returns the name of the dataset of a variable.
    fn stored(&self, name: &str) -> Result<String> {
        match &self.0 {
            Form::Classic(_) => Ok(name.to_owned()),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => dimensions::stored_name(group, name),
        }
    }
}

impl Container for NetCdf {
    fn path(&self) -> &Path {
        self.inner().path()
    }

    fn kind(&self) -> &'static str {
        "NetCDF"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        match &self.0 {
            Form::Classic(classic) => classic.members(),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => dimensions::members(group),
        }
    }

    fn attribute(&self, name: &str) -> Result<String> {
        self.inner().attribute(name)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        self.inner().array(&self.stored(name)?)
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.inner().strings_size(&self.stored(name)?)
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        self.inner().read_strings(&self.stored(name)?)
    }
}

impl std::fmt::Debug for NetCdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetCdf").field("path", &self.path()).finish_non_exhaustive()
    }
}
