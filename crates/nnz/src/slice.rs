//! Slicing the matrix of a location.

use nnz_core::{Cancellation, Place, Result};

use crate::{ConvertOptions, Location, Progress, Selection, Summary, engine::Slice};

/// Writes selected rows and columns of a matrix. From a file with several matrices and tables, everything that
/// belongs to them is written, if the target supports it.
///
/// ```no_run
/// use nnz::{ConvertOptions, NoProgress, Selection};
///
/// let genes = Selection::names(["CD3E", "CD8A"]);
/// let cells: Selection = "n_counts>=500".parse().map_err(nnz::Error::argument)?;
/// let options = ConvertOptions::default();
/// let summary = nnz::slice("pbmc.bpcells", "t_cells.mtx", [&genes, &cells], &options, &NoProgress)?;
/// println!("{}", summary.shape);
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`Slice::new`] and [`convert`](crate::convert).
pub fn slice(
    from: impl Into<Location>,
    to: impl Into<Location>,
    [rows, cols]: [&Selection; 2],
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let (from, to) = (&from.into(), &to.into());
    if let Some(summary) = crate::whole::slice(from, to, [rows, cols], options, progress)? {
        return Ok(summary);
    }
    let source = options.open_options().open_matrix(from)?;
    let source = Box::new(Slice::new(source, from.source_place(), rows, cols)?);
    // Positions in messages of the engine are those in the selection.
    let place = Place::path(format!("the selection from {from}"));
    let summary = crate::convert_source(&*source, &place, to, options, progress)?;
    // The size of the source is not that of the selection.
    Ok(Summary { bytes_before: None, ..summary })
}
