//! Some rows and columns of the matrix at a place.

use nnz_core::{Place, Result};

use crate::{ConvertOptions, Location, Progress, Selection, Summary, engine::Slice};

/// Writes the rows and columns of a matrix that are selected; of a file with several matrices and tables all that
/// belongs to them, where the target holds as much.
///
/// ```no_run
/// use nnz::{ConvertOptions, NoProgress, Selection};
///
/// let genes = Selection::words(["CD3E", "CD8A"]);
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
    let (from, to) = (&from.into(), &to.into());
    if let Some(summary) = crate::whole::slice(from, to, [rows, cols], options, progress)? {
        return Ok(summary);
    }
    let source = options.open_options().open_matrix(from)?;
    let source = Box::new(Slice::new(source, from.source_place(), rows, cols)?);
    // Places in messages of the engine are those among what is selected.
    let place = Place::path(format!("what is selected of {from}"));
    let summary = crate::convert_source(&*source, &place, to, options, progress)?;
    // The size of the whole says nothing of that of a part.
    Ok(Summary { bytes_before: None, ..summary })
}
