//! Summaries of rows and columns.

use crate::Context;
use nnz_core::{Axis, AxisKind, ErrorKind, MatrixSource, Result};
use nnz_engine::{Measures, Moments, Stats, StatsOptions, stats};

use super::columns::{self, ColumnSummary};
use super::findings::Faults;

/// Rows or columns with the greatest sums that are listed.
const TOP: usize = 10;

/// Bytes of the lists from which quantiles and the greatest sums of a row or column are found.
const LISTS: u64 = 16;

/// Longer axes are not summarized.
const LONGEST: u64 = 20_000_000;

/// A summary of the rows or of the columns of a matrix.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AxisSummary {
    /// The axis.
    pub axis: Axis,
    /// Its kind: cells, features, or unknown.
    pub kind: AxisKind,
    /// Its length.
    pub len: u64,
    /// The first names; `None` if it has none.
    pub names: Option<Vec<String>>,
    /// Rows or columns without entries.
    pub empty: Option<u64>,
    /// The distribution of the number of entries.
    pub entries: Option<Quantiles>,
    /// The distribution of sums.
    pub sums: Option<Quantiles>,
    /// Those with the greatest sums, or with the most entries.
    pub top: Vec<Top>,
    /// Annotations.
    pub columns: Vec<ColumnSummary>,
    /// The number of annotations that are not in the list.
    pub more_columns: usize,
}

/// The distribution of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quantiles {
    /// The minimum.
    pub min: f64,
    /// A quarter is smaller.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// A quarter is greater.
    pub upper: f64,
    /// The maximum.
    pub max: f64,
}

impl Quantiles {
    /// Returns the distribution of numbers; NaN is left out. `None` if there are none.
    #[must_use]
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.retain(|number| !number.is_nan());
        numbers.sort_unstable_by(f64::total_cmp);
        let last = numbers.len().checked_sub(1)?;
        // The number at a quarter of the positions, rounded down.
        let at =
            |quarters: usize| numbers.get(last / 4 * quarters + last % 4 * quarters / 4).copied();
        Some(Self { min: at(0)?, lower: at(1)?, median: at(2)?, upper: at(3)?, max: at(4)? })
    }
}

/// A row or column with one of the greatest sums.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Top {
    /// Its position.
    pub position: u64,
    /// Its name.
    pub name: Option<String>,
    /// The number of its entries.
    pub entries: u64,
    /// Its sum, as text.
    pub sum: Option<String>,
}

/// Summarizes rows and columns. What cannot be measured is added to `notes`.
pub(super) fn of_source(
    source: &dyn MatrixSource,
    context: &Context,
    notes: &mut Vec<String>,
    faults: &mut Faults,
) -> Result<[AxisSummary; 2]> {
    let measured = faults.keep(measured(source, context, notes))?.flatten();
    let moments = measured.map_or([None, None], |Stats { rows, cols, .. }| [rows, cols]);
    of_axes(source, moments, context, notes, faults)
}

/// Summarizes rows and columns of a matrix whose entries are not read.
pub(super) fn of_tables(
    source: &dyn MatrixSource,
    context: &Context,
    notes: &mut Vec<String>,
    faults: &mut Faults,
) -> Result<[AxisSummary; 2]> {
    of_axes(source, [None, None], context, notes, faults)
}

fn of_axes(
    source: &dyn MatrixSource,
    [rows, cols]: [Option<Vec<Moments>>; 2],
    context: &Context,
    notes: &mut Vec<String>,
    faults: &mut Faults,
) -> Result<[AxisSummary; 2]> {
    Ok([
        of_axis(source, Axis::Rows, rows, context, notes, faults)?,
        of_axis(source, Axis::Cols, cols, context, notes, faults)?,
    ])
}

/// Measures rows and columns: sums where values have them, or else only entries.
fn measured(
    source: &dyn MatrixSource,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<Option<Stats>> {
    let shape = source.header().shape;
    let [rows, cols] = [shape.rows, shape.cols].map(|len| len <= LONGEST);
    for (axis, is_measured) in [(Axis::Rows, rows), (Axis::Cols, cols)] {
        if !is_measured {
            notes.push(format!("There are too many {axis} to measure each of them."));
        }
    }
    if !rows && !cols {
        return Ok(None);
    }
    // Quantiles and the order of sums take lists of one axis in addition.
    let longest = shape.rows.max(shape.cols).min(LONGEST);
    let memory = context.memory().saturating_sub(longest.saturating_mul(LISTS));
    let context = &context.clone().with_memory(memory);
    let how = StatsOptions::default().rows(rows).cols(cols);
    for measures in [Measures::Sums, Measures::Nnz] {
        match stats(source, &how.clone().measures(measures), context) {
            Err(error) if is_unsupported(&error) => notes.push(error.kind().to_string()),
            found => return found.map(Some),
        }
    }
    Ok(None)
}

fn is_unsupported(error: &nnz_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported(_) | ErrorKind::Memory { .. })
}

