//! Totals of cells, and factors that make them equal.

use nnz_core::{Axis, AxisKind, Error, Header, MatrixSource, Result};
use nnz_storage::TaskContext;

use crate::{Measures, Moments, Number, StatsOptions, stats};

/// Returns the axis of the cells, the observations; the rows, unless the format states that the columns are cells or
/// the rows are features.
#[must_use]
pub fn cell_axis(header: &Header) -> Axis {
    match header.axis_kinds {
        [_, AxisKind::Cells] | [AxisKind::Features, _] => Axis::Cols,
        _ => Axis::Rows,
    }
}

/// Returns the factors by which the rows or columns of a matrix have to be multiplied to have the same sum:
/// `target`, or the median of the positive sums. Those without a positive sum keep their values.
///
/// # Errors
///
/// Fails if the target is not a positive number, if a sum is NaN or infinite, and as [`stats`].
pub fn normalizing_factors(
    source: &dyn MatrixSource,
    axis: Axis,
    target: Option<f64>,
    context: &TaskContext,
) -> Result<Vec<f64>> {
    if let Some(target) = target.filter(|target| !(target.is_finite() && *target > 0.0)) {
        return Err(Error::argument(format!(
            "a target sum of {target}: expected a positive number"
        )));
    }
    let options = StatsOptions::default()
        .rows(axis == Axis::Rows)
        .cols(axis == Axis::Cols)
        .measures(Measures::Sums);
    let stats = stats(source, &options, context)?;
    let moments = if axis == Axis::Rows { stats.rows } else { stats.cols };
    let sums = sums(&moments.unwrap_or_default());
    if let Some((sum, at)) = sums.iter().zip(0_u64..).find(|(sum, _)| !sum.is_finite()) {
        let what = format!(
            "the values of {} {at} add up to {sum}, so they cannot be scaled",
            axis.singular()
        );
        return Err(Error::unsupported(source.place(), what));
    }
    let target = target.unwrap_or_else(|| median(&sums));
    let factor = |sum: f64| if sum > 0.0 { target / sum } else { 1.0 };
    Ok(sums.into_iter().map(factor).collect())
}

/// Returns the sums of rows or columns.
pub(super) fn sums(moments: &[Moments]) -> Vec<f64> {
    moments.iter().map(|one| sum(one.total)).collect()
}

#[allow(clippy::cast_precision_loss, reason = "it rounds")]
fn sum(total: Option<crate::Total>) -> f64 {
    match total.map(|total| total.sum) {
        Some(Number::Integer(sum)) => sum as f64,
        Some(Number::Float(sum)) => sum,
        None => 0.0,
    }
}

/// Returns the median of the positive numbers; 1 if there are none.
fn median(numbers: &[f64]) -> f64 {
    let mut positive: Vec<f64> = numbers.iter().copied().filter(|sum| *sum > 0.0).collect();
    positive.sort_unstable_by(f64::total_cmp);
    match (positive.len(), positive.len() / 2) {
        (0, _) => 1.0,
        (len, half) if len % 2 == 1 => positive[half],
        (_, half) => f64::midpoint(positive[half - 1], positive[half]),
    }
}
