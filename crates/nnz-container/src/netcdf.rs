//! NetCDF files, classic or inside HDF5.
//!
//! A variable of one dimension is an array of numbers, a text attribute a tag or a text. NetCDF-4 is
//! HDF5 with names for dimensions: it is read and written, group by group, by what reads and writes
//! HDF5. The classic forms (CDF-1, CDF-2 and CDF-5) have one group; they are read here.
//! `docs/formats/netcdf.md` says what is read and written.

mod classic;
mod container;
#[cfg(feature = "hdf5")]
mod dimensions;
#[cfg(feature = "hdf5")]
mod groups;
mod tree;
#[cfg(feature = "hdf5")]
mod writer;

use nnz_core::ValueType;

use crate::Capabilities;

pub use container::{NetCdf, NetCdfFile};
#[cfg(feature = "hdf5")]
pub(crate) use dimensions::{NO_VARIABLE, PROPERTIES};
#[cfg(feature = "hdf5")]
pub use groups::{groups_with, is_netcdf4};
pub use tree::NetCdfGroup;
#[cfg(feature = "hdf5")]
pub use writer::NetCdfWriter;

/// What a group can hold: NetCDF has neither booleans nor complex numbers.
const CAPABILITIES: Capabilities = Capabilities {
    value_types: &[
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
    ],
    line_breaks: true,
    any_bytes: false,
    long_texts: true,
};

/// Returns whether a file that starts with these bytes is a classic NetCDF file.
///
/// One of NetCDF-4 starts as every HDF5 file does.
#[must_use]
pub fn is_netcdf(first_bytes: &[u8]) -> bool {
    matches!(first_bytes, [b'C', b'D', b'F', 1 | 2 | 5, ..])
}
