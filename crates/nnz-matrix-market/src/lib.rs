//! Matrix Market: `.mtx` text, plain or gzipped.
//!
//! A banner, comments, a line of sizes, then one entry per line (*coordinate*) or one value per
//! line, by column (*array*). `docs/formats/matrix-market.md` lists the deviations that are
//! accepted.

pub mod archive;
mod array;
mod banner;
mod comment;
mod coordinate;
mod entries;
mod fault;
mod header;
mod line;
mod number;
mod peek;
mod preamble;
mod source;
pub mod tenx_folder;
mod value;
mod window;
mod writer;

pub use banner::{Field, Layout, Symmetry, looks_like};
pub use comment::comment;
pub use nnz_lines::{LONGEST_LINE, TextTarget};
pub use source::{MatrixMarketSource, from_opened, from_reader, open, open_stdin};
pub use writer::{Options, capabilities, create};

/// The largest number of rows, columns or entries: the maximum of a signed 64-bit integer, which other
/// readers use.
pub const LARGEST_SIZE: u64 = i64::MAX.unsigned_abs();

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
