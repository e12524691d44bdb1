//! Matrices made of named arrays: what formats such as AnnData, 10x HDF5 and SciPy's npz share.
//!
//! [`Compressed`] is a matrix by rows or columns, [`Coordinates`] one of entries in any order, and
//! [`Dense`] one of which every cell is stored. Each is opened with the arrays that it is made of, and
//! yields units that any thread decodes. All indices are checked as they are read; a format adds
//! what it demands beyond that. [`CompressedSink`] writes matrices by rows or columns.

mod compressed;
mod coordinates;
mod dense;
mod indices;
mod sink;
mod vector;

pub use compressed::{Compressed, CompressedArrays};
pub use coordinates::Coordinates;
pub use dense::Dense;
pub use indices::{Index, Indices};
pub use sink::{CompressedArray, CompressedOutput, CompressedSink, IndexType};
pub use vector::{Vector, check_booleans, prepare};

/// Entries of a unit, unless chunks are longer.
const ENTRIES: u64 = 1 << 16;

/// The most entries of a unit.
const MOST_ENTRIES: u64 = 1 << 20;

/// Returns how many entries a unit has, so that it ends where chunks do.
fn entries_of_unit(chunk: Option<u64>) -> u64 {
    match chunk {
        Some(chunk) if chunk > 0 && chunk <= MOST_ENTRIES => {
            ENTRIES.div_ceil(chunk).saturating_mul(chunk)
        }
        _ => ENTRIES,
    }
}
