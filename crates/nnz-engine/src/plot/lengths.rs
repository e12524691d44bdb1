//! Distribution of entries and sums of rows or columns.

use nnz_core::{Axis, AxisKind, MatrixSource, Result, Structure};
use nnz_storage::TaskContext;

use super::distribution::Distribution;
use super::{ValueBin, bins};
use crate::stats::{Measures, Moments, StatsOptions, stats_of_each, stats_of_majors};
use crate::{Number, Observed};

/// Measure of each row or column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthMeasure {
    /// The number of stored entries, in a dense matrix of nonzero elements. The default.
    #[default]
    Nnz,
    /// The sum of the values.
    Sum,
}

/// Counts of rows or columns by their number of entries, or by their sum.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lengths {
    /// Whether rows or columns are measured.
    pub axis: Axis,
    /// Kind of the axis.
    pub axis_kind: AxisKind,
    /// Measure of each.
    pub measure: LengthMeasure,
    /// The number of rows or columns.
    pub count: u64,
    /// The different numbers, ascending, and how many rows or columns have each. NaN is not among them.
    pub values: Vec<(f64, u64)>,
    /// The number of rows or columns whose sum is NaN.
    pub nan: u64,
    /// 0 if all numbers are exact. There are at most 65,536 different ones: if there were more, numbers are rounded
    /// down, by at most this part of themselves.
    pub error: f64,
    /// Whether all numbers are integers.
    pub integral: bool,
}

/// Measures each row or column, in one pass.
///
/// Along the axis by which the matrix is stored, memory does not depend on the number of rows or columns; along the other one, it
/// is a tally of each: 16 bytes for the number of entries.
///
/// # Errors
///
/// Fails as [`stats`](crate::stats).
pub fn lengths(
    source: &dyn MatrixSource,
    axis: Axis,
    measure: LengthMeasure,
    context: &TaskContext,
) -> Result<Lengths> {
    let header = source.header();
    let measures = match measure {
        LengthMeasure::Nnz => Measures::Nnz,
        LengthMeasure::Sum => Measures::Sums,
    };
    let how = StatsOptions::default()
        .rows(axis == Axis::Rows)
        .cols(axis == Axis::Cols)
        .measures(measures);
    let mut found = LengthTally::default();
    let observed = Observed::new(source, "reading", context.progress());
    let is_streamed = axis == header.order.major()
        && header.ordered
        && header.sorted_majors
        && header.structure == Structure::General
        && header.fill.is_none();
    if is_streamed {
        stats_of_majors(&observed, &how, &mut |moments, count| found.add(moments, count), context)?;
    } else {
        stats_of_each(&observed, &how, &mut |moments, count| found.add(moments, count), context)?;
    }
    Ok(Lengths {
        axis,
        axis_kind: header.axis_kinds[usize::from(axis == Axis::Cols)],
        measure,
        count: header.shape.len(axis),
        values: found.distribution.counts(),
        nan: found.nan,
        error: found.distribution.error(),
        integral: !found.fractions,
    })
}

/// A tally of rows or columns by their number.
#[derive(Default)]
struct LengthTally {
    distribution: Distribution,
    nan: u64,
    fractions: bool,
}

impl LengthTally {
    #[expect(clippy::cast_precision_loss, reason = "drawn with three digits")]
    fn add(&mut self, moments: &Moments, count: u64) {
        let number = match moments.total.map(|total| total.sum) {
            None => moments.nnz as f64,
            Some(Number::Integer(sum)) => sum as f64,
            Some(Number::Float(sum)) => sum,
        };
        if number.is_nan() {
            self.nan += count;
            return;
        }
        self.fractions |= number.trunc() != number;
        self.distribution.add(number, count);
    }
}

/// Bins of numbers of rows or columns.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LengthBins {
    /// The bins, ascending, without empty ones.
    pub bins: Vec<ValueBin>,
    /// Whether the bins are of equal size on a logarithmic scale. Zero is then in none of them.
    pub logarithmic: bool,
}

/// Bins at most, of equal size.
const BINS: f64 = 40.0;
/// Bins are logarithmic if the largest number is this many times the median.
const SKEWED: f64 = 8.0;

