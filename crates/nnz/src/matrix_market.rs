//! Types of Matrix Market.
//!
//! Targets accept the [`FormatOptions`](crate::formats::FormatOptions) `layout`.

pub use nnz_matrix_market::Layout;
