//! Types of DAPHNE: dialects, block types and value types.
//!
//! [`open`](crate::open) detects the dialect of a file;
//! [`OpenOptions::dialect`](crate::OpenOptions::dialect) sets it. Targets accept `dialect`,
//! `block`, `block-type` and other [`FormatOptions`](crate::formats::FormatOptions).

pub use nnz_daphne::{BlockType, Dialect, parse_value_type as value_type};
