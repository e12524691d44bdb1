//! Where named arrays are read from, whatever they mean.

use std::fmt;
use std::path::{Path, PathBuf};

use nnz_bpcells::RObject;
use nnz_container::directory::Directory;
use nnz_container::hdf5::{self, Hdf5};
use nnz_container::netcdf::{self, NetCdf};
use nnz_container::npy::NpyDirectory;
use nnz_container::npz::Npz;
use nnz_container::zarr::{self, Zarr};
use nnz_container::{Container, Tagged};
use nnz_core::{Error, ErrorKind, Place, Result};

use crate::open::{Recognised, first_bytes};

/// A place that named arrays are in.
pub(crate) enum Store {
    Directory(PathBuf),
    Npy(PathBuf),
    Npz(PathBuf),
    /// A group of a file that has such.
    Group(Grouped, PathBuf, String),
    /// In memory already: an object of R is read whole.
    RObject(RObject),
}

/// A kind of file with groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouped {
    Hdf5,
    NetCdf,
    Zarr,
}

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hdf5 => "an HDF5 file",
            Self::NetCdf => "a NetCDF file",
            Self::Zarr => "a Zarr store",
        })
    }
}

impl Grouped {
    /// Finds out whether a file has groups.
    pub(crate) fn of_file(path: &Path) -> Result<Option<Self>> {
        if netcdf::is_netcdf(&first_bytes(path, 8)?) {
            return Ok(Some(Self::NetCdf));
        }
        if !hdf5::is_hdf5(path).map_err(|error| Error::io(path, error))? {
            return Ok(None);
        }
        // What says nothing of NetCDF is read as HDF5, which it is in any case.
        let netcdf = netcdf::is_netcdf4(path).unwrap_or(false);
        Ok(Some(if netcdf { Self::NetCdf } else { Self::Hdf5 }))
    }

    /// Lists the groups that have an attribute of one of the given names.
    pub(crate) fn groups_with(self, path: &Path, tags: &[&str]) -> Result<Vec<Tagged>> {
        match self {
            Self::Hdf5 => hdf5::groups_with(path, tags),
            Self::NetCdf => netcdf::groups_with(path, tags),
            Self::Zarr => zarr::groups_with(path, tags),
        }
    }
}

impl Store {
    pub(crate) fn open(&self) -> Result<Box<dyn Container>> {
        Ok(match self {
            Self::Directory(path) => Box::new(Directory::open(path)?),
            // Units are decoded by many threads already.
            Self::Group(Grouped::Hdf5, path, group) => {
                Box::new(Hdf5::open(path, group)?.with_threads(1))
            }
            Self::Group(Grouped::NetCdf, path, group) => {
                Box::new(NetCdf::open(path, group)?.with_threads(1))
            }
            Self::Group(Grouped::Zarr, path, group) => {
                Box::new(Zarr::open(path, group)?.with_threads(1))
            }
            Self::Npy(path) => Box::new(NpyDirectory::open(path)?),
            Self::Npz(path) => Box::new(Npz::open(path)?),
            Self::RObject(object) => Box::new(object.clone()),
        })
    }

    /// Finds out what the arrays mean.
    pub(crate) fn recognise(self) -> Recognised {
        let Ok(store) = self.open() else { return Recognised::BpCells(self) };
        // What has no version that can be read is told as it is opened.
        let fragments = nnz_bpcells::holds_fragments(&*store);
        if fragments.unwrap_or(false) {
            return Recognised::Fragments(self);
        }
        let known = |error: &Error| matches!(error.kind(), ErrorKind::Missing);
        let versioned = !store.tag("version").is_err_and(|error| known(&error));
        let described = !store.text(nnz_binsparse::DESCRIPTOR).is_err_and(|error| known(&error));
        match (versioned, described) {
            (false, true) => Recognised::Binsparse(self),
            _ => Recognised::BpCells(self),
        }
    }

    /// Says that it holds fragments.
    pub(crate) fn no_matrix(&self) -> Result<Error> {
        let store = self.open()?;
        Ok(no_matrix(Place::path(store.path()), &store.tag("version")?))
    }
}

/// Makes the error that a place holds fragments of a version.
pub(crate) fn no_matrix(place: Place, version: &str) -> Error {
    let version = version.escape_debug();
    let what =
        format!("holds genomic fragments (version \"{version}\"), not a matrix: see nnz fragments");
    Error::unsupported(place, what)
}
