//! Helpers that several modules share.
#![allow(dead_code, reason = "without some features not all of them are used")]

use std::path::Path;

use nnz_container::NamedArrays;
use nnz_core::Result;

pub(crate) mod binsparse;
pub(crate) mod damaged;
pub(crate) mod golden;
pub(crate) mod hdf5;
pub(crate) mod tree_dump;
#[cfg(all(feature = "hdf5", feature = "zarr"))]
pub(crate) mod tree_model;

/// Opens a group of an HDF5 file.
#[cfg(feature = "hdf5")]
pub(crate) fn open_hdf5(path: &Path, group: &str) -> Result<NamedArrays> {
    nnz_container::hdf5::Hdf5Group::open(path, group).map(NamedArrays::new)
}

/// Opens a group of a Zarr store.
#[cfg(feature = "zarr")]
pub(crate) fn open_zarr(path: &Path, group: &str) -> Result<NamedArrays> {
    nnz_container::zarr::ZarrGroup::open(path, group).map(NamedArrays::new)
}

/// Opens a group of a NetCDF file.
#[cfg(feature = "netcdf")]
pub(crate) fn open_netcdf(path: &Path, group: &str) -> Result<NamedArrays> {
    nnz_container::netcdf::NetCdfGroup::open(path, group, 1).map(NamedArrays::new)
}

/// Opens an npz file.
#[cfg(feature = "npz")]
pub(crate) fn open_npz(path: &Path) -> Result<NamedArrays> {
    nnz_container::npz::Npz::open(path).map(NamedArrays::new)
}

/// Opens a directory of npy files.
pub(crate) fn open_npy(path: &Path) -> Result<NamedArrays> {
    nnz_container::npy::NpyDirectory::open(path).map(NamedArrays::new)
}

/// Opens a directory of BPCells arrays.
pub(crate) fn open_directory(path: &Path) -> Result<NamedArrays> {
    nnz_container::directory::Directory::open(path).map(NamedArrays::new)
}
