//! Reading matrices into memory.

use nnz_core::{Cancellation, Result};

use crate::open::open_matrix;
use crate::{CsMatrix, Dense, Location, ReadOptions};

/// Reads a whole matrix into memory.
///
/// ```no_run
/// use nnz::{Location, ReadOptions};
///
/// let matrix = nnz::read(&Location::parse("pbmc.bpcells"), &ReadOptions::default())?;
/// println!("{} entries", matrix.nnz());
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, and if it takes more memory than allowed.
pub fn read(location: impl Into<Location>, options: &ReadOptions) -> Result<CsMatrix> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let location = location.into();
    let source = open_matrix(&location, options.memory)?;
    nnz_engine::read(&*source, &location.source_place(), options)
}

/// Reads a matrix into memory as a dense array.
///
/// The elements of a dense matrix are copied bit by bit. Elements of a sparse matrix that are not stored
/// are zero; duplicate entries are summed if the format defines that, as SciPy does.
///
/// ```no_run
/// use nnz::{Location, ReadOptions};
///
/// let matrix = nnz::read_dense(&Location::parse("x.dbdf"), &ReadOptions::default())?;
/// println!("{} of {:?}", matrix.shape, matrix.values.value_type());
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if there are duplicate entries that the format does not
/// sum, and if it takes more memory than allowed.
pub fn read_dense(location: impl Into<Location>, options: &ReadOptions) -> Result<Dense> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let location = location.into();
    let source = open_matrix(&location, options.memory)?;
    nnz_engine::read_dense(&*source, &location.source_place(), options)
}