fn of_axis(
    source: &dyn MatrixSource,
    axis: Axis,
    moments: Option<Vec<Moments>>,
    context: &Context,
    notes: &mut Vec<String>,
    faults: &mut Faults,
) -> Result<AxisSummary> {
    let place = &source.place();
    let header = source.header();
    let which = usize::from(axis == Axis::Cols);
    let len = header.shape.len(axis);
    let mut summary = AxisSummary {
        axis,
        kind: header.axis_kinds[which],
        len,
        names: None,
        empty: None,
        entries: None,
        sums: None,
        top: Vec::new(),
        columns: Vec::new(),
        more_columns: 0,
    };
    if let Some(moments) = moments {
        let empty = moments.iter().filter(|moments| moments.nnz == 0).count();
        summary.empty = Some(empty as u64);
        summary.entries = Quantiles::of(moments.iter().map(|one| float(one.nnz)).collect());
        let sums: Option<Vec<f64>> = moments.iter().map(sum_of).collect();
        summary.sums = sums.and_then(Quantiles::of);
        summary.top = top(&moments);
    }
    let named = read_names(source, axis, &mut summary);
    faults.keep(named.map_err(|error| error.with_context(place)))?;
    let columns = columns::of_axis(source, axis, context, notes);
    let columns = faults.keep(columns.map_err(|error| error.with_context(place)))?;
    (summary.columns, summary.more_columns) = columns.unwrap_or_default();
    Ok(summary)
}

#[expect(clippy::cast_precision_loss, reason = "numbers in a summary")]
fn float(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "numbers in a summary")]
fn sum_of(moments: &Moments) -> Option<f64> {
    Some(match moments.total?.sum {
        nnz_engine::Number::Integer(sum) => sum as f64,
        nnz_engine::Number::Float(sum) => sum,
    })
}

/// Finds the rows or columns with the greatest sums, without sorting all.
fn top(moments: &[Moments]) -> Vec<Top> {
    let key = |at: &usize| {
        let moments = &moments[*at];
        (sum_of(moments).filter(|sum| !sum.is_nan()).unwrap_or(f64::NEG_INFINITY), moments.nnz)
    };
    let before = |one: &usize, other: &usize| {
        let ((one_sum, one_nnz), (other_sum, other_nnz)) = (key(one), key(other));
        other_sum.total_cmp(&one_sum).then(other_nnz.cmp(&one_nnz)).then(one.cmp(other))
    };
    let mut best: Vec<usize> = (0..moments.len()).collect();
    if best.len() > TOP {
        best.select_nth_unstable_by(TOP, before);
        best.truncate(TOP);
    }
    best.sort_unstable_by(before);
    best.retain(|at| moments[*at].nnz > 0);
    let top = best.into_iter().map(|at| Top {
        position: at as u64,
        name: None,
        entries: moments[at].nnz,
        sum: moments[at].total.map(|total| crate::plot::number_text(total.sum)),
    });
    top.collect()
}

/// Reads the first names, and the names of the rows or columns in the list.
fn read_names(source: &dyn MatrixSource, axis: Axis, summary: &mut AxisSummary) -> Result<()> {
    const FIRST: u64 = 5;
    let Some(mut names) = source.read_names(axis)? else { return Ok(()) };
    let last = summary.top.iter().map(|top| top.position + 1).max().unwrap_or(0).max(FIRST);
    let mut first = Vec::new();
    for position in 0..last.min(summary.len) {
        let Some(name) = names.next_string()? else { break };
        let name = String::from_utf8_lossy(name);
        if position < FIRST {
            first.push(name.clone().into_owned());
        }
        for top in summary.top.iter_mut().filter(|top| top.position == position) {
            top.name = Some(name.clone().into_owned());
        }
    }
    summary.names = Some(first);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_numbers_of_the_list() {
        let of = |numbers: &[f64]| Quantiles::of(numbers.to_vec());
        let five = of(&[5.0, 1.0, 3.0, f64::NAN, 2.0, 4.0]);
        let expected = Quantiles { min: 1.0, lower: 2.0, median: 3.0, upper: 4.0, max: 5.0 };
        assert_eq!(five, Some(expected));
        let one = Quantiles { min: 7.0, lower: 7.0, median: 7.0, upper: 7.0, max: 7.0 };
        assert_eq!(of(&[7.0]), Some(one));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[f64::NAN]), None);
    }
}
