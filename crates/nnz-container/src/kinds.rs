//! The kinds of containers of this crate.

use std::path::Path;

use nnz_core::ValueType;

pub use crate::directory::DirectoryKind;
#[cfg(feature = "hdf5")]
pub use crate::hdf5::Hdf5Kind;
#[cfg(feature = "netcdf")]
pub use crate::netcdf::NetCdfKind;
pub use crate::npy::NpyKind;
#[cfg(feature = "npz")]
pub use crate::npz::NpzKind;
#[cfg(feature = "zarr")]
pub use crate::zarr::ZarrKind;
use crate::{Capabilities, ContainerInfo, ContainerKind};

/// All types of numbers but booleans and complex numbers.
const REAL: &[ValueType] = &[
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
];

/// NetCDF files, classic and NetCDF-4.
pub const NETCDF: ContainerInfo = ContainerInfo {
    groups: true,
    capabilities: Capabilities { value_types: REAL, ..Capabilities::TEXTS },
    ..ContainerInfo::new("NetCDF", "a NetCDF file", &["nc", "nc4"])
};
/// HDF5 files.
pub const HDF5: ContainerInfo = ContainerInfo {
    groups: true,
    ..ContainerInfo::new("HDF5", "an HDF5 file", &["h5", "hdf5", "h5ad"])
};
/// Zarr stores.
pub const ZARR: ContainerInfo =
    ContainerInfo { groups: true, ..ContainerInfo::new("Zarr", "a Zarr store", &["zarr"]) };
/// Zip files of NumPy arrays.
pub const NPZ: ContainerInfo = ContainerInfo::new("npz", "an npz file", &["npz"]);
/// Directories of NumPy arrays.
pub const NPY: ContainerInfo =
    ContainerInfo::new("directory of NumPy arrays", "a directory of NumPy arrays", &[]);
/// Directories of BPCells arrays.
pub const DIRECTORY: ContainerInfo = ContainerInfo {
    typed: false,
    capabilities: Capabilities {
        value_types: crate::directory::TYPES,
        line_breaks: false,
        any_bytes: true,
        multiline_attributes: false,
    },
    ..ContainerInfo::new("directory", "a directory", &[])
};

/// All kinds of containers of this crate. If several match, the first is used.
pub const KINDS: &[&dyn ContainerKind] = &[
    #[cfg(feature = "netcdf")]
    &NetCdfKind,
    #[cfg(feature = "hdf5")]
    &Hdf5Kind,
    #[cfg(feature = "zarr")]
    &ZarrKind,
    &DirectoryKind,
    &NpyKind,
    #[cfg(feature = "npz")]
    &NpzKind,
];

/// Returns the kind of container that a path is named as, if this build does not include it.
#[must_use]
pub fn missing_feature(path: &Path) -> Option<&'static str> {
    let features = [
        (NETCDF, cfg!(feature = "netcdf")),
        (HDF5, cfg!(feature = "hdf5")),
        (ZARR, cfg!(feature = "zarr")),
        (NPZ, cfg!(feature = "npz")),
    ];
    let mut missing = features.iter().filter(|(_, there)| !there).map(|(info, _)| info);
    missing.find(|info| info.is_extension_of(path)).map(|info| info.name)
}
