//! Metrics of the quality of cells and features.

use nnz_core::{Axis, Bint8, Error, MatrixSource, Result, Values};
use nnz_engine::compute::{cell_axis, top_sums};
use nnz_engine::{
    AnnotationTable, Measures, Moments, Number, Observed, ReadOptions, Selection, Slice,
    StatsOptions, stats,
};

use super::Normalization;
use super::table::Table;
use crate::Context;

/// How many of the most frequent features of each cell are added up by default.
const TOPS: [usize; 4] = [50, 100, 200, 500];

/// Options of [`qc`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct QcOptions {
    /// The axis of the cells; by default that which the file states, or the rows.
    pub axis: Option<Axis>,
    /// Sets of features, such as those of mitochondria, and their names.
    pub sets: Vec<(String, Selection)>,
    /// Columns of the annotations of features with booleans, which are sets of features, too.
    pub columns: Vec<String>,
    /// For the shares of so many of the most frequent features of each cell; by default 50, 100, 200 and 500, as far as
    /// there are as many features.
    pub percent_top: Option<Vec<usize>>,
}

nnz_core::setters! {
    QcOptions {
        axis: Option<Axis>,
        sets: Vec<(String, Selection)>,
        columns: Vec<String>,
        percent_top: Option<Vec<usize>>,
    }
}

/// The result of [`qc`]: tables with the columns of scanpy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Qc {
    /// The axis of the cells.
    pub axis: Axis,
    /// A row for each cell, such as `total_counts` and `pct_counts_mt`.
    pub cells: AnnotationTable,
    /// A row for each feature, such as `n_cells_by_counts`.
    pub features: AnnotationTable,
    /// Unusual but allowed properties of the source.
    pub notes: Vec<String>,
}

/// Computes metrics of cells and features, as `scanpy.pp.calculate_qc_metrics` does. Sums are of 64 bits. Rows without names are
/// named by their positions.
///
/// The matrix is read once, once more for each set, and once more for `percent_top`; if it is not stored by cell, it is
/// in memory for that.
///
/// ```no_run
/// use nnz::compute::{QcOptions, qc};
///
/// let context = nnz::Context::default();
/// let source = nnz::OpenOptions::new().open("counts.h5ad", &context)?.into_matrix()?;
/// let mitochondrial = nnz::engine::matching(&*source, nnz::Axis::Cols, "^MT-")?;
/// let options = QcOptions::default().sets(vec![("mt".to_owned(), mitochondrial.0)]);
/// let found = qc(&*source, &options, &context)?;
/// println!("{} cells", found.cells.names().len());
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if it has complex numbers or a fill value, if a set names a feature that
/// does not exist, if there are fewer features than are added up, and if the result takes more memory than allowed.
pub fn qc(source: &dyn MatrixSource, options: &QcOptions, context: &Context) -> Result<Qc> {
    let header = source.header();
    let axis = options.axis.unwrap_or_else(|| cell_axis(header));
    let [count, width] = [axis, axis.other()].map(|axis| header.shape.len(axis));
    let tops = tops(options, width)?;
    let of_types = super::note_on_types(source, Some(axis), context)?;
    let of_values = super::note_on_values(source, &Normalization::default())?;
    let notes = of_values.into_iter().chain(of_types).collect();
    let observed = Observed::new(source, "measuring", context.progress());
    let both = StatsOptions::default().rows(true).cols(true).measures(Measures::NonzeroSums);
    let found = stats(&observed, &both, context)?;
    let [rows, cols] = [found.rows, found.cols].map(Option::unwrap_or_default);
    let (of_cells, of_features) = match axis {
        Axis::Rows => (rows, cols),
        Axis::Cols => (cols, rows),
    };
    let totals = sums(&of_cells);
    let mut cells = Table::default();
    let genes = counts(&of_cells);
    cells.logged(
        "n_genes_by_counts",
        Values::from(genes.clone()),
        genes.iter().map(|found| float(*found)),
    );
    cells.logged("total_counts", Values::from(totals.clone()), totals.iter().copied());
    if !tops.is_empty() {
        let parts = greatest(source, axis, &tops, context)?;
        for (at, top) in tops.iter().enumerate() {
            let part = parts.iter().skip(at).step_by(tops.len()).copied();
            cells.percent(format!("pct_counts_in_top_{top}_genes"), part, &totals);
        }
    }
    let mut features = Table::default();
    let mut sets = options.sets.clone();
    for name in &options.columns {
        let condition = format!("{name}=True").parse::<Selection>().map_err(Error::argument)?;
        sets.push((name.clone(), condition.allow_empty(true)));
    }
    for (name, selection) in &sets {
        let (part, mask) = part_of(&observed, axis, selection, context)?;
        cells.logged(
            &format!("total_counts_{name}"),
            Values::from(part.clone()),
            part.iter().copied(),
        );
        cells.percent(format!("pct_counts_{name}"), part.into_iter(), &totals);
        // A column is there already.
        if !options.columns.contains(name) {
            features.add(name, Values::Bint8(mask));
        }
    }
    let present = counts(&of_features);
    let means: Vec<f64> =
        of_features.iter().map(|one| one.total.map_or(f64::NAN, |total| total.mean)).collect();
    let cells_count = i64::try_from(count).unwrap_or(i64::MAX);
    let dropout = present.iter().map(|found| (1.0 - float(*found) / float(cells_count)) * 100.0);
    let dropout: Vec<f64> = dropout.collect();
    features.add("n_cells_by_counts", Values::from(present));
    features.logged("mean_counts", Values::from(means.clone()), means.iter().copied());
    features.add("pct_dropout_by_counts", Values::from(dropout));
    let totals = sums(&of_features);
    features.logged("total_counts", Values::from(totals.clone()), totals.iter().copied());
    Ok(Qc {
        axis,
        cells: cells.named(source, axis, context)?,
        features: features.named(source, axis.other(), context)?,
        notes,
    })
}

