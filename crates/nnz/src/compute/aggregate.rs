//! Sums of the cells of each group.

use crate::Context;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use nnz_core::{
    Annotations, Axis, Column, ColumnValues, Error, ErrorKind, Header, MatrixSource, Minors, Names,
    Order, Place, Projection, Result, Shape, StringList, UnitReader, Values, Wrapped,
    suggest_prefixed,
};
use nnz_engine::compute::{Aggregation, aggregate as sums_of, cell_axis};
use nnz_engine::{AnnotationTable, CsMatrix, Labels, Observed};

use super::Normalization;
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
/// that have the value, or another aggregation (pseudobulk). Several columns make a group of each combination that occurs, named by
/// its values with `_` between. Cells without a value are left out.
///
/// The annotations of groups are their values in these columns and the number of their cells, `n_obs_aggregated` as in scanpy.
/// Groups are in the order of categories, or in ascending order. Sums of integers and counts are integers, everything
/// else is of type `f64`. The labels of the options apply to the source, so that a table can provide the column.
///
/// ```no_run
/// use nnz::compute::{AggregateOptions, aggregate};
/// use nnz::{Context, ConvertOptions};
///
/// let (how, options) = (AggregateOptions::default(), ConvertOptions::default());
/// aggregate("study.h5ad", "sums.h5ad", &["cell_type"], &how, &options, &Context::default())?;
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
    by: &[&str],
    how: &AggregateOptions,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let (from, to) = (&from.into(), &to.into().resolve_target()?);
    super::refuse_own_source(from, to)?;
    let place = from.source_place();
    let source = options.open.open_matrix(from, context)?;
    let (source, options, assumed) = super::stating_cells(source, how.axis, options);
    let source = super::labelled(source, &options, context)?;
    let axis = how.axis.unwrap_or_else(|| cell_axis(source.header()));
    let groups = Groups::new(&*source, axis, by, context.memory() / 4);
    let groups =
        groups.map_err(|error| of_assumed(error, axis, assumed.is_some()).with_context(&place))?;
    let named = named(by);
    if groups.table.names().is_empty() && !groups.codes.is_empty() {
        let error = Error::argument(format!("none of the {axis} has a value of {named}"));
        return Err(error.with_context(&place));
    }
    let count = groups.table.names().len();
    check_memory(source.header().shape.len(axis.other()), count, context.memory())
        .map_err(|error| error.with_context(&place))?;
    let note = match how.aggregation {
        Aggregation::Sum => super::note_on_values(&*source, &Normalization::default())?,
        _ => None,
    };
    // The names of a conversion, but not its type, which does not hold all sums.
    let unlabelled = options.clone().row_labels(Labels::default()).col_labels(Labels::default());
    let source = match context.adapted(&*source, to, &unlabelled)? {
        Some(adapted) => super::labelled(source, &adapted, context)?,
        None => source,
    };
    let source = super::summed(source, &options, context);
    let missing = groups.codes.iter().filter(|code| code.is_none()).count();
    let codes = (&*groups.codes, u32::try_from(count).unwrap_or(u32::MAX));
    let numbers = sums_of(
        &Observed::new(&*source, "adding", context.progress()),
        axis,
        codes,
        &[how.aggregation],
        context,
    )?
    .concat();
    let integers = how.aggregation == Aggregation::Sum && source.header().value_type.is_integer();
    let integers = integers || how.aggregation == Aggregation::CountNonzero;
    let aggregated = Aggregated::new(source, axis, groups.table, &numbers, integers)?;
    drop(numbers);
    let mut summary = convert_source(&aggregated, to, &unlabelled, context)?;
    // The size of the source is not comparable to the size of the result.
    summary.bytes_before = None;
    summary.notes.extend(assumed.into_iter().chain(note));
    if missing > 0 {
        let of = if axis == Axis::Rows { "rows" } else { "columns" };
        summary.notes.push(format!("{missing} {of} have no value of {named} and are left out"));
    }
    Ok(summary)
}

/// Names columns in messages.
pub(crate) fn named(by: &[&str]) -> String {
    by.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" and ")
}

/// Names the option that states the axis of cells, where it is assumed and has not what is needed.
pub(super) fn of_assumed(error: Error, axis: Axis, is_assumed: bool) -> Error {
    let other = super::axis_option(axis.other());
    match is_assumed {
        true => error.with_hint("axis", format!("{other} states that {} are cells", axis.other())),
        false => error,
    }
}

/// The name that scanpy gives to the number of cells of a group.
const COUNT: &str = "n_obs_aggregated";

/// Groups of cells.
pub(crate) struct Groups {
    /// The group of each cell, if it has one.
    pub(crate) codes: Vec<Option<u32>>,
    /// The names of groups, their values and their numbers of cells.
    pub(crate) table: AnnotationTable,
}

