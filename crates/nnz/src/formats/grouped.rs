//! Files and stores with groups.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use nnz_container::hdf5::{self, Hdf5};
use nnz_container::netcdf::{self, NetCdf};
use nnz_container::npz;
use nnz_container::tree::Group as _;
use nnz_container::zarr::{self, Zarr, ZarrGroup};
use nnz_container::{Container, Tagged};
use nnz_core::{Error, Result};

/// A kind of file or store that has groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouped {
    Hdf5,
    NetCdf,
    Zarr,
    /// A Zarr store in a zip file.
    ZippedZarr,
}

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hdf5 => "an HDF5 file",
            Self::NetCdf => "a NetCDF file",
            Self::Zarr | Self::ZippedZarr => "a Zarr store",
        })
    }
}

impl Grouped {
    /// Returns the kind of what lies at a path; `None` where it has no groups.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        let found = path.metadata().map_err(|error| Error::io(path, error))?;
        if found.is_dir() {
            return Ok(zarr::is_zarr(path).then_some(Self::Zarr));
        }
        if !found.is_file() {
            return Ok(None);
        }
        Self::of_file(path, &super::probe::first_bytes(path)?)
    }

    /// Returns the kind of a file that starts with these bytes.
    pub(super) fn of_file(path: &Path, start: &[u8]) -> Result<Option<Self>> {
        if netcdf::is_netcdf(start) {
            return Ok(Some(Self::NetCdf));
        }
        // The other zip files that are read are npz.
        let npz = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz"));
        if npz::is_npz(start) {
            return Ok((!npz && zarr::is_zipped(path).unwrap_or(false)).then_some(Self::ZippedZarr));
        }
        if !hdf5::is_hdf5(path).map_err(|error| Error::io(path, error))? {
            return Ok(None);
        }
        // A file without the attributes of NetCDF is read as HDF5, which it is in any case.
        let netcdf = netcdf::is_netcdf4(path).unwrap_or(false);
        Ok(Some(if netcdf { Self::NetCdf } else { Self::Hdf5 }))
    }

    /// Opens a group. Units are decoded by many threads already, so its arrays are read by one.
    pub(super) fn open(self, path: &Path, group: &str) -> Result<Arc<dyn Container>> {
        Ok(match self {
            Self::Hdf5 => Arc::new(Hdf5::open(path, group)?.with_threads(1)),
            Self::NetCdf => Arc::new(NetCdf::open(path, group)?.with_threads(1)),
            Self::Zarr => Arc::new(Zarr::open(path, group)?.with_threads(1)),
            Self::ZippedZarr => ZarrGroup::with_threads(path, group, 1)?.container()?.into(),
        })
    }

    /// Lists the groups that have an attribute of one of the given names.
    pub(super) fn groups_with(self, path: &Path, attributes: &[&str]) -> Result<Vec<Tagged>> {
        match self {
            Self::Hdf5 => hdf5::groups_with(path, attributes),
            Self::NetCdf => netcdf::groups_with(path, attributes),
            Self::Zarr => zarr::groups_with(path, attributes),
            Self::ZippedZarr => Ok(Vec::new()),
        }
    }
}