/// Returns how many features are added up.
fn tops(options: &QcOptions, width: u64) -> Result<Vec<usize>> {
    let fits = |top: &usize| *top as u64 <= width;
    match &options.percent_top {
        None => Ok(TOPS.into_iter().filter(fits).collect()),
        Some(given) => match given.iter().find(|top| !fits(top) || **top == 0) {
            Some(top) => Err(Error::argument(format!(
                "percent_top {top}: expected a number from 1 to {width}"
            ))),
            None => Ok(given.clone()),
        },
    }
}

/// Adds up the greatest values of each cell.
fn greatest(
    source: &dyn MatrixSource,
    axis: Axis,
    tops: &[usize],
    context: &Context,
) -> Result<Vec<f64>> {
    if source.header().order.major() == axis {
        return top_sums(&Observed::new(source, "sorting", context.progress()), tops, context);
    }
    let order = match axis {
        Axis::Rows => nnz_core::Order::Row,
        Axis::Cols => nnz_core::Order::Col,
    };
    // In memory, it is not known that several entries of an element are one value.
    let summed = source.header().duplicates == nnz_core::Duplicates::Summed;
    let duplicates = summed.then_some(crate::output::DuplicatePolicy::Sum);
    let options = ReadOptions::default().order(Some(order)).names(false).duplicates(duplicates);
    let observed = Observed::new(source, "reading", context.progress());
    top_sums(&*nnz_engine::read(&observed, &options, context)?.into_source()?, tops, context)
}

/// Adds up the features of a set. Returns the sum of each cell, and whether each feature is in the set.
fn part_of(
    source: &dyn MatrixSource,
    axis: Axis,
    selection: &Selection,
    context: &Context,
) -> Result<(Vec<f64>, Vec<Bint8>)> {
    let all = Selection::all();
    let selections = match axis {
        Axis::Rows => [&all, selection],
        Axis::Cols => [selection, &all],
    };
    let width = usize::try_from(source.header().shape.len(axis.other())).unwrap_or(usize::MAX);
    let slice = Slice::in_source_order(Box::new(source), selections[0], selections[1])?;
    let mut mask = vec![Bint8(0); width];
    for range in slice.ranges(axis.other()) {
        let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(width));
        mask.get_mut(start..end).into_iter().flatten().for_each(|chosen| *chosen = Bint8(1));
    }
    let options = StatsOptions::default().measures(Measures::Sums);
    let found = match axis {
        Axis::Rows => stats(&slice, &options.rows(true), context)?.rows,
        Axis::Cols => stats(&slice, &options.cols(true), context)?.cols,
    };
    Ok((sums(&found.unwrap_or_default()), mask))
}

fn sums(moments: &[Moments]) -> Vec<f64> {
    let sum = |one: &Moments| match one.total.map(|total| total.sum) {
        Some(Number::Integer(sum)) => rounded(sum),
        Some(Number::Float(sum)) => sum,
        None => f64::NAN,
    };
    moments.iter().map(sum).collect()
}

fn counts(moments: &[Moments]) -> Vec<i64> {
    moments.iter().map(|one| i64::try_from(one.nnz).unwrap_or(i64::MAX)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "sums of counts as floats, as in scanpy")]
fn rounded(sum: i128) -> f64 {
    sum as f64
}

#[expect(clippy::cast_precision_loss, reason = "numbers of cells and features")]
fn float(number: i64) -> f64 {
    number as f64
}
