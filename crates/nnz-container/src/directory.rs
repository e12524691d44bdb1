//! A directory of BPCells array files.
//!
//! Numbers: an 8-byte ASCII header that names the type, then little-endian elements. Strings: one
//! a line, without a header. An attribute is a file of one line.

mod header;
mod kind;
mod lines;
mod reader;
mod replaced;
mod writer;

pub use kind::DirectoryKind;
pub use reader::{Directory, is_directory};
pub use writer::DirectoryWriter;
