//! Highly variable features.

use std::collections::BTreeMap;
use std::ops::Range;

use nnz_core::{Axis, Bint8, Error, Grouping, MatrixSource, Place, Result, Values};
use nnz_engine::compute::{Computed, ValueStep, cell_axis};
use nnz_engine::{
    AnnotationTable, Measures, Moments, Number, Observed, Selection, Slice, StatsOptions, stats,
};

use super::aggregate::column;
use super::table::Table;
use crate::Context;

/// The most bins of features.
const MOST_BINS: usize = 1 << 20;

/// Options of [`highly_variable`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VariableOptions {
    /// The axis of the cells; by default that which the file states, or the rows.
    pub axis: Option<Axis>,
    /// How many features are chosen, and a few more if several are equal; by default those within the limits.
    pub top: Option<usize>,
    /// Limits of the logarithm of the mean plus 1, exclusive.
    pub mean: [f64; 2],
    /// Limits of the normalized dispersion, exclusive.
    pub dispersion: [f64; 2],
    /// In how many bins features are divided by their mean.
    pub bins: usize,
    /// The batch of each cell. Features are found in each batch, and those found in most of them are chosen.
    pub batches: Option<Vec<u32>>,
}

nnz_core::setters! {
    VariableOptions {
        axis: Option<Axis>,
        top: Option<usize>,
        bins: usize,
        batches: Option<Vec<u32>>,
    }
}

impl VariableOptions {
    /// Sets [`mean`](#structfield.mean).
    #[must_use]
    pub fn mean(mut self, limits: [f64; 2]) -> Self {
        self.mean = limits;
        self
    }

    /// Sets [`dispersion`](#structfield.dispersion).
    #[must_use]
    pub fn dispersion(mut self, limits: [f64; 2]) -> Self {
        self.dispersion = limits;
        self
    }
}

/// The limits and bins of scanpy.
impl Default for VariableOptions {
    fn default() -> Self {
        Self {
            axis: None,
            top: None,
            mean: [0.0125, 3.0],
            dispersion: [0.5, f64::INFINITY],
            bins: 20,
            batches: None,
        }
    }
}

/// Finds features that vary more than others with the same mean, as the flavor `seurat` of `scanpy.pp.highly_variable_genes` does.
/// Values are logarithms, such as those of [`Normalization::log1p`](super::Normalization::log1p). The table has the columns
/// `means`, `dispersions`, `dispersions_norm` and `highly_variable`, and with batches `highly_variable_nbatches` and
/// `highly_variable_intersection`.
///
/// # Errors
///
/// Fails if the number of bins is not from 1 to 2^20, if there are no features, or fewer than two cells in a batch, if values are negative or not finite, if the matrix cannot
/// be read or is broken, and if it has complex numbers or a fill value.
pub fn highly_variable(
    source: &dyn MatrixSource,
    options: &VariableOptions,
    context: &Context,
) -> Result<AnnotationTable> {
    if !(1..=MOST_BINS).contains(&options.bins) {
        let what = format!("{} bins: expected a number from 1 to {MOST_BINS}", options.bins);
        return Err(Error::argument(what));
    }
    let axis = options.axis.unwrap_or_else(|| cell_axis(source.header()));
    let parts = match &options.batches {
        None => vec![Selection::all()],
        Some(batches) => batches_of(batches, source.header().shape.len(axis))?,
    };
    let in_batches = options.batches.is_some();
    let each = parts.iter().map(|cells| {
        let all = Selection::all();
        let [rows, cols] = match axis {
            Axis::Rows => [cells, &all],
            Axis::Cols => [&all, cells],
        };
        let part = Slice::new(Box::new(source), rows, cols)?;
        Dispersions::of(&part, axis, options, in_batches, context)
    });
    let each = each.collect::<Result<Vec<_>>>().map_err(|e| e.with_context(&source.place()))?;
    let of_batches = in_batches.then(|| counted(&each));
    let found = match <[Dispersions; 1]>::try_from(each) {
        Ok([only]) if !in_batches => only,
        Ok(one) => combined(&one, options),
        Err(each) => combined(&each, options),
    };
    let mut table = Table::default();
    table.add("means", Values::from(found.means));
    table.add("dispersions", Values::from(found.dispersions));
    table.add("dispersions_norm", Values::from(found.normalized));
    if let Some(batches) = of_batches {
        let all: Vec<bool> = batches.iter().map(|found| *found == parts.len()).collect();
        let batches = batches.into_iter().map(|found| i64::try_from(found).unwrap_or(i64::MAX));
        table.add("highly_variable_nbatches", Values::from(batches.collect::<Vec<_>>()));
        table.add("highly_variable_intersection", booleans(&all));
    }
    table.add("highly_variable", booleans(&found.chosen));
    table.named(source, axis.other(), context)
}

