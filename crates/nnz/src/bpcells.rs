//! How BPCells matrices and fragments are stored.
//!
//! Targets of matrices take `unpacked` and `format-version` as
//! [`FormatOptions`](crate::formats::FormatOptions).

pub use nnz_bpcells::{FormatVersion, Packing};
