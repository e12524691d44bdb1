//! The kinds of containers of this crate.

use std::path::Path;

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
use crate::{ContainerInfo, ContainerKind};

pub(crate) const NETCDF: ContainerInfo =
    ContainerInfo { name: "NetCDF", extensions: &["nc", "nc4"], groups: true };
pub(crate) const HDF5: ContainerInfo =
    ContainerInfo { name: "HDF5", extensions: &["h5", "hdf5", "h5ad"], groups: true };
pub(crate) const ZARR: ContainerInfo =
    ContainerInfo { name: "Zarr", extensions: &["zarr"], groups: true };
pub(crate) const NPZ: ContainerInfo =
    ContainerInfo { name: "npz", extensions: &["npz"], groups: false };

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
