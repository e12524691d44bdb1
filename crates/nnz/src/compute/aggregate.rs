//! Sums of the cells of each group.

use crate::Context;
use std::ops::Range;

use nnz_core::{
    Annotations, Axis, Error, ErrorKind, Header, MatrixSource, Minors, Names, Order, Place,
    Projection, Result, Shape, StringList, UnitReader, Values, Wrapped,
};
use nnz_engine::compute::{Aggregation, aggregate as sums_of, cell_axis};
use nnz_engine::{CsMatrix, Labels, Observed};

use crate::{ConvertOptions, Location, Summary, convert_source};

/// How the cells of groups are combined.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AggregateOptions {
    /// The aggregation to compute; by default the sum.
    pub aggregation: Aggregation,
    /// The axis of the cells; by default as stated in the file, or the rows.
    pub axis: Option<Axis>,
}

nnz_core::setters! {
    AggregateOptions {
        aggregation: Aggregation,
        axis: Option<Axis>,
    }
}

/// Writes a matrix with a row or column for each value of a column of the annotations of cells: the sum of the cells
/// that have the value, or another aggregation (pseudobulk). Cells without a value are left out.
///
/// Groups are in the order of categories, or in ascending order. Sums of integers and counts are integers, everything
/// else is of type `f64`. The labels of the options apply to the source, so that a table can provide the column.
///
/// ```no_run
/// use nnz::compute::{AggregateOptions, aggregate};
/// use nnz::{Context, ConvertOptions};
///
/// let (how, options) = (AggregateOptions::default(), ConvertOptions::default());
/// aggregate("study.h5ad", "sums.h5ad", "cell_type", &how, &options, &Context::default())?;
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if there is no such column, as [`engine::compute::aggregate`](crate::engine::compute::aggregate), and as
/// [`convert`](fn@crate::convert).
pub fn aggregate(
    from: impl Into<Location>,
    to: impl Into<Location>,
    by: &str,
    how: &AggregateOptions,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let (from, to) = (&from.into(), &to.into().resolve_target()?);
    super::refuse_own_source(from, to)?;
    let place = from.source_place();
    let source = options.open.open_matrix(from, context)?;
    let source = super::labelled(source, options, context)?;
    let axis = how.axis.unwrap_or_else(|| cell_axis(source.header()));
    let column = column(&*source, axis, by, context.memory() / 4);
    let groups = column.and_then(|column| column.grouped());
    let groups = groups.map_err(|error| error.with_context(&place))?;
    if groups.labels.is_empty() && !groups.codes.is_empty() {
        let error = Error::argument(format!("none of the {axis} has a value of {by:?}"));
        return Err(error.with_context(&place));
    }
    check_memory(source.header().shape.len(axis.other()), groups.labels.len(), context.memory())
        .map_err(|error| error.with_context(&place))?;
    let note = match how.aggregation {
        Aggregation::Sum => super::note_on_values(&*source)?,
        _ => None,
    };
    let source = super::summed(source, options, context);
    let missing = groups.codes.iter().filter(|code| code.is_none()).count();
    let count = u32::try_from(groups.labels.len()).unwrap_or(u32::MAX);
    let codes = (&*groups.codes, count);
    let numbers = sums_of(
        &Observed::new(&*source, "adding", context.progress()),
        axis,
        codes,
        how.aggregation,
        context,
    )?;
    let integers = how.aggregation != Aggregation::Mean && source.header().value_type.is_integer();
    let integers = integers || how.aggregation == Aggregation::CountNonzero;
    let aggregated = Aggregated::new(source, axis, groups.labels, &numbers, integers)?;
    drop(numbers);
    let options = &options.clone().row_labels(Labels::default()).col_labels(Labels::default());
    let mut summary = convert_source(&aggregated, to, options, context)?;
    // The size of the source is not comparable to the size of the result.
    summary.bytes_before = None;
    summary.notes.extend(note);
    if missing > 0 {
        let of = if axis == Axis::Rows { "rows" } else { "columns" };
        summary.notes.push(format!("{missing} {of} have no value of {by:?} and are left out"));
    }
    Ok(summary)
}

/// Checks that the result, which has a number, an index and a value for each element, fits into memory.
fn check_memory(others: u64, groups: u64, allowed: u64) -> Result<()> {
    /// Bytes of an element: a number, and an index and two types of value while these are collected in growing lists.
    const EACH: u64 = 8 + 2 * (8 + 8) + 8;
    let needed = others.saturating_mul(groups).saturating_mul(EACH);
    match needed > allowed {
        true => Err(Error::new(ErrorKind::Memory { needed, allowed }, Place::default())),
        false => Ok(()),
    }
}

