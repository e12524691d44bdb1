//! Types of BPCells: versions and packing.
//!
//! Targets accept the [`FormatOptions`](crate::formats::FormatOptions) `unpacked` and
//! `format-version`.

pub use nnz_bpcells::{FormatVersion, Packing};
