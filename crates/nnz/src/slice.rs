//! Slicing the matrix of a location.

use std::sync::Arc;

use nnz_core::{Axis, MatrixSource, Result};
use nnz_engine::{Labels, Slice};

use crate::collection::{Collection, JoinedTables};
use crate::{Context, ConvertOptions, Dataset, Location, Selection, Summary};

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
    let opened = options.open.open(from, context)?;
    let (opened, options) = match opened {
        Dataset::Collection(collection) if JoinedTables::any(options) => {
            let joined = JoinedTables::new(&*collection, options, context)?;
            return slice_joined(collection, &joined, to, [rows, cols], context);
        }
        Dataset::Collection(_) => (opened, options.clone()),
        opened => {
            let (source, options) = with_tables(opened.into_matrix()?, options, context)?;
            (Dataset::Matrix(source), options)
        }
    };
    // Positions in messages of the engine are those in the selection.
    let selected = opened.slice([rows, cols])?;
    let summary = selected.convert(to, &options, context)?;
    // The size of the source is not the size of the selection.
    Ok(summary.bytes_before(None))
}

/// Writes rows and columns of a collection that are selected with tables that are joined to it.
fn slice_joined(
    collection: Arc<dyn Collection>,
    joined: &JoinedTables<'_>,
    to: &Location,
    [rows, cols]: [&Selection; 2],
    context: &Context,
) -> Result<Summary> {
    let slice = Slice::new(Box::new(&*joined.axes), rows, cols)?;
    let ranges = [slice.ranges(Axis::Rows), slice.ranges(Axis::Cols)];
    let options = joined.options_of(ranges.each_ref().map(|ranges| &**ranges))?;
    let notes = slice.notes();
    let selected = ranges.map(|ranges| Selection::ranges(ranges).allow_empty(true));
    let selected = Dataset::Collection(collection).slice(selected.each_ref())?;
    let mut summary = selected.convert(to, &options, context)?;
    summary.notes.splice(0..0, notes);
    Ok(summary.bytes_before(None))
}

/// Names a matrix without names, and joins tables to its annotations, before these are used, for selections and groups. Returns the
/// options that are left.
pub(crate) fn with_tables(
    source: Box<dyn MatrixSource>,
    options: &ConvertOptions,
    context: &Context,
) -> Result<(Box<dyn MatrixSource>, ConvertOptions)> {
    let mut left = options.clone();
    let [row_labels, col_labels] = [&mut left.row_labels, &mut left.col_labels]
        .map(|labels| Labels::default().names(labels.names.take()).table(labels.table.take()));
    let joined = ConvertOptions::default().row_labels(row_labels).col_labels(col_labels);
    Ok((crate::compute::labelled(source, &joined, context)?, left))
}
