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
    /// Whether the bins are of equal width on a logarithmic scale. Zero is then in none of them.
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

    /// Returns a histogram. Bins are logarithmic if the numbers are of different orders of magnitude: ten to a decade, whose
    /// ends are integers if the numbers are.
    #[must_use]
    pub fn bins(&self) -> LengthBins {
        self.bins_as(self)
    }

    /// Returns a histogram with the bins of another one, whose numbers include these.
    #[must_use]
    pub fn bins_as(&self, other: &Self) -> LengthBins {
        let finite = || other.values.iter().filter(|(number, _)| number.is_finite());
        let ends = finite().next().zip(finite().next_back());
        let Some((&(min, _), &(max, _))) = ends else { return LengthBins::default() };
        let median = other.quantile(0.5).unwrap_or(0.0).max(if other.integral { 1.0 } else { 0.0 });
        let logarithmic = min >= 0.0 && max > 0.0 && max > SKEWED * median;
        let mut bins: Vec<ValueBin> = Vec::new();
        let step = step(min, max, other.integral);
        for &(number, count) in self.values.iter().filter(|(number, _)| number.is_finite()) {
            if logarithmic && number <= 0.0 {
                continue;
            }
            match bins.last_mut() {
                Some(last) if number < last.to => last.count += count,
                _ => {
                    let (from, to) = match logarithmic {
                        true => logarithmic_bin(number, other.integral),
                        false => {
                            let from = (number / step).floor() * step;
                            (from, from + step)
                        }
                    };
                    bins.push(ValueBin { from, to, count });
                }
            }
        }
        LengthBins { bins, logarithmic }
    }

    /// Returns the distribution of these rows or columns and of others, of which there may be the same.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let mut values = [&self.values[..], &other.values].concat();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.dedup_by(|next, number| {
            let is_same = next.0 == number.0;
            if is_same {
                number.1 += next.1;
            }
            is_same
        });
        Self {
            count: self.count.saturating_add(other.count),
            values,
            nan: self.nan + other.nan,
            error: self.error.max(other.error),
            integral: self.integral && other.integral,
            ..self.clone()
        }
    }
}

/// Returns the ends of a bin of a positive number.
fn logarithmic_bin(number: f64, integral: bool) -> (f64, f64) {
    let end = |tenths: i32| {
        let power = bins::power(tenths);
        if integral { power.round() } else { power }
    };
    let place = bins::place(number, end);
    (end(place), end(place + 1))
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
        let expected =
            [bin(1.0, 2.0, 8), bin(3.0, 4.0, 2), bin(8.0, 10.0, 1), bin(100.0, 126.0, 2)];
        assert_eq!(skewed.bins, expected);
        assert_eq!(of(&[(0.0, 5)], true).bins().bins, [bin(0.0, 1.0, 5)]);
        assert_eq!(of(&[], true).bins(), LengthBins::default());
        assert_eq!(of(&[(f64::INFINITY, 1)], false).bins(), LengthBins::default());
        let tiny = of(&[(5e-324, 90), (f64::MAX, 1)], false).bins();
        assert!(tiny.logarithmic && tiny.bins.len() == 2, "{tiny:?}");
    }

    /// With four bins to each power of two, counts of every fourth bin were twice as large.
    #[test]
    fn logarithmic_bins_have_equal_widths() {
        let widths = |numbers: Vec<(f64, u64)>, integral: bool| {
            let found = of(&numbers, integral).bins();
            assert!(found.logarithmic);
            let half = if integral { 0.5 } else { 0.0 };
            let width = |bin: &ValueBin| ((bin.to - half) / (bin.from - half)).log10();
            found.bins.iter().filter(|bin| bin.from >= 5.0).map(width).collect::<Vec<f64>>()
        };
        let fractions =
            (0..4000_u32).map(|at| (10_f64.powf(f64::from(at) / 1000.0), 4000 / u64::from(at + 1)));
        let found = widths(fractions.filter(|(_, count)| *count > 0).collect(), false);
        assert!(found.iter().all(|width| (width - 0.1).abs() < 1e-9), "{found:?}");
        let integers =
            (1..10_000).map(|number| (f64::from(number), if number == 1 { 100_000 } else { 1 }));
        let found = widths(integers.collect(), true);
        assert!(found.iter().all(|width| (0.08..0.14).contains(width)), "{found:?}");
    }

    #[test]
    fn histograms_of_two_matrices_have_the_same_bins() {
        let (few, many) = (of(&[(1.0, 5), (2.0, 1)], true), of(&[(1.0, 9), (500.0, 1)], true));
        let both = few.joined(&many);
        assert_eq!(both.values, [(1.0, 14), (2.0, 1), (500.0, 1)]);
        let bins = [few.bins_as(&both), many.bins_as(&both)];
        assert!(bins.iter().all(|bins| bins.logarithmic), "{bins:?}");
        assert_eq!(bins[0].bins[0], ValueBin { from: 1.0, to: 2.0, count: 5 });
        assert_eq!(bins[1].bins[0], ValueBin { from: 1.0, to: 2.0, count: 9 });
    }
}
