//! Integration tests, in one program so that it is linked once.
#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test stops where it fails"
)]

mod common;
mod conformance;
mod containers_hostile;
mod directory;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(feature = "hdf5")]
mod hdf5_file;
#[cfg(feature = "hdf5")]
mod hdf5_filters;
#[cfg(feature = "hdf5")]
mod hdf5_golden;
#[cfg(feature = "hdf5")]
mod hdf5_hostile;
mod nd;
#[cfg(feature = "hdf5")]
mod netcdf;
mod netcdf_classic;
#[cfg(feature = "hdf5")]
mod netcdf_hostile;
mod numpy;
#[cfg(all(feature = "hdf5", feature = "zarr"))]
mod tree;
#[cfg(all(feature = "hdf5", feature = "zarr"))]
mod tree_editing;
mod tree_formats;
#[cfg(all(feature = "hdf5", feature = "zarr"))]
mod tree_hostile;
#[cfg(all(feature = "hdf5", feature = "zarr"))]
mod tree_writing;
#[cfg(feature = "zarr")]
mod zarr;
#[cfg(feature = "zarr")]
mod zarr_writing;

use nnz_testing::allocations::CountingAllocator;

/// Counts per thread, so other tests do not affect the counts.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
