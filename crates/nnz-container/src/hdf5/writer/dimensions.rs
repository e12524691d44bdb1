//! Names of NetCDF-4 dimensions.

use std::collections::BTreeSet;

use crate::netcdf::NO_VARIABLE;

/// Number of elements of a chunk that is never stored.
pub(in crate::hdf5) const MAX_CHUNK_LEN: u32 = 1 << 20;

/// The `_NCProperties` of a new file, by which it is detected as NetCDF.
pub(in crate::hdf5) const SIGNATURE: &str = concat!("version=2,nnz=", env!("CARGO_PKG_VERSION"));

/// Returns an unused name for a dimension.
pub(super) fn free_name(len: u64, taken: &BTreeSet<String>) -> String {
    let plain = format!("length_{len}");
    let numbered = (2_u64..).map(|number| format!("{plain}_{number}"));
    let names = std::iter::once(plain.clone()).chain(numbered);
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or(plain)
}

/// Returns the `NAME` attribute of the dataset of a dimension: that it is not a variable, and its
/// length.
pub(in crate::hdf5) fn description(len: u64) -> String {
    format!("{NO_VARIABLE}{len:>10}")
}
