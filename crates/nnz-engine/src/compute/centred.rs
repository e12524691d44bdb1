//! A matrix whose features are centred, without forming it.

use std::cell::Cell;

use nnz_core::{LowRank, MatrixSource, Result, ValueType, Values};
use nnz_storage::TaskContext;

use super::float::Float;
use super::gram::{has_rows, multiply_twice};
use super::linear_algebra::{
    dot, gram, power_of_two, product, product_of_transposed, subtract_product,
};
use super::product::multiply;
use crate::{Measures, Observed, StatsOptions, stats};

/// The passes over the entries, which report their progress.
pub(super) struct Passes<'a> {
    context: &'a TaskContext,
    done: Cell<usize>,
    /// How many there will be, if that is known.
    count: Option<usize>,
}

impl<'a> Passes<'a> {
    pub(super) fn new(context: &'a TaskContext, count: Option<usize>) -> Self {
        Self { context, done: Cell::new(0), count }
    }

    /// Makes a pass over a matrix.
    fn observe<T>(
        &self,
        source: &dyn MatrixSource,
        pass: impl FnOnce(&dyn MatrixSource) -> Result<T>,
    ) -> Result<T> {
        pass(&Observed::new(source, &self.next(), self.context.progress()))
    }

    /// Returns the name of the next pass.
    pub(super) fn next(&self) -> String {
        self.done.set(self.done.get() + 1);
        match self.count {
            Some(count) => format!("computing, pass {} of {count}", self.done.get()),
            None => format!("computing, pass {}", self.done.get()),
        }
    }
}

/// A matrix of observations by features, minus the mean of each feature.
pub(super) struct Centred<'a> {
    /// By observation and by feature.
    sources: [&'a dyn MatrixSource; 2],
    /// The factor of each feature, by which the values of the sources have to be multiplied.
    factors: Option<&'a [f64]>,
    /// The matrix of low rank to subtract.
    removed: Option<Removed>,
    passes: &'a Passes<'a>,
    /// The means of the features of the sources, with their factors.
    mean: Vec<f64>,
    total_variance: f64,
    /// The number by which all products are divided.
    scale: Cell<Option<f64>>,
}

