//! Types of the values of options.
//!
//! The texts of [`FormatOptions`](super::FormatOptions) parse as these, such as `format-version` of BPCells as
//! [`FormatVersion`], `layout` of Matrix Market as [`Layout`], and `dialect` and `block-type` of DAPHNE as [`Dialect`]
//! and [`BlockType`]. [`OpenOptions::dialect`](crate::OpenOptions::dialect) sets the dialect of a source.

#[cfg(feature = "bpcells")]
pub use nnz_bpcells::{FormatVersion, Packing};
#[cfg(feature = "daphne")]
pub use nnz_daphne::{BlockType, Dialect, parse_value_type as parse_daphne_type};
#[cfg(feature = "matrix-market")]
pub use nnz_matrix_market::Layout;
