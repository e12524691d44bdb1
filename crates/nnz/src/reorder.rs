//! Reordering rows and columns in a conversion.

use crate::Context;
use nnz_core::{Error, MatrixSource, ORIGINAL_POSITION, Place, Placed, Result};
use nnz_engine::{NewOrder, Reordering, Slice};

use crate::{ConvertOptions, Location, Summary};

/// Converts a source whose rows or columns are reordered.
pub(crate) fn convert(
    source: &dyn MatrixSource,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let from = &source.place();
    // Before entries are read.
    context.target(to, options, source)?.check()?;
    let ([rows, cols], options) = &new_order(source, options, context)?;
    let slice = Slice::new(Box::new(source), rows, cols)?;
    // Positions in messages are those in the new order.
    let place = Place::path(format!("reordered {from}"));
    let slice = Placed::new(Box::new(slice), place);
    let mut summary = crate::convert_source(&slice, to.clone(), options, context)?;
    if summary.dropped.iter().any(|dropped| dropped.contains(ORIGINAL_POSITION)) {
        let what = "the target does not store original positions, so the order cannot be undone";
        summary.notes.push(what.to_owned());
    }
    Ok(summary)
}

/// Returns the new order of rows and columns, and the options to write a slice in this order.
pub(crate) fn new_order(
    source: &dyn MatrixSource,
    options: &ConvertOptions,
    context: &Context,
) -> Result<([crate::Selection; 2], ConvertOptions)> {
    let from = &source.place();
    if options.reorder.contains(&Reordering::Frequency) && !source.rereadable() {
        let what = "ordering by frequency reads the source twice, but a stream can be read only once; \
                    write it to a file first";
        return Err(Error::unsupported(from.clone(), what));
    }
    let orders = nnz_engine::reorder(source, options.reorder.each_ref(), context)?;
    let mut options = options.clone().reorder(Default::default());
    let labels = [&mut options.row_labels, &mut options.col_labels];
    let selections = orders.into_iter().zip(labels).map(|(order, labels)| {
        let NewOrder { selection, positions, .. } = order;
        labels.original_positions = positions;
        selection
    });
    let mut selections = selections.collect::<Vec<_>>().into_iter();
    let mut next = || selections.next().unwrap_or_default();
    Ok(([next(), next()], options))
}