/// Returns the batch of each cell: the numbers of the values of a column of annotations.
///
/// # Errors
///
/// Fails if there is no such column, if a cell has no value, or if a batch has a single cell.
pub fn batches_by(
    source: &dyn MatrixSource,
    axis: Axis,
    name: &str,
    context: &Context,
) -> Result<Vec<u32>> {
    let place: &Place = &source.place();
    let Grouping { labels, codes } = column(source, axis, name, context.memory() / 4)
        .and_then(|column| column.grouped())
        .map_err(|error| error.with_context(place))?;
    let refused = |what: String| Err(Error::argument(what).with_context(place));
    let Some(codes) = codes.into_iter().collect::<Option<Vec<u32>>>() else {
        return refused(format!("some {axis} have no value of {name:?}"));
    };
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    codes.iter().for_each(|code| *sizes.entry(*code).or_default() += 1);
    if let Some(label) = (0_u32..).zip(labels.iter()).find(|(code, _)| sizes.get(code) == Some(&1))
    {
        let label = String::from_utf8_lossy(label.1);
        return refused(format!(
            "batch {label:?} of {name:?} has 1 cell: the variance of a feature needs at least 2 cells"
        ));
    }
    Ok(codes)
}

/// Selects the cells of each batch.
fn batches_of(batches: &[u32], cells: u64) -> Result<Vec<Selection>> {
    if batches.len() as u64 != cells {
        let what = format!("{} batches for {cells} cells", batches.len());
        return Err(Error::argument(what));
    }
    let mut cells: BTreeMap<u32, Vec<Range<u64>>> = BTreeMap::new();
    for (at, batch) in (0_u64..).zip(batches) {
        let ranges = cells.entry(*batch).or_default();
        match ranges.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => ranges.push(at..at + 1),
        }
    }
    Ok(cells.into_values().map(Selection::ranges).collect())
}

/// The dispersion of each feature.
struct Dispersions {
    means: Vec<f64>,
    dispersions: Vec<f64>,
    normalized: Vec<f64>,
    chosen: Vec<bool>,
}

impl Dispersions {
    /// Computes them. In a batch, features without counts take no part.
    fn of(
        part: &dyn MatrixSource,
        axis: Axis,
        options: &VariableOptions,
        in_batches: bool,
        context: &Context,
    ) -> Result<Self> {
        let shape = part.header().shape;
        let cells = shape.len(axis);
        if shape.rows == 0 || shape.cols == 0 {
            return Err(Error::argument(format!("there are no cells or no features in {shape}")));
        }
        if cells == 1 {
            let what = "there is 1 cell: the variance of a feature needs at least 2 cells";
            return Err(Error::argument(what));
        }
        let present = match in_batches {
            false => None,
            true => {
                let found = of_features(part, axis, Measures::Nonzero, context)?;
                Some(found.iter().map(|one| one.nnz > 0).collect::<Vec<_>>())
            }
        };
        let part = nnz_engine::Summed::of_unordered(Box::new(part), context);
        let counts = Computed::new(part, vec![ValueStep::Expm1])?;
        let moments = of_features(&counts, axis, Measures::All, context)?;
        let width = moments.len();
        let takes_part = |at: &usize| present.as_ref().is_none_or(|present| present[*at]);
        let places: Vec<usize> = (0..width).filter(takes_part).collect();
        let (mut means, mut dispersions) = (Vec::new(), Vec::new());
        for one in places.iter().filter_map(|at| moments.get(*at)) {
            let (mean, variance) = checked(one)?;
            let mean = if mean == 0.0 { 1e-12 } else { mean };
            let dispersion = variance / mean;
            means.push(mean.ln_1p());
            dispersions.push(if dispersion == 0.0 { f64::NAN } else { dispersion.ln() });
        }
        let normalized = normalized(&means, &dispersions, options.bins);
        let chosen = match options.top {
            None => within(&means, &normalized, options),
            Some(0) => vec![false; normalized.len()],
            Some(top) => {
                let mut known: Vec<f64> =
                    normalized.iter().copied().filter(|value| !value.is_nan()).collect();
                known.sort_by(|a, b| b.total_cmp(a));
                let least = known.get(top.min(known.len()).saturating_sub(1)).copied();
                let least = least.unwrap_or(f64::INFINITY);
                normalized.iter().map(|value| *value >= least).collect()
            }
        };
        let mut spread = Self {
            means: vec![0.0; width],
            dispersions: vec![0.0; width],
            normalized: vec![0.0; width],
            chosen: vec![false; width],
        };
        for (from, to) in places.into_iter().enumerate() {
            spread.means[to] = means[from];
            spread.dispersions[to] = dispersions[from];
            spread.normalized[to] = normalized[from];
            spread.chosen[to] = chosen[from];
        }
        Ok(spread)
    }
}

