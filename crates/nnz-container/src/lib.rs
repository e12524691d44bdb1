//! Named arrays: the storage that BPCells and Binsparse are defined on.
//!
//! A container holds typed number arrays, lists of strings and *tags* (short texts such as the
//! version of a format) under names. Where each of them lies is the container's own affair: a tag
//! is a text file in a directory, an attribute elsewhere. What a format writes through
//! [`ContainerWriter`] and reads through [`Container`] therefore works in every container.

mod array;
mod byte_order;
mod container;
pub mod directory;
#[cfg(feature = "hdf5")]
pub mod hdf5;
pub mod memory;
pub mod netcdf;
pub mod rds;
pub mod staging;

pub use array::NumberArray;
pub use container::{ArrayId, Capabilities, Container, ContainerWriter};
