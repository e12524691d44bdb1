//! Chunks of arrays: their grid, the codecs that compress them, and a cache. HDF5 and Zarr share them.

pub mod byte_order;
mod cache;
pub mod codec;
mod compress;
pub mod grid;
mod product;
pub mod shuffle;
mod tiles;

pub use cache::ChunkCache;
pub use compress::{Compression, Filters, Method};
pub use product::product;
pub use tiles::Tiles;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