impl Lengths {
    /// Returns the smallest number that a part of the rows or columns, from 0 to 1, does not exceed; `None` if there are none.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let all: u64 = self.values.iter().map(|(_, count)| count).sum();
        let rank = ((all as f64 * part).ceil() as u64).clamp(1, all.max(1));
        let mut before = 0;
        self.values.iter().find_map(|(number, count)| {
            before += count;
            (before >= rank).then_some(*number)
        })
    }

    /// Returns numbers from the largest on, with the rank of a row or column that has it, from 1. Each rank is about 3 % larger than
    /// the one before.
    #[must_use]
    pub fn ranks(&self) -> Vec<(u64, f64)> {
        let mut ranks = Vec::new();
        let (mut next, mut before) = (1_u64, 0);
        for &(number, count) in self.values.iter().rev() {
            let last = before + count;
            while next <= last {
                ranks.push((next, number));
                next = next.saturating_add((next / 32).max(1));
            }
            before = last;
        }
        match ranks.last() {
            Some(&(rank, _)) if rank < before => {
                ranks.extend(self.values.first().map(|(number, _)| (before, *number)));
            }
            _ => {}
        }
        ranks
    }

    /// Returns a histogram. Bins are logarithmic if the numbers are of different orders of magnitude.
    #[must_use]
    pub fn bins(&self) -> LengthBins {
        let finite = || self.values.iter().filter(|(number, _)| number.is_finite());
        let ends = finite().next().zip(finite().next_back());
        let Some((&(min, _), &(max, _))) = ends else { return LengthBins::default() };
        let median = self.quantile(0.5).unwrap_or(0.0).max(if self.integral { 1.0 } else { 0.0 });
        let logarithmic = min >= 0.0 && max > 0.0 && max > SKEWED * median;
        let mut bins: Vec<ValueBin> = Vec::new();
        let step = step(min, max, self.integral);
        for &(number, count) in finite() {
            if logarithmic && number == 0.0 {
                continue;
            }
            let (from, to) = match logarithmic {
                true => self.logarithmic_bin(number),
                false => {
                    let from = (number / step).floor() * step;
                    (from, from + step)
                }
            };
            match bins.last_mut() {
                Some(last) if last.from == from => last.count += count,
                _ => bins.push(ValueBin { from, to, count }),
            }
        }
        LengthBins { bins, logarithmic }
    }

    /// Returns the ends of a bin: a quarter of the way to the next power of two, but at least from an integer to the next
    /// one if there are only integers.
    fn logarithmic_bin(&self, number: f64) -> (f64, f64) {
        let bin = bins::of_float(number);
        let (from, to) = (bins::start(bin), bins::end(bin));
        if self.integral { (from.ceil(), to.ceil().max(from.ceil() + 1.0)) } else { (from, to) }
    }
}

/// Returns a round size of bins.
fn step(min: f64, max: f64, integral: bool) -> f64 {
    let least = (max - min) / BINS;
    if least <= 0.0 || !least.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = step.into_iter().find(|step| *step >= least).unwrap_or(least);
    if integral { step.max(1.0).round() } else { step }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(f64, u64)], integral: bool) -> Lengths {
        Lengths {
            axis: Axis::Rows,
            axis_kind: AxisKind::Unknown,
            measure: LengthMeasure::Nnz,
            count: values.iter().map(|(_, count)| count).sum(),
            values: values.to_vec(),
            nan: 0,
            error: 0.0,
            integral,
        }
    }

    #[test]
    fn quantiles_are_numbers_that_occur() {
        let found = of(&[(1.0, 5), (2.0, 4), (9.0, 1)], true);
        let parts = [0.0, 0.5, 0.51, 0.9, 0.91, 1.0];
        let expected = [1.0, 1.0, 2.0, 2.0, 9.0, 9.0];
        assert_eq!(parts.map(|part| found.quantile(part)), expected.map(Some));
        assert_eq!(of(&[], true).quantile(0.5), None);
    }

    #[test]
    fn ranks_start_with_the_largest_number() {
        let found = of(&[(0.0, 2), (3.0, 1), (7.0, 2)], true);
        assert_eq!(found.ranks(), [(1, 7.0), (2, 7.0), (3, 3.0), (4, 0.0), (5, 0.0)]);
        let many = of(&[(1.0, 1_000_000), (5.0, 10)], true).ranks();
        assert!(many.len() < 500 && many.last() == Some(&(1_000_010, 1.0)));
        assert!(many.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1));
        assert_eq!(of(&[], true).ranks(), []);
    }

    #[test]
    fn bins_are_of_integers_or_logarithmic() {
        let bin = |from, to, count| ValueBin { from, to, count };
        let even = of(&[(3.0, 2), (4.0, 5), (6.0, 1)], true).bins();
        assert_eq!(even.bins, [bin(3.0, 4.0, 2), bin(4.0, 5.0, 5), bin(6.0, 7.0, 1)]);
        assert!(!even.logarithmic);
        let skewed = of(&[(0.0, 9), (1.0, 8), (3.0, 2), (9.0, 1), (100.0, 1), (111.0, 1)], true);
        let skewed = skewed.bins();
        assert!(skewed.logarithmic);
        let expected = [bin(1.0, 2.0, 8), bin(3.0, 4.0, 2), bin(8.0, 10.0, 1), bin(96.0, 112.0, 2)];
        assert_eq!(skewed.bins, expected);
        assert_eq!(of(&[(0.0, 5)], true).bins().bins, [bin(0.0, 1.0, 5)]);
        assert_eq!(of(&[], true).bins(), LengthBins::default());
        assert_eq!(of(&[(f64::INFINITY, 1)], false).bins(), LengthBins::default());
    }
}
