//! NetCDF files, classic and NetCDF-4.
//!
//! Variables of one dimension are arrays of numbers, text attributes are attributes. NetCDF-4 is
//! HDF5 with named dimensions; it is read and written through HDF5, including groups. The classic
//! formats (CDF-1, CDF-2 and CDF-5) have one group and are read here. `docs/formats/netcdf.md`
//! describes what is read and written.

#[cfg(feature = "netcdf")]
mod classic;
#[cfg(feature = "hdf5")]
mod dimensions;
#[cfg(feature = "netcdf")]
mod file;
#[cfg(all(feature = "hdf5", feature = "netcdf"))]
mod groups;
#[cfg(feature = "netcdf")]
mod kind;
#[cfg(feature = "netcdf")]
mod tree;

#[cfg(feature = "hdf5")]
pub(crate) use dimensions::{NO_VARIABLE, PROPERTIES};
#[cfg(feature = "netcdf")]
pub use file::NetCdfFile;
#[cfg(all(feature = "hdf5", feature = "netcdf"))]
pub use groups::{groups_with, is_netcdf4};
#[cfg(feature = "netcdf")]
pub use kind::NetCdfKind;
#[cfg(feature = "netcdf")]
pub use tree::NetCdfGroup;

/// Returns whether a file starts like a classic NetCDF file.
///
/// NetCDF-4 files start like all HDF5 files.
#[must_use]
pub fn is_netcdf(first_bytes: &[u8]) -> bool {
    matches!(first_bytes, [b'C', b'D', b'F', 1 | 2 | 5, ..])
}
