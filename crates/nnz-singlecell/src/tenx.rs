//! Matrices in HDF5 of 10x Genomics' Cell Ranger: features x cells, by cell.
//!
//! Since version 3 a file has one group `matrix`, with a table of features in it; before, it has a
//! group for each genome. `docs/formats/tenx.md` lists the variants of versions and other programs.

mod beside;
mod columns;
mod features;
mod find;
mod root;
mod sink;
mod source;

pub use features::{Features, GENE_EXPRESSION};
pub use find::{FileContent, FormatVersion, find, holds_matrix};
pub use sink::{CAPABILITIES, SinkOptions, WIDE_CAPABILITIES, create, unnamed};
pub use source::TenxSource;
