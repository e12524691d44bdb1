//! New orders of rows and columns.

use nnz_storage::TaskContext;
use std::cmp::Reverse;
use std::ops::Range;
use std::str::FromStr;

use nnz_core::{
    Axis, Column, ColumnValues, Error, ErrorKind, MatrixSource, ORIGINAL_POSITION, Place, Result,
    Rounding, Scalar, ValueType, Values,
};

use crate::annotations::OriginalPositions;
use crate::stats::{Moments, StatsOptions, stats};
use crate::{Measures, Selection};

/// Bytes for each row or column that is moved.
const BYTES: u64 = 128;

/// The order of the rows or columns of a matrix.
///
/// ```
/// use nnz_engine::Reordering;
///
/// assert_eq!("frequency".parse(), Ok(Reordering::Frequency));
/// assert_eq!("original".parse(), Ok(Reordering::Original));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reordering {
    /// That of the source. The default.
    #[default]
    Unchanged,
    /// By the number of stored entries, the largest first. Those with equal numbers stay in order.
    Frequency,
    /// That of a list, which has each of them once.
    Listed(Selection),
    /// That before they were reordered, by the annotation column [`ORIGINAL_POSITION`].
    Original,
}

impl FromStr for Reordering {
    type Err = String;

    /// Parses `frequency` or `original`, or else a list.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "frequency" => Ok(Self::Frequency),
            "original" => Ok(Self::Original),
            list => Ok(Self::Listed(list.parse()?)),
        }
    }
}

/// A new order of the rows or columns of a matrix.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NewOrder {
    /// All rows or columns, in their new order.
    pub selection: Selection,
    /// Handling of the column [`ORIGINAL_POSITION`].
    pub positions: OriginalPositions,
}

/// Finds the new order of the rows and columns of a matrix. To write the matrix in this order, use a
/// [`Slice`](crate::Slice) of it, [labelled](crate::Labels) with the original positions.
///
/// Orders by frequency take one pass over the entries.
///
/// # Errors
///
/// Fails as [`stats`](fn@crate::stats), if a list does not have each row or column once, if the original positions are
/// not known, and if rows and columns do not fit into memory.
pub fn reorder(
    source: &dyn MatrixSource,
    [rows, cols]: [&Reordering; 2],
    context: &TaskContext,
) -> Result<[NewOrder; 2]> {
    let place = &source.place();
    let by_frequency = |order: &Reordering| *order == Reordering::Frequency;
    let mut counts = [None, None];
    for (order, axis) in [(rows, Axis::Rows), (cols, Axis::Cols)] {
        if *order != Reordering::Unchanged {
            check_memory(source, axis, context.memory()).map_err(|e| e.with_context(place))?;
        }
    }
    if by_frequency(rows) || by_frequency(cols) {
        let how = StatsOptions::default()
            .rows(by_frequency(rows))
            .cols(by_frequency(cols))
            .measures(Measures::Nnz);
        let found = stats(source, &how, context)?;
        counts = [found.rows, found.cols];
    }
    let [of_rows, of_cols] = counts;
    let find = |order, axis, counts| {
        new_order(source, order, axis, counts, context.memory()).map_err(|e| e.with_context(place))
    };
    Ok([find(rows, Axis::Rows, of_rows)?, find(cols, Axis::Cols, of_cols)?])
}

fn check_memory(source: &dyn MatrixSource, axis: Axis, allowed: u64) -> Result<()> {
    let needed = source.header().shape.len(axis).saturating_mul(BYTES);
    if needed > allowed.max(crate::default_memory()) {
        return Err(Error::new(ErrorKind::Memory { needed, allowed }, Place::default()));
    }
    Ok(())
}