/// Returns mean and variance, which are those of counts.
fn checked(moments: &Moments) -> Result<(f64, f64)> {
    let mean = moments.total.map_or(f64::NAN, |total| total.mean);
    let (variance, least) =
        moments.spread.map_or((f64::NAN, None), |found| (found.variance, found.min));
    let is_negative = match least {
        Some(Number::Integer(least)) => least < 0,
        Some(Number::Float(least)) => least < 0.0,
        None => false,
    };
    match mean.is_finite() && variance.is_finite() && !is_negative {
        true => Ok((mean, variance)),
        false => Err(Error::argument(
            "this needs logarithms of counts: finite values that are not negative",
        )),
    }
}

fn of_features(
    source: &dyn MatrixSource,
    axis: Axis,
    measures: Measures,
    context: &Context,
) -> Result<Vec<Moments>> {
    let observed = Observed::new(source, "measuring", context.progress());
    let options = StatsOptions::default().measures(measures);
    let found = match axis {
        Axis::Rows => stats(&observed, &options.cols(true), context)?.cols,
        Axis::Cols => stats(&observed, &options.rows(true), context)?.rows,
    };
    Ok(found.unwrap_or_default())
}

/// Subtracts the mean dispersion of the bin of each feature, and divides by the standard deviation in it.
fn normalized(means: &[f64], dispersions: &[f64], bins: usize) -> Vec<f64> {
    let bin_of = bins_of(means, bins);
    let mut sums = vec![(0.0, 0.0); bins];
    let known = || bin_of.iter().zip(dispersions).filter(|(_, value)| !value.is_nan());
    for (bin, value) in known() {
        sums[*bin].0 += value;
        sums[*bin].1 += 1.0;
    }
    let averages: Vec<f64> = sums.iter().map(|(sum, count)| sum / count).collect();
    let mut squares = vec![0.0; bins];
    for (bin, value) in known() {
        squares[*bin] += (value - averages[*bin]).powi(2);
    }
    let of = |(bin, value): (&usize, &f64)| {
        let (average, count) = (averages[*bin], sums[*bin].1);
        match count > 1.0 {
            true => (value - average) / (squares[*bin] / (count - 1.0)).sqrt(),
            // The only one of a bin.
            false => value / average,
        }
    };
    bin_of.iter().zip(dispersions).map(of).collect()
}