impl Groups {
    pub(crate) fn new(
        source: &dyn MatrixSource,
        axis: Axis,
        by: &[&str],
        memory: u64,
    ) -> Result<Self> {
        let columns = by.iter().map(|name| column(source, axis, name, memory));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let groupings = columns.iter().map(Column::grouped).collect::<Result<Vec<_>>>()?;
        let cells = groupings.first().map_or(0, |grouping| grouping.codes.len());
        let of_cell = |cell: usize| -> Option<Vec<u32>> {
            groupings.iter().map(|grouping| grouping.codes.get(cell).copied().flatten()).collect()
        };
        // The number of cells of each group, and the first of them.
        let mut found: BTreeMap<Vec<u32>, (u64, u64)> = BTreeMap::new();
        for cell in 0..cells {
            if let Some(codes) = of_cell(cell) {
                found.entry(codes).or_insert((0, cell as u64)).0 += 1;
            }
        }
        let numbers: HashMap<&[u32], u32> = found.keys().map(|codes| &codes[..]).zip(0..).collect();
        let code = |cell| numbers.get(&of_cell(cell)?[..]).copied();
        let codes = (0..cells).map(code).collect();
        let mut names = StringList::new();
        for codes in found.keys() {
            let labels = groupings.iter().zip(codes);
            let labels = labels.map(|(grouping, code)| grouping.labels.get((*code).into()));
            names
                .try_push(&labels.map(Option::unwrap_or_default).collect::<Vec<_>>().join(&b'_'))?;
        }
        let firsts: Vec<Option<u64>> = found.values().map(|(_, first)| Some(*first)).collect();
        let counts: Vec<i64> =
            found.values().map(|(count, _)| i64::try_from(*count).unwrap_or(i64::MAX)).collect();
        let counts = Column { values: ColumnValues::Numbers(Values::from(counts)), missing: None };
        let mut table = Vec::with_capacity(by.len() + 1);
        for (name, column) in by.iter().zip(&columns) {
            table.push(((*name).to_owned(), column.gathered(&firsts)?));
        }
        if !by.contains(&COUNT) {
            table.push((COUNT.to_owned(), counts));
        }
        Ok(Self { codes, table: AnnotationTable::new(names, table)? })
    }
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
pub(super) fn column(
    source: &dyn MatrixSource,
    axis: Axis,
    name: &str,
    memory: u64,
) -> Result<Column> {
    let table = source.annotations(axis)?;
    let columns = table.as_ref().map_or(&[][..], |table| table.columns());
    let found = columns.iter().position(|info| info.name == name);
    #[cfg(feature = "singlecell")]
    if found.is_none()
        && let Some(column) = crate::formats::common_column(source, axis, name, memory)?
    {
        return Ok(column);
    }
    match (&table, found) {
        (Some(table), Some(at)) => table.read_column(at, memory),
        _ => {
            let names: Vec<String> =
                columns.iter().map(|info| format!("{:?}", info.name)).collect();
            let what = match &names[..] {
                [] => format!("the {axis} have no annotations"),
                _ => format!(
                    "the {axis} have no annotation {name:?}; annotations are {}{}",
                    names.join(", "),
                    suggest_prefixed(columns, name)
                ),
            };
            if source.read_names(axis)?.is_none() {
                // A table cannot be joined without names.
                return Err(Error::argument(what));
            }
            let mut parts = name.split(',');
            if name.contains(',') && parts.all(|part| columns.iter().any(|info| info.name == part))
            {
                let effect = "is given once for each of several columns";
                return Err(Error::argument(what).with_hint("by", effect));
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
    groups: AnnotationTable,
}

impl Aggregated {
    /// Makes a matrix of numbers by group.
    fn new(
        source: Box<dyn MatrixSource>,
        axis: Axis,
        groups: AnnotationTable,
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
        let count = groups.names().len();
        let len = usize::try_from(count).unwrap_or(usize::MAX);
        pointers.resize(len.saturating_add(1), values.len() as u64);
        let (order, shape) = match axis {
            Axis::Rows => (Order::Row, Shape { rows: count, cols: others }),
            Axis::Cols => (Order::Col, Shape { rows: others, cols: count }),
        };
        let values = if integers { as_integers(&values) } else { Values::F64(values) };
        let matrix = CsMatrix::from_parts(shape, order, pointers, Minors::U64(minors), values)?;
        let matrix = matrix.with_axis_kinds(axis_kinds).into_source()?;
        Ok(Self { matrix, source, axis, groups })
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
            true => Ok(Some(self.groups.names().reader())),
            false => self.source.read_names(axis),
        }
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        match axis == self.axis {
            true => Ok(Some(Box::new(&self.groups))),
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
