//! Comparing the matrices at two locations.

use nnz_core::{Axis, AxisKind, Cancellation, Error, MatrixSource, Result};

use crate::{Dataset, DiffOptions, Difference, Location, OpenOptions, engine::Transposed};

/// Compares two matrices of any formats and passes the first differences to `each`.
///
/// All cells are compared by their numbers, whatever their type and storage order, and names if both
/// matrices have them. A stored entry that is equal to the fill value (zero by default) equals a cell
/// that is not stored, and entries that follow from a symmetry are included; with
/// [`stored`](DiffOptions::stored), neither is the case. If the fill values differ, cells that neither
/// matrix stores differ. If one matrix is cells by features and the other features by cells, cells are
/// compared with cells.
///
/// # Errors
///
/// Fails if one of them cannot be read or is broken, and if nothing has names that are to be matched.
pub fn diff(
    first: impl Into<Location>,
    second: impl Into<Location>,
    options: &DiffOptions,
    each: &mut dyn FnMut(Difference),
) -> Result<()> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let (first, second) = (&first.into(), &second.into());
    let open = OpenOptions::new().memory_limit(options.memory);
    let found = [open.open(first)?, open.open(second)?];
    if let [Dataset::Tensor(a), Dataset::Tensor(b)] = &found
        && !(a.is_vector() && b.is_vector())
    {
        let (a, b) = (a.read(options.memory / 2)?, b.read(options.memory / 2)?);
        if !crate::tensor::equal_cells(a, b)? {
            each(Difference::Tensor);
        }
        return Ok(());
    }
    let places = [first.source_place(), second.source_place()];
    let [a, b] = found.map(Dataset::into_matrix);
    let opened = [
        a.map_err(|error| error.with_context(&places[0]))?,
        b.map_err(|error| error.with_context(&places[1]))?,
    ];
    let [first, second] = opened.each_ref().map(|matrix| matrix.header().axis_kinds);
    let [rows, cols] = first;
    let unnamed = |matrix: &dyn MatrixSource| {
        [Axis::Rows, Axis::Cols].into_iter().try_fold(true, |unnamed, axis| {
            Ok::<bool, Error>(unnamed && matrix.read_names(axis)?.is_none())
        })
    };
    if options.by_name {
        for (matrix, place) in opened.iter().zip(&places) {
            if unnamed(&**matrix).map_err(|error| error.with_context(place))? {
                let what = "nothing can be matched by name: neither rows nor columns have names";
                return Err(Error::argument(what).with_context(place));
            }
        }
    }
    if rows != cols && rows != AxisKind::Unknown && second == [cols, rows] {
        // Compares cells with cells, with positions in the first.
        let exchanged = Transposed::new(&*opened[1]);
        return nnz_engine::diff([&*opened[0], &exchanged], places, options, each);
    }
    nnz_engine::diff([&*opened[0], &*opened[1]], places, options, each)
}
