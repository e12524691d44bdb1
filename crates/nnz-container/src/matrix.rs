//! Matrices of named arrays: the parts that formats such as AnnData, 10x HDF5 and npz of SciPy
//! share.
//!
//! [`Compressed`] is a matrix by rows or columns, [`Coordinates`] has entries in any order, and
//! [`Dense`] stores every element. They are created from their arrays and return units that any thread
//! decodes. All indices are checked when they are read; a format adds its own requirements.
//! [`CompressedSink`] writes matrices by rows or columns.

mod ahead;
mod compressed;
mod coordinates;
mod dense;
mod indices;
mod sink;

pub use crate::vector::{Vector, check_booleans, prepare};
pub use ahead::Ahead;
pub use compressed::{Compressed, CompressedArrays};
pub use coordinates::Coordinates;
pub use dense::Dense;
pub use indices::{Index, Indices};
pub use sink::{CompressedArray, CompressedOutput, CompressedSink, IndexType};

/// Entries of a unit, unless chunks are longer.
const ENTRIES: u64 = 1 << 16;

/// Maximum number of entries of a unit.
const MAX_ENTRIES: u64 = 1 << 20;

/// Returns the number of entries of units, such that they end at chunks.
fn entries_of_unit(chunk: Option<u64>) -> u64 {
    match chunk {
        Some(chunk) if chunk > 0 && chunk <= MAX_ENTRIES => {
            ENTRIES.div_ceil(chunk).saturating_mul(chunk)
        }
        _ => ENTRIES,
    }
}
