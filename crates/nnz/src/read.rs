//! Reading matrices into memory.

use crate::Context;
use nnz_core::Result;

use crate::open::open_matrix;
use crate::{CsMatrix, Dense, Location, ReadOptions};

/// Reads a whole matrix into memory.
///
/// ```no_run
/// use nnz::{Context, ReadOptions};
///
/// let matrix = nnz::read("pbmc.bpcells", &ReadOptions::default(), &Context::default())?;
/// println!("{} entries", matrix.nnz());
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, and if it takes more memory than allowed.
pub fn read(
    location: impl Into<Location>,
    options: &ReadOptions,
    context: &Context,
) -> Result<CsMatrix> {
    let location = location.into();
    let source = open_matrix(&location, context)?;
    nnz_engine::read(&*source, options, context)
}

/// Reads a matrix into memory as a dense array.
///
/// The elements of a dense matrix are copied bit by bit. Elements of a sparse matrix that are not stored
/// are zero; duplicate entries are summed if the format defines that, as SciPy does.
///
/// ```no_run
/// use nnz::{Context, ReadOptions};
///
/// let matrix = nnz::read_dense("x.dbdf", &ReadOptions::default(), &Context::default())?;
/// println!("{} of {:?}", matrix.shape, matrix.values.value_type());
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if there are duplicate entries that the format does not
/// sum, and if it takes more memory than allowed.
pub fn read_dense(
    location: impl Into<Location>,
    options: &ReadOptions,
    context: &Context,
) -> Result<Dense> {
    let location = location.into();
    let source = open_matrix(&location, context)?;
    nnz_engine::read_dense(&*source, options, context)
}
