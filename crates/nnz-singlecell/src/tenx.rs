//! Matrices in HDF5 as 10x Genomics' Cell Ranger writes them: features x cells, by cells.
//!
//! From version 3 on a file has one group `matrix`, with a table of features in it; before, it has a group for
//! each genome. `docs/formats/tenx.md` lists what versions and other programs write.

mod features;
mod find;
mod sink;
mod source;

pub use features::{Features, GENE_EXPRESSION};
pub use find::{Found, Generation, find, holds_matrix};
pub use sink::{CAPABILITIES, SinkOptions, WIDE_CAPABILITIES, create, unnamed};
pub use source::TenxSource;