/// Reads a column of the annotations of an axis.
fn column(
    source: &dyn MatrixSource,
    axis: Axis,
    name: &str,
    memory: u64,
) -> Result<nnz_core::Column> {
    let table = source.annotations(axis)?;
    let columns = table.as_ref().map_or(&[][..], |table| table.columns());
    let found = columns.iter().position(|info| info.name == name);
    match (&table, found) {
        (Some(table), Some(at)) => table.read_column(at, memory),
        _ => {
            let names: Vec<String> =
                columns.iter().map(|info| format!("{:?}", info.name)).collect();
            let what = match &names[..] {
                [] => format!("the {axis} have no annotations"),
                _ => format!(
                    "the {axis} have no annotation {name:?}; annotations are {}",
                    names.join(", ")
                ),
            };
            if source.read_names(axis)?.is_none() {
                // A table cannot be joined without names.
                return Err(Error::argument(what));
            }
            let option = if axis == Axis::Rows { "row_annotations" } else { "col_annotations" };
            Err(Error::argument(what).with_hint(option, "adds the columns of a file"))
        }
    }
}

/// A matrix with a row or column for each group, and the other axis of the source.
struct Aggregated {
    matrix: Box<dyn MatrixSource>,
    source: Box<dyn MatrixSource>,
    /// The axis of the groups.
    axis: Axis,
    labels: StringList,
}

impl Aggregated {
    /// Makes a matrix of numbers by group.
    fn new(
        source: Box<dyn MatrixSource>,
        axis: Axis,
        labels: StringList,
        numbers: &[f64],
        integers: bool,
    ) -> Result<Self> {
        let Header { shape, axis_kinds, .. } = *source.header();
        let others = shape.len(axis.other());
        let width = usize::try_from(others).unwrap_or(usize::MAX).max(1);
        let (mut pointers, mut minors, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in numbers.chunks(width) {
            for (minor, number) in (0_u64..).zip(row) {
                if *number != 0.0 {
                    minors.push(minor);
                    values.push(*number);
                }
            }
            pointers.push(values.len() as u64);
        }
        // Without any other rows or columns, there are no numbers.
        let groups = usize::try_from(labels.len()).unwrap_or(usize::MAX);
        pointers.resize(groups.saturating_add(1), values.len() as u64);
        let (order, shape) = match axis {
            Axis::Rows => (Order::Row, Shape { rows: labels.len(), cols: others }),
            Axis::Cols => (Order::Col, Shape { rows: others, cols: labels.len() }),
        };
        let values = if integers { as_integers(&values) } else { Values::F64(values) };
        let matrix = CsMatrix::from_parts(shape, order, pointers, Minors::U64(minors), values)?;
        let matrix = matrix.with_axis_kinds(axis_kinds).into_source()?;
        Ok(Self { matrix, source, axis, labels })
    }
}

/// Returns whole numbers as the narrowest of three types that holds all.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they are in range")]
fn as_integers(values: &[f64]) -> Values {
    let least = values.iter().copied().fold(0.0, f64::min);
    let greatest = values.iter().copied().fold(0.0, f64::max);
    if least >= 0.0 && greatest <= f64::from(u32::MAX) {
        Values::U32(values.iter().map(|value| *value as u32).collect())
    } else if least >= f64::from(i32::MIN) && greatest <= f64::from(i32::MAX) {
        Values::I32(values.iter().map(|value| *value as i32).collect())
    } else {
        Values::I64(values.iter().map(|value| *value as i64).collect())
    }
}

impl MatrixSource for Aggregated {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.matrix)
    }

    fn header(&self) -> &Header {
        self.matrix.header()
    }

    fn about(&self) -> Result<nnz_core::About> {
        self.source.about()
    }

    fn place(&self) -> Place {
        self.source.place()
    }

    /// Lists data of single cells, which is not stored.
    fn extras(&self) -> Result<Vec<String>> {
        self.source.extras()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        match axis == self.axis {
            true => Ok(Some(self.labels.reader())),
            false => self.source.read_names(axis),
        }
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        match axis == self.axis {
            true => Ok(None),
            false => self.source.annotations(axis),
        }
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.matrix.units(majors, fields)
    }

    fn random_access(&self) -> bool {
        self.matrix.random_access()
    }
}
