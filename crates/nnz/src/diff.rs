//! Comparing the data at two locations.

use nnz_core::{Axis, AxisKind, Error, MatrixSource, Result, Shape};

use crate::collection::{self, ElementChange, ElementDifference};
use crate::engine::Transposed;
use crate::{Context, Dataset, DiffOptions, Difference, Location, OpenOptions};

/// Compares two matrices or collections of any formats and passes the first differences to `each`. The path of an
/// element is empty for single matrices.
///
/// All elements are compared by their numbers, whatever their type and storage order, and names if both
/// matrices have them. A stored entry that is equal to the fill value (zero by default) equals an element
/// that is not stored, and entries that follow from a symmetry are included; with
/// [`stored`](DiffOptions::stored), neither is the case. If the fill values differ, elements that neither
/// matrix stores differ. If one matrix is cells by features and the other features by cells, cells are
/// compared with cells; cells are columns of a matrix of R, which does not state its axes. Collections of one format are compared with everything in them, others by their main matrices.
///
/// # Errors
///
/// Fails if one of them cannot be read or is broken, and with [`by_name`](DiffOptions::by_name) if neither rows nor
/// columns have names in both.
pub fn diff(
    first: impl Into<Location>,
    second: impl Into<Location>,
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<()> {
    let (first, second) = (&first.into(), &second.into());
    let open = OpenOptions::new();
    let opened = [open.open(first, context)?, open.open(second, context)?];
    diff_opened(opened, options, context, each)
}

/// Compares two datasets that are open, for example with options of their formats.
///
/// # Errors
///
/// Fails as [`diff`].
pub fn diff_opened(
    found: [Dataset; 2],
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<()> {
    if let [Dataset::Collection(a), Dataset::Collection(b)] = &found
        && collection::diff([a, b], options, context, each)?
    {
        return Ok(());
    }
    let each =
        &mut |found| each(ElementDifference::new(String::new(), ElementChange::Matrix(found)));
    if let [Dataset::Tensor(a), Dataset::Tensor(b)] = &found
        && !(a.is_vector() && b.is_vector())
    {
        let (a, b) = (a.read(context.memory() / 2)?, b.read(context.memory() / 2)?);
        if !crate::tensor::equal_elements(a, b)? {
            each(Difference::Tensor);
        }
        return Ok(());
    }
    let [a, b] = found.map(Dataset::into_matrix);
    let opened = [a?, b?];
    let [a, b] = &opened;
    let [first, second] = [axes_beside(&**a, &**b), axes_beside(&**b, &**a)];
    let [rows, cols] = first;
    if rows != cols && rows != AxisKind::Unknown && second == [cols, rows] {
        // Compares cells with cells, with positions in the first.
        let exchanged = Transposed::new(Box::new(&*opened[1]));
        return compare([&*opened[0], &exchanged], options, context, each);
    }
    compare([&*opened[0], &*opened[1]], options, context, each)
}

/// Returns the kinds of the axes of a matrix: those that are usual in its format if it does not state them and they are those
/// of another matrix, exchanged, of the corresponding shape.
fn axes_beside(source: &dyn MatrixSource, other: &dyn MatrixSource) -> [AxisKind; 2] {
    let [header, beside] = [source.header(), other.header()];
    let exchanged = Shape { rows: beside.shape.cols, cols: beside.shape.rows };
    let [rows, cols] = beside.axis_kinds;
    let usual = source.usual_axis_kinds();
    let is_usual = header.axis_kinds == [AxisKind::Unknown; 2]
        && usual == [cols, rows]
        && header.shape == exchanged;
    if is_usual { usual } else { header.axis_kinds }
}

/// Compares two matrices whose axes correspond.
fn compare(
    sources: [&dyn MatrixSource; 2],
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(Difference),
) -> Result<()> {
    if options.by_name && !named(sources, Axis::Rows)? && !named(sources, Axis::Cols)? {
        let what = "cannot match by name: neither rows nor columns have names in both matrices";
        return Err(Error::argument(what));
    }
    nnz_engine::diff(sources, options, context, each)
}

/// Whether both matrices have names of an axis.
fn named(sources: [&dyn MatrixSource; 2], axis: Axis) -> Result<bool> {
    let places = sources.map(|source| source.place());
    let mut both = true;
    for (source, place) in sources.into_iter().zip(places) {
        let names = source.read_names(axis).map_err(|error| error.with_context(&place))?;
        both &= names.is_some();
    }
    Ok(both)
}
