//! Directories of BPCells array files.
//!
//! Numbers are an 8-byte ASCII header with the type, followed by little-endian elements. Strings
//! are lines, without a header. An attribute is a file of one line.

mod header;
mod kind;
mod lines;
mod reader;
mod replaced;
mod writer;

pub(crate) use header::TYPES;
pub use kind::DirectoryKind;
pub use reader::{Directory, is_directory};
pub use writer::DirectoryWriter;
