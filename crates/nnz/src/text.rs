//! Values and names as text.

pub use nnz_core::{escaped, is_unprintable, write_scalar};
