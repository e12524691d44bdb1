//! Matrix Market: `.mtx` text, plain or gzipped.
//!
//! A banner, comments, a line of sizes, then one entry a line (*coordinate*) or one value a line,
//! column by column (*array*). `docs/formats/matrix-market.md` says which liberties are taken.

mod array;
mod banner;
mod comment;
mod coordinate;
mod decimal;
mod entries;
mod fault;
mod header;
mod line;
pub(crate) mod number;
mod peek;
mod preamble;
mod source;
mod value;
mod window;
mod writer;

pub use banner::{Field, Layout, Symmetry, looks_like};
pub use comment::comment;
pub use source::{MatrixMarketSource, from_reader, open, open_stdin};
pub use writer::{Options, Target, create, needs};

/// The longest line, in bytes, that holds an entry, the sizes or the banner. Comments may be longer.
pub const LONGEST_LINE: usize = crate::lines::LONGEST_LINE;

/// The largest number of rows, columns or entries: what a signed 64-bit integer holds, as readers
/// elsewhere use one.
pub const LARGEST_SIZE: u64 = i64::MAX.unsigned_abs();
