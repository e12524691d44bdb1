//! Named arrays: the storage that BPCells and Binsparse are defined on.
//!
//! A container holds typed number arrays, lists of strings and *attributes* (texts such as the
//! version of a format) under names. Where each of them lies is the container's own affair: an attribute
//! is a text file in a directory, an attribute of a group elsewhere. What a format writes through
//! [`ContainerWriter`] and reads through [`Container`] therefore works in every container.
//!
//! Whole trees of groups, with attributes of any type and arrays of any shape, are read through
//! [`tree`].
//!
//! Directories, objects of R and arrays in memory are always there; HDF5, NetCDF, npz and Zarr are
//! features, all on by default.

// What containers share is not all used where some of them are left out.
#![cfg_attr(
    not(all(feature = "hdf5", feature = "netcdf", feature = "npz", feature = "zarr")),
    allow(dead_code, unused_imports)
)]

mod array;
mod byte_order;
mod cached;
#[cfg(any(feature = "hdf5", feature = "zarr"))]
mod chunk_cache;
mod compress;
mod container;
pub mod directory;
#[cfg(feature = "hdf5")]
pub mod hdf5;
mod json;
mod kind;
pub mod kinds;
pub mod matrix;
pub mod memory;
#[cfg(any(feature = "hdf5", feature = "netcdf"))]
pub mod netcdf;
pub mod npy;
// A Zarr store may lie in a zip file, too.
#[cfg(any(feature = "npz", feature = "zarr"))]
pub mod npz;
mod parallel;
mod product;
pub mod rds;
#[cfg(any(feature = "hdf5", feature = "zarr"))]
mod shuffle;
#[cfg(any(feature = "hdf5", feature = "zarr"))]
mod tiles;
pub mod tree;
#[cfg(feature = "zarr")]
pub mod zarr;

pub use array::NumberArray;
pub use cached::CachedArray;
pub use compress::Compression;
pub use container::{ArrayId, Capabilities, Container, ContainerWriter, FoundGroup};
pub use kind::{ContainerInfo, ContainerKind, CreateOptions, OpenContainer};

/// What the README shows is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
