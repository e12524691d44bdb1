//! Markers: features whose values in a group of cells differ from those in all other cells.

mod adjusted;
mod distribution;
mod feature;
mod groups;
mod table;

use nnz_core::{Axis, Error, ErrorKind, MatrixSource, Result};
use nnz_storage::TaskContext;

use super::aggregate::check_groups;
use super::lines::process_lines;
use feature::{Comparison, NUMBERS};
use groups::Groups;

/// Test that compares the values in a group with those in all other cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkerTest {
    /// The Wilcoxon rank-sum test, with the normal approximation and without continuity correction. The default.
    #[default]
    Wilcoxon,
    /// Welch's t-test.
    TTest,
}

/// Options of [`markers`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MarkerOptions {
    /// The test.
    pub test: MarkerTest,
    /// Whether the Wilcoxon test is corrected for equal values.
    pub tie_correction: bool,
    /// The number of features of each group in [rankings](Markers::ranked) and tables; by default all.
    pub top: Option<usize>,
}

nnz_core::setters! {
    MarkerOptions {
        test: MarkerTest,
        tie_correction: bool,
        top: Option<usize>,
    }
}

/// The Wilcoxon test, corrected for equal values.
impl Default for MarkerOptions {
    fn default() -> Self {
        Self { test: MarkerTest::default(), tie_correction: true, top: None }
    }
}

/// The result of [`markers`]. Each list has a number for each group and feature, by group: all of the first group come first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Markers {
    /// The number of groups.
    pub groups: usize,
    /// The number of features.
    pub features: usize,
    /// The z-score of the Wilcoxon test or the t of the t-test: positive if values in the group are greater.
    pub scores: Vec<f64>,
    /// The two-sided p-values.
    pub p_values: Vec<f64>,
    /// The p-values, adjusted for the number of features by the method of Benjamini and Hochberg.
    pub adjusted_p_values: Vec<f64>,
    /// The binary logarithm of the ratio of the means in the group and in other cells, as scanpy computes it: of `exp(mean) - 1`
    /// plus 1e-9, as values are taken for natural logarithms of 1 plus a number.
    pub log2_fold_changes: Vec<f64>,
    /// The fraction of the cells of the group with a value other than zero.
    pub fractions: Vec<f64>,
    /// The fraction of all other cells with a value other than zero.
    pub rest_fractions: Vec<f64>,
    /// The time in seconds that it took to sort the entries by feature, if they were not.
    pub sorting_seconds: Option<f64>,
    /// The number of features of each group in [rankings](Self::ranked) and tables, if not all.
    pub top: Option<usize>,
}

impl Markers {
    /// Returns the result for features without entries.
    fn new(groups: usize, features: usize, top: Option<usize>) -> Self {
        let all = |number: f64| vec![number; groups * features];
        Self {
            groups,
            features,
            scores: all(0.0),
            p_values: all(1.0),
            adjusted_p_values: Vec::new(),
            log2_fold_changes: all(0.0),
            fractions: all(0.0),
            rest_fractions: all(0.0),
            sorting_seconds: None,
            top,
        }
    }

    /// Sets the numbers of a feature, which are given by group.
    fn set(&mut self, feature: u64, numbers: &[f64]) {
        let Ok(feature) = usize::try_from(feature) else { return };
        for (group, numbers) in numbers.chunks_exact(NUMBERS).enumerate() {
            let lists = [
                &mut self.scores,
                &mut self.p_values,
                &mut self.log2_fold_changes,
                &mut self.fractions,
                &mut self.rest_fractions,
            ];
            for (list, number) in lists.into_iter().zip(numbers) {
                let of_group = list.chunks_exact_mut(self.features.max(1)).nth(group);
                let into = of_group.and_then(|numbers| numbers.get_mut(feature));
                into.into_iter().for_each(|into| *into = *number);
            }
        }
    }
}

/// Compares each feature in each group of cells with all other cells, as `scanpy.tl.rank_genes_groups` does.
///
/// `cells` is the axis of the cells, and `codes` has the number of the group of each cell, counted from 0. Cells with `None` are
/// in no group, but among the others of every group. An element with several entries has their sum.
///
/// Each feature is sorted by itself, without its zeros. A matrix that is stored by feature is read in one pass; the entries of
/// another one are sorted first, in memory or in a temporary file. The result is the same for any number of threads.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::TaskContext;
/// use nnz_engine::compute::{MarkerOptions, markers};
///
/// // Two features of five cells.
/// let shape = Shape { rows: 2, cols: 5 };
/// let (pointers, indices) = (vec![0, 3, 5], vec![0_u32, 1, 4, 2, 3]);
/// let matrix = nnz_engine::CsMatrix::from_parts(shape, Order::Row, pointers, indices, vec![3.0, 2.0, 1.0, 1.0, 1.0])?;
/// let codes = [Some(0), Some(0), Some(1), Some(1), None];
/// let (options, context) = (MarkerOptions::default(), TaskContext::default());
/// let found = markers(&*matrix.into_source()?, Axis::Cols, (&codes, 2), &options, &context)?;
/// assert_eq!(found.fractions, [1.0, 0.0, 0.0, 1.0]);
/// assert_eq!(found.ranked(1), [1, 0]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the number of codes is not the number of cells, if a group has fewer than two cells or all of them, if the matrix
/// cannot be read or is broken, if it has complex numbers, a fill value, values that are not finite, or integers of 2^53 or more,
/// if an element has several entries in a format that does not define their meaning, if the result takes more memory than allowed,
/// and if cancelled.
pub fn markers(
    source: &dyn MatrixSource,
    cells: Axis,
    (codes, groups): (&[Option<u32>], u32),
    options: &MarkerOptions,
    context: &TaskContext,
) -> Result<Markers> {
    let place = &source.place();
    check_groups(source, cells, (codes, groups), "comparing groups of")?;
    let features = source.header().shape.len(cells.other());
    // Six numbers of each group, and two while p-values are sorted.
    let needed = features.saturating_mul(u64::from(groups)).saturating_mul(8 * 8);
    if needed > context.result_memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    let groups = Groups::new(codes, groups).map_err(|error| error.with_context(place))?;
    let features = usize::try_from(features).unwrap_or(usize::MAX);
    let mut markers = Markers::new(groups.count(), features, options.top);
    let (comparison, axis) = (Comparison { groups: &groups, options }, cells.other());
    let mut add = |feature: u64, numbers: &[f64]| markers.set(feature, numbers);
    let seconds = process_lines(source, axis, &comparison, ("comparing", &mut add), context)
        .map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    markers.sorting_seconds = seconds;
    markers.adjust(context.threads())?;
    Ok(markers)
}
