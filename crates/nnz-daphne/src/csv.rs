//! Frames as comma-separated values with a header of labels (RFC 4180).
//!
//! Numbers are exact: integers are written as integers, and floats in the shortest form that parses
//! to the same value, with `nan`, `inf` and `-0.0`. Text has no types, so they are either given, or
//! inferred: the first of int64, uint64 and float64 that represents all values of a column exactly.

mod field;
mod infer;
mod reader;
mod strict;
mod writer;

pub use reader::{CsvReader, ReadOptions};
pub use writer::{WriteOptions, write};