impl<'a> Centred<'a> {
    /// Computes the means. What is removed has a row for each observation.
    pub(super) fn new(
        sources: [&'a dyn MatrixSource; 2],
        factors: Option<&'a [f64]>,
        removed: Option<LowRank>,
        passes: &'a Passes<'a>,
    ) -> Result<Self> {
        let stats_options = StatsOptions::default().cols(true).measures(Measures::Variance);
        let moments = passes
            .observe(sources[0], |source| stats(source, &stats_options, passes.context))?
            .cols
            .unwrap_or_default();
        let mut mean: Vec<_> =
            moments.iter().map(|of| of.total.map_or(0.0, |total| total.mean)).collect();
        let variances = moments.iter().map(|of| of.spread.map_or(0.0, |spread| spread.variance));
        let mut variances: Vec<_> = variances.collect();
        if let Some(factors) = factors {
            scale_rows(&mut mean, 1, factors);
            (0..2).for_each(|_| scale_rows(&mut variances, 1, factors));
        }
        let total_variance = variances.iter().sum();
        let scale = Cell::new(None);
        let mut centred =
            Self { sources, factors, removed: None, passes, mean, total_variance, scale };
        if let Some(removed) = removed {
            let removed = Removed::new(&centred, removed)?;
            centred.total_variance = (centred.total_variance + removed.variance).max(0.0);
            centred.removed = Some(removed);
        }
        Ok(centred)
    }

    /// Returns the mean of each feature, which is subtracted.
    pub(super) fn mean(&self) -> Vec<f64> {
        let mut mean = self.mean.clone();
        if let Some(Removed { rank, right, means, .. }) = &self.removed {
            let features = mean.iter_mut().zip(right.chunks_exact(*rank));
            features.for_each(|(mean, row)| *mean -= dot(row, means));
        }
        mean
    }

    pub(super) fn total_variance(&self) -> f64 {
        self.total_variance
    }

    /// Returns how precise products are: a fraction of the largest.
    pub(super) fn rounding(&self) -> f64 {
        if self.is_narrow() { 1e-6 } else { 1e-13 }
    }

    /// Multiplies a source.
    fn multiply<T: Float>(&self, at: usize, right: &[T], width: usize) -> Result<Vec<T>> {
        let context = self.passes.context;
        self.passes.observe(self.sources[at], |source| multiply(source, right, width, context))
    }

    /// Returns what the product with a matrix of a row for each feature has too much, if it is not centred, and that matrix with
    /// the factors of features.
    fn centring<T: Float>(&self, right: &[f64], width: usize) -> (Vec<f64>, Vec<T>) {
        let mut means = vec![0.0; width];
        for (mean, row) in self.mean.iter().zip(right.chunks_exact(width)) {
            means.iter_mut().zip(row).for_each(|(sum, element)| *sum += mean * element);
        }
        let mut right = right.to_vec();
        if let Some(factors) = self.factors {
            scale_rows(&mut right, width, factors);
        }
        (means, right.into_iter().map(Float::of).collect())
    }

    fn is_narrow(&self) -> bool {
        self.sources[0].header().value_type == ValueType::F32
    }

    /// Multiplies by a matrix with a row for each feature.
    pub(super) fn times(&self, right: &[f64], width: usize) -> Result<Values> {
        Ok(match self.is_narrow() {
            true => Values::F32(self.scores(right, width)?),
            false => Values::F64(self.scores(right, width)?),
        })
    }

    fn scores<T: Float>(&self, right: &[f64], width: usize) -> Result<Vec<T>> {
        let mut scores = self.times_in(right, width)?;
        if let Some(removed) = &self.removed {
            let factors = [&*removed.left, &*removed.right];
            subtract_product(&mut scores, factors, removed.rank, right, width);
        }
        Ok(scores)
    }

    /// Multiplies without what is removed.
    fn times_in<T: Float>(&self, right: &[f64], width: usize) -> Result<Vec<T>> {
        let (means, right) = self.centring::<T>(right, width);
        let mut product = self.multiply(0, &right, width)?;
        subtract(&mut product, &means);
        Ok(product)
    }

    /// Multiplies by a matrix with a row for each feature, and the result by the transposed matrix. The product is divided by some
    /// number, which is the same for all.
    pub(super) fn gram_times(&self, right: &[f64], width: usize) -> Result<Vec<f64>> {
        match self.is_narrow() {
            true => self.gram_times_in::<f32>(right, width),
            false => self.gram_times_in::<f64>(right, width),
        }
    }

    fn gram_times_in<T: Float>(&self, right: &[f64], width: usize) -> Result<Vec<f64>> {
        // Squares of other numbers might not be floats.
        let is_moderate = (1e-12..1e12).contains(&self.total_variance);
        let (mut product, sums, scale) = if is_moderate && has_rows(self.sources[0]) {
            let (means, right) = self.centring::<T>(right, width);
            let context = self.passes.context;
            let (product, sums) = self.passes.observe(self.sources[0], |source| {
                multiply_twice(source, &right, &means, context)
            })?;
            (product, sums, 1.0)
        } else {
            let mut between = self.times_in::<T>(right, width)?;
            let scale = self.scale.get().unwrap_or_else(|| power_of_two(&between));
            self.scale.set(Some(scale));
            between.iter_mut().for_each(|element| *element = T::of((*element).into() / scale));
            let product = self.multiply(1, &between, width)?;
            let sums = sums_of_columns(&between, width);
            (product.into_iter().map(Into::into).collect::<Vec<f64>>(), sums, scale)
        };
        if let Some(factors) = self.factors {
            scale_rows(&mut product, width, factors);
        }
        for (row, mean) in product.chunks_exact_mut(width).zip(&self.mean) {
            row.iter_mut().zip(&sums).for_each(|(element, sum)| *element -= mean * sum);
        }
        if let Some(removed) = &self.removed {
            removed.subtract_gram(&mut product, right, width, scale);
        }
        Ok(product)
    }
}

/// A matrix of low rank, `left right`, that is subtracted. The columns of the left one are centred.
struct Removed {
    rank: usize,
    /// By row.
    left: Vec<f64>,
    /// By column, with the factors of features.
    right: Vec<f64>,
    /// The means of the columns of the left matrix, which were subtracted.
    means: Vec<f64>,
    /// The transposed matrix of observations times `left`.
    shared: Vec<f64>,
    /// The transposed left matrix times `left`.
    inner: Vec<f64>,
    /// By how much it changes the total variance.
    variance: f64,
}

impl Removed {
    #[allow(clippy::cast_precision_loss, reason = "it rounds")]
    fn new(centred: &Centred<'_>, LowRank { rank, left, right, .. }: LowRank) -> Result<Self> {
        let rows = left.len() / rank.max(1);
        let (mut left, mut right) = (left.to_vec(), right.to_vec());
        let sums = sums_of_columns(&left, rank);
        let means: Vec<f64> = sums.iter().map(|sum| sum / rows.max(1) as f64).collect();
        subtract(&mut left, &means);
        // As the columns have no mean, the other matrix need not be centred.
        let mut shared = centred.multiply(1, &left, rank)?;
        if let Some(factors) = centred.factors {
            scale_rows(&mut right, rank, factors);
            scale_rows(&mut shared, rank, factors);
        }
        let inner = gram(&left, rank, 1.0);
        let of_inner = product(&right, rank, &inner, rank);
        let squares = dot(&of_inner, &right) - 2.0 * dot(&shared, &right);
        let variance = squares / rows.saturating_sub(1).max(1) as f64;
        Ok(Self { rank, left, right, means, shared, inner, variance })
    }

    /// Subtracts its part from what the matrix and then the transposed one make of a matrix with a row for each feature, which was
    /// divided by `scale`.
    fn subtract_gram(&self, gram_times: &mut [f64], features: &[f64], width: usize, scale: f64) {
        let [own, shared] = [&self.right, &self.shared]
            .map(|matrix| product_of_transposed(matrix, self.rank, features, width));
        let mut rest = product(&self.inner, self.rank, &own, width);
        rest.iter_mut().zip(&shared).for_each(|(rest, shared)| *rest -= shared);
        let changes = product(&self.shared, self.rank, &own, width);
        let others = product(&self.right, self.rank, &rest, width);
        for (element, (change, other)) in gram_times.iter_mut().zip(changes.iter().zip(others)) {
            *element += (other - change) / scale;
        }
    }
}

/// Multiplies the rows of a matrix by factors.
fn scale_rows(matrix: &mut [f64], width: usize, factors: &[f64]) {
    for (row, factor) in matrix.chunks_exact_mut(width).zip(factors) {
        row.iter_mut().for_each(|element| *element *= factor);
    }
}

/// Subtracts a number from each column of a matrix.
fn subtract<T: Float>(matrix: &mut [T], numbers: &[f64]) {
    for row in matrix.chunks_exact_mut(numbers.len()) {
        for (element, number) in row.iter_mut().zip(numbers) {
            *element = T::of((*element).into() - number);
        }
    }
}

fn sums_of_columns<T: Float>(matrix: &[T], width: usize) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    for row in matrix.chunks_exact(width) {
        sums.iter_mut().zip(row).for_each(|(sum, element)| *sum += (*element).into());
    }
    sums
}
