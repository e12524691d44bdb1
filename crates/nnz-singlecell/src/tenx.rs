//! Matrices in HDF5 as 10x Genomics' Cell Ranger writes them: features x cells, by cells.
//!
//! From version 3 on a file has one group `matrix`, with a table of features in it; before, it has a group for
//! each genome. `docs/formats/tenx.md` lists what versions and other programs write.

mod find;
mod source;

pub use find::{Found, Generation, find, holds_matrix};
pub use source::TenxSource;