/// Returns the bin of each value: bins of equal width, closed on the right, the first slightly wider, as `pandas.cut` makes them.
fn bins_of(values: &[f64], bins: usize) -> Vec<usize> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut least, mut greatest) = (least, greatest);
    let is_one = least == greatest;
    if is_one {
        let margin = if least == 0.0 { 0.001 } else { 0.001 * least.abs() };
        (least, greatest) = (least - margin, greatest + margin);
    }
    let step = (greatest - least) / float(bins);
    let edges: Vec<f64> = (1..bins).map(|at| float(at) * step + least).collect();
    values.iter().map(|value| edges.partition_point(|edge| edge < value)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a number of bins or batches")]
fn float(number: usize) -> f64 {
    number as f64
}

fn within(means: &[f64], normalized: &[f64], options: &VariableOptions) -> Vec<bool> {
    let inside = |value: f64, [low, high]: [f64; 2]| value > low && value < high;
    let of = |(mean, value): (&f64, &f64)| {
        let value = if value.is_nan() { 0.0 } else { *value };
        inside(*mean, options.mean) && inside(value, options.dispersion)
    };
    means.iter().zip(normalized).map(of).collect()
}

/// Returns in how many batches each feature was chosen.
fn counted(each: &[Dispersions]) -> Vec<usize> {
    let width = each.first().map_or(0, |one| one.chosen.len());
    (0..width).map(|at| each.iter().filter(|one| one.chosen[at]).count()).collect()
}

/// Combines what was found in each batch.
fn combined(each: &[Dispersions], options: &VariableOptions) -> Dispersions {
    let width = each.first().map_or(0, |one| one.means.len());
    let mean_of = |numbers: Vec<f64>| numbers.iter().sum::<f64>() / float(numbers.len());
    let known = |of: fn(&Dispersions) -> &[f64], at: usize| {
        mean_of(each.iter().map(|one| of(one)[at]).filter(|value| !value.is_nan()).collect())
    };
    let means: Vec<f64> =
        (0..width).map(|at| mean_of(each.iter().map(|one| one.means[at]).collect())).collect();
    let dispersions = (0..width).map(|at| known(|one| &one.dispersions, at)).collect();
    let mut normalized: Vec<f64> = (0..width).map(|at| known(|one| &one.normalized, at)).collect();
    let batches = counted(each);
    let chosen = match options.top {
        Some(top) => {
            // By the number of batches, then by dispersion; a feature without one comes last.
            let rank = |at: &usize| {
                let value = normalized[*at];
                (batches[*at], if value.is_nan() { f64::NEG_INFINITY } else { value })
            };
            let mut order: Vec<usize> = (0..width).collect();
            order.sort_by(|a, b| {
                let ((batches_a, a), (batches_b, b)) = (rank(a), rank(b));
                batches_b.cmp(&batches_a).then(b.total_cmp(&a))
            });
            let mut chosen = vec![false; width];
            order.into_iter().take(top).for_each(|at| chosen[at] = true);
            chosen
        }
        None => {
            normalized.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
            within(&means, &normalized, options)
        }
    };
    Dispersions { means, dispersions, normalized, chosen }
}

fn booleans(chosen: &[bool]) -> Values {
    Values::Bint8(chosen.iter().map(|chosen| Bint8(u8::from(*chosen))).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use nnz_core::{Annotations as _, Order, Shape};

    use super::*;
    use crate::CsMatrix;

    /// Three cells by two features.
    fn found(options: &VariableOptions) -> Result<AnnotationTable> {
        let shape = Shape { rows: 3, cols: 2 };
        let (pointers, indices) = (vec![0, 2, 3, 4], vec![0_u32, 1, 0, 1]);
        let values = vec![1.0_f32, 0.5, 2.0, 0.25];
        let matrix = CsMatrix::from_parts(shape, Order::Row, pointers, indices, values).unwrap();
        highly_variable(&*matrix.into_source().unwrap(), options, &Context::default())
    }

    #[test]
    fn numbers_of_bins_that_take_any_memory_are_refused() {
        for bins in [0, usize::MAX] {
            let error = found(&VariableOptions::default().bins(bins)).unwrap_err().to_string();
            assert!(error.contains("expected a number from 1 to 1048576"), "{error}");
        }
        assert_eq!(found(&VariableOptions::default().bins(MOST_BINS)).unwrap().len(), 2);
    }

    /// One was chosen.
    #[test]
    fn no_feature_is_chosen_of_the_first_0() {
        let chosen = |top: usize| {
            let table = found(&VariableOptions::default().top(Some(top))).unwrap();
            let column = table.columns().iter().position(|one| one.name == "highly_variable");
            let column = table.read_column(column.unwrap(), u64::MAX).unwrap();
            match column.values {
                nnz_core::ColumnValues::Numbers(Values::Bint8(values)) => {
                    values.into_iter().filter(|one| one.0 == 1).count()
                }
                other => panic!("{other:?}"),
            }
        };
        assert_eq!([chosen(0), chosen(2)], [0, 2]);
    }

    #[test]
    fn numbers_of_batches_take_no_memory() {
        let batches =
            |batches: [u32; 3]| VariableOptions::default().batches(Some(batches.to_vec()));
        let one = found(&batches([u32::MAX; 3])).unwrap();
        assert_eq!(one, found(&batches([0; 3])).unwrap());
        let error = found(&batches([0, 0, u32::MAX])).unwrap_err().to_string();
        assert!(error.contains("there is 1 cell"), "{error}");
    }

    /// As `pandas.cut`: closed on the right.
    #[test]
    fn bins_have_equal_widths() {
        assert_eq!(bins_of(&[0.0, 1.0, 2.0, 2.5, 4.0], 4), [0, 0, 1, 2, 3]);
        assert_eq!(bins_of(&[3.0, 3.0], 4), [1, 1]);
    }
}
