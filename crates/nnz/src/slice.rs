//! Slicing the matrix of a location.

use crate::Context;
use nnz_core::Result;

use crate::{ConvertOptions, Location, Selection, Summary};

/// Writes selected rows and columns of a matrix. From a file with several matrices and tables, everything that
/// belongs to them is written, if the target supports it.
///
/// ```no_run
/// use nnz::{ConvertOptions, Context, Selection};
///
/// let genes = Selection::names(["CD3E", "CD8A"]);
/// let cells: Selection = "n_counts>=500".parse().map_err(nnz::Error::argument)?;
/// let options = ConvertOptions::default();
/// let summary = nnz::slice("pbmc.bpcells", "t_cells.mtx", [&genes, &cells], &options, &Context::default())?;
/// println!("{}", summary.shape);
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`Dataset::slice`](crate::Dataset::slice) and [`convert`](crate::convert).
pub fn slice(
    from: impl Into<Location>,
    to: impl Into<Location>,
    [rows, cols]: [&Selection; 2],
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let (from, to) = (&from.into(), &to.into());
    // Positions in messages of the engine are those in the selection.
    let selected = options.open.open(from, context)?.slice([rows, cols])?;
    let summary = selected.convert(to, options, context)?;
    // The size of the source is not the size of the selection.
    Ok(summary.bytes_before(None))
}
