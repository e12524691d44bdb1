//! Helpers of the fuzz targets.

pub mod container;
#[path = "../../crates/nnz/tests/it/common/entries.rs"]
pub mod entries;
pub mod members;
pub mod read;
pub mod scratch;
pub mod store;
