//! Frames as text: comma-separated values with a line of labels (RFC 4180).
//!
//! Numbers are exact: integers are integers, floats have the shortest form that reads back, with
//! `nan`, `inf` and `-0.0`. A text does not tell types, so that they are given, or inferred: the
//! first of int64, uint64 and float64 that holds all values of a column exactly.

mod field;
mod infer;
mod reader;
mod strict;
mod writer;

pub use reader::{CsvReader, ReadOptions};
pub use writer::{WriteOptions, write};
