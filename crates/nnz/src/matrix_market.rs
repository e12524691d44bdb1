//! How Matrix Market files are laid out.
//!
//! Targets take `layout` as [`FormatOptions`](crate::formats::FormatOptions).

pub use nnz_matrix_market::Layout;
