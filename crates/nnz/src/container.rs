//! Containers of named arrays, such as HDF5, Zarr and NPZ: reading the arrays in one, and adding your own.
//!
//! A container implements [`ContainerKind`] and is added with
//! [`Context::with_container`](crate::Context::with_container). [`NamedArrays`] is an open container;
//! [`tree`] has the groups, arrays and attributes in it.

pub use nnz_container::memory::Memory;
pub use nnz_container::{
    Capabilities, ContainerInfo, ContainerKind, CreateOptions, Filters, FoundGroup, Method,
    NamedArrays, NamedArraysWriter, OpenContainer, Vector, tree,
};