fn new_order(
    source: &dyn MatrixSource,
    order: &Reordering,
    axis: Axis,
    counts: Option<Vec<Moments>>,
    memory: u64,
) -> Result<NewOrder> {
    let len = source.header().shape.len(axis);
    let sorted = match order {
        Reordering::Unchanged => return Ok(NewOrder::default()),
        Reordering::Frequency => {
            let counts: Vec<u64> = counts.unwrap_or_default().iter().map(|one| one.nnz).collect();
            sorted_by(&counts, Reverse)
        }
        Reordering::Listed(selection) => {
            let ranges = selection.listed_ranges(source, axis)?;
            let listed: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            if listed < len {
                let what = format!("the new order lists {listed} of {len} {axis}");
                return Err(Error::argument(what).with_hint("slice", "writes some of them"));
            }
            return Ok(moved(ranges.into_iter().flatten(), len));
        }
        Reordering::Original => {
            let positions = original_positions(source, axis, memory)?;
            let selection = selection_of(sorted_by(&positions, |position| position).into_iter());
            return Ok(NewOrder { selection, positions: OriginalPositions::Removed });
        }
    };
    Ok(moved(sorted.into_iter(), len))
}

/// Returns positions in ascending order of a key of their values. Equal ones stay in order.
fn sorted_by<K: Ord>(values: &[u64], key: impl Fn(u64) -> K) -> Vec<u64> {
    let mut sorted: Vec<u64> = (0..values.len() as u64).collect();
    sorted
        .sort_by_key(|&at| usize::try_from(at).ok().and_then(|at| values.get(at)).map(|v| key(*v)));
    sorted
}

/// Returns the order of an axis of length `len` that has positions in a list.
fn moved(list: impl Iterator<Item = u64> + Clone, len: u64) -> NewOrder {
    let mut selection = selection_of(list.clone());
    if selection.as_range() == Some(0..len) || len == 0 {
        // The positions are kept also of this order, so that it can be undone without knowing it.
        selection = Selection::all();
    }
    let values = match u32::try_from(len) {
        Ok(_) => Values::U32(list.map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect()),
        Err(_) => Values::U64(list.collect()),
    };
    let column = Column { values: ColumnValues::Numbers(values), missing: None };
    NewOrder { selection, positions: OriginalPositions::Added(column.into()) }
}

/// Selects positions in the order of a list.
fn selection_of(list: impl Iterator<Item = u64>) -> Selection {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for at in list {
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end += 1,
            None => ranges.push(at..at + 1),
        }
    }
    Selection::ranges(ranges).allow_empty(true)
}

/// Reads the column of original positions.
fn original_positions(source: &dyn MatrixSource, axis: Axis, memory: u64) -> Result<Vec<u64>> {
    let one = axis.singular();
    let table = source.annotations(axis)?;
    let at = table.as_ref().and_then(|table| {
        table.columns().iter().position(|column| column.name == ORIGINAL_POSITION)
    });
    let (Some(table), Some(at)) = (table, at) else {
        let what = format!(
            "the original order of the {axis} is unknown: they have no annotation {ORIGINAL_POSITION:?}"
        );
        return Err(Error::argument(what));
    };
    let column = table.read_column(at, memory)?;
    let wrong = |row: u64, what: &str| {
        Error::argument(format!("annotation {ORIGINAL_POSITION:?} of {one} {row} is {what}"))
    };
    let mut positions = Vec::new();
    for row in 0..column.len() {
        match column
            .number(row)
            .and_then(|value| value.cast(ValueType::U64, Rounding::Refused).ok())
        {
            Some(Scalar::U64(position)) if !column.is_missing(row) => positions.push(position),
            _ => return Err(wrong(row, "missing or not a position")),
        }
    }
    let sorted = sorted_by(&positions, |position| position);
    let of = |at: u64| usize::try_from(at).ok().and_then(|at| positions.get(at));
    if let Some(pair) = sorted.windows(2).find(|pair| of(pair[0]) == of(pair[1])) {
        return Err(wrong(pair[1], &format!("the same as of {one} {}", pair[0])));
    }
    Ok(positions)
}
