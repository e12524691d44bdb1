//! Sparse matrices of SciPy, as `scipy.sparse.save_npz` writes them to an `.npz` file.
//!
//! The array `format` determines which other arrays there are: `csr`, `csc`, `coo`, `bsr` or `dia`.
//! Files of every version of SciPy are read; `docs/formats/scipy.md` lists the differences.

mod blocks;
mod coo_sink;
mod diagonals;
mod layout;
mod open;
mod sink;
mod source;

pub use coo_sink::{CooSink, create_coo, write_coo};
pub use layout::{SparseFormat, other_members};
pub use open::{CooTensor, Package, ScipyFile, is_scipy};
pub use sink::{CAPABILITIES, create};
pub use source::{ScipySource, not_read};
