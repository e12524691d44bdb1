//! Helpers that several modules share.
#![allow(dead_code, reason = "without some features not all of them are used")]

pub(crate) mod binsparse;
pub(crate) mod damaged;
pub(crate) mod golden;
pub(crate) mod hdf5;
pub(crate) mod tree_dump;
#[cfg(all(feature = "hdf5", feature = "zarr"))]
pub(crate) mod tree_model;
