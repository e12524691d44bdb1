//! Dimensions of NetCDF-4: what they are called.

use std::collections::BTreeSet;

use crate::netcdf::NO_VARIABLE;

/// Elements of a chunk that is never stored.
pub(in crate::hdf5) const LONGEST_CHUNK: u32 = 1 << 20;

/// What a new file says of what wrote it, by which it is known as one of NetCDF.
pub(in crate::hdf5) const SIGNATURE: &str = concat!("version=2,nnz=", env!("CARGO_PKG_VERSION"));

/// Returns a name for the dimension of a length that is not taken.
pub(super) fn free_name(len: u64, taken: &BTreeSet<String>) -> String {
    let plain = format!("length_{len}");
    let numbered = (2_u64..).map(|number| format!("{plain}_{number}"));
    let names = std::iter::once(plain.clone()).chain(numbered);
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or(plain)
}

/// Returns what the dataset of a dimension calls itself: no variable, and the length.
pub(in crate::hdf5) fn description(len: u64) -> String {
    format!("{NO_VARIABLE}{len:>10}")
}
