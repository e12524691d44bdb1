//! Named arrays: the storage of BPCells and Binsparse.
//!
//! A container has typed arrays of numbers, lists of strings and *attributes* (texts such as a
//! format version), identified by names. How they are stored depends on the container: an attribute
//! is a text file in a directory, and an attribute of a group in HDF5 or Zarr. Formats that write
//! through [`NamedArraysWriter`] and read through [`NamedArrays`] work in every container.
//!
//! Both are views of a [`tree`] of groups with attributes of any type and arrays of any shape, which is what a
//! container implements.
//!
//! Directories, R objects and arrays in memory are always included; HDF5, NetCDF, npz and Zarr are
//! features, enabled by default.

// Some shared code is unused without all features.
#![cfg_attr(
    not(all(feature = "hdf5", feature = "netcdf", feature = "npz", feature = "zarr")),
    allow(dead_code, unused_imports)
)]

mod cached;
mod container;
pub mod directory;
#[cfg(feature = "hdf5")]
pub mod hdf5;
mod json;
mod kind;
pub mod kinds;
pub mod matrix;
pub mod memory;
mod named;
#[cfg(any(feature = "hdf5", feature = "netcdf"))]
pub mod netcdf;
pub mod npy;
// Zarr stores may be zip files too.
#[cfg(any(feature = "npz", feature = "zarr"))]
pub mod npz;
pub mod rds;
pub mod tree;
mod vector;
#[cfg(feature = "zarr")]
pub mod zarr;

pub use container::{Capabilities, FoundGroup};
pub use kind::{ContainerInfo, ContainerKind, CreateOptions, OpenContainer};
pub use named::{NamedArrays, NamedArraysWriter};
pub use nnz_chunk::{Compression, Filters, Method};
pub use vector::Vector;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
