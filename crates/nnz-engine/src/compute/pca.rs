//! Principal components of a matrix.

use std::cell::Cell;

use nnz_core::{Axis, Error, MatrixSource, Result, Unscaled, ValueType};
use nnz_storage::TaskContext;

use super::float::Float;
use super::held::hold;
use super::krylov::{Numbers, Subspace};
use super::linear_algebra::{eigen, gram, product, scale_to_one};
use super::product::multiply;
use super::totals::cell_axis;
use crate::{Measures, Observed, StatsOptions, Transposed, stats};

/// Columns that are computed at least in addition to those that are requested, so that these are precise.
const MORE: usize = 10;

/// Options of [`pca`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PcaOptions {
    /// The number of components.
    pub components: usize,
    /// The axis of the observations, of which each has a value for each feature. By default the axis of
    /// the cells, or the rows.
    pub observations: Option<Axis>,
    /// The number of iterations, of two passes over the entries each; there are four more.
    pub iterations: usize,
    /// The seed of the random numbers to begin with.
    pub seed: u64,
}

nnz_core::setters! {
    PcaOptions {
        components: usize,
        observations: Option<Axis>,
        iterations: usize,
        seed: u64,
    }
}

/// 50 components from two iterations.
impl Default for PcaOptions {
    fn default() -> Self {
        Self { components: 50, observations: None, iterations: 2, seed: 0 }
    }
}

/// The result of [`pca`]. Matrices are stored by row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pca {
    /// A row for each observation, and a column for each component.
    pub scores: Vec<f64>,
    /// A row for each feature, and a column for each component; columns have the length 1.
    pub loadings: Vec<f64>,
    /// The singular values of the centred matrix, in descending order. The variance of a component is the square of
    /// its singular value, divided by the number of observations minus 1.
    pub singular_values: Vec<f64>,
    /// The mean of each feature, which was subtracted.
    pub mean: Vec<f64>,
    /// The sum of the variances of all features.
    pub total_variance: f64,
}

/// Computes the first principal components of a matrix, whose features are centred, by a randomized block
/// Krylov method. The centred matrix is not formed. Products are added up in floats of as many bits as the values. The result is
/// the same for any number of threads.
///
/// The largest element of each column of the loadings is positive.
///
/// # Errors
///
/// Fails if there are fewer observations or features than components, if the matrix has complex numbers or a
/// fill value, if it cannot be read or is broken, if the result takes more memory than allowed, and if cancelled.
pub fn pca(source: &dyn MatrixSource, options: &PcaOptions, context: &TaskContext) -> Result<Pca> {
    let place = &source.place();
    let header = source.header();
    let axis = options.observations.unwrap_or_else(|| cell_axis(header));
    let lengths = [axis, axis.other()].map(|axis| header.shape.len(axis));
    let [observations, features] = lengths.map(usize::try_from);
    let (observations, features) =
        (observations.unwrap_or(usize::MAX), features.unwrap_or(usize::MAX));
    let components = options.components;
    let least = observations.min(features);
    if components == 0 || components > least {
        let what = format!(
            "{components} components of {observations} observations with {features} features"
        );
        let error = match least {
            0 => Error::argument(format!("{what}: the matrix is empty")),
            _ => Error::argument(format!("{what}: expected a number from 1 to {least}")),
        };
        return Err(error.with_context(place).with_hint("components", "sets the number"));
    }
    // A product, its sums and the columns so far, or the result and its rotation; and as much for the features.
    let width = (components + MORE).next_multiple_of(8).min(least);
    let most = Subspace::most_columns(features, width, options);
    let size = if header.value_type == ValueType::F32 { 4 } else { 8 };
    let needed = (observations as u64)
        .saturating_mul(3 * 8 * width as u64)
        .saturating_add((features as u64).saturating_mul(6 * 8 * width as u64))
        .saturating_add((features as u64).saturating_mul(4 * 8 * most as u64))
        .saturating_add((observations as u64).saturating_mul(size * most as u64));
    if needed > context.result_memory() {
        let kind = nnz_core::ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    // They are read about ten times.
    let passes = Passes {
        context,
        done: Cell::new(0),
        count: options.iterations.saturating_mul(2).saturating_add(4),
    };
    let held = hold(source, &passes.next(), context);
    let held = held.map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    // Factors of features are those of the columns that it is multiplied by, too.
    let unscaled =
        held.unscaled().filter(|found| found.axis != axis && are_moderate(&found.factors));
    let (source, factors) = match &unscaled {
        Some(Unscaled { source, factors, .. }) => (&**source, Some(&**factors)),
        None => (&*held, None),
    };
    let transposed = Transposed::new(Box::new(source));
    let [by_observation, by_feature]: [&dyn MatrixSource; 2] = match axis {
        Axis::Rows => [source, &transposed],
        Axis::Cols => [&transposed, source],
    };
    let centred = Centred::new([by_observation, by_feature], factors, &passes)?;

    let subspace = Subspace::find(&centred, features, width, options)?;
    let Centred { mean, total_variance, .. } = centred;
    // Entries are not needed any more.
    drop(transposed);
    drop(unscaled);
    drop(held);
    let (basis, mut scores) = subspace.best(components);
    drop(subspace);
    if scores.iter().any(|score| !score.is_finite()) {
        let what = "values are not finite or too large to compute principal components";
        return Err(Error::unsupported(place.clone(), what));
    }
    let scale = scale_to_one(&mut scores);
    let (values, vectors) = eigen(gram(&scores, components), components);
    let mut found = Pca {
        scores: product(&scores, components, &vectors, components),
        loadings: product(&basis, components, &vectors, components),
        singular_values: values[..components]
            .iter()
            .map(|value| value.max(0.0).sqrt() * scale)
            .collect(),
        mean,
        total_variance,
    };
    found.scores.iter_mut().for_each(|score| *score *= scale);
    found.orient();
    Ok(found)
}

impl Pca {
    /// Returns the variance of each component.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "it rounds")]
    pub fn explained_variance(&self) -> Vec<f64> {
        let observations = self.scores.len() / self.singular_values.len().max(1);
        let divisor = observations.saturating_sub(1).max(1) as f64;
        self.singular_values.iter().map(|value| value * value / divisor).collect()
    }

    /// Returns the variance of each component, as a fraction of the variance of all features.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        let ratio = |variance: f64| variance / self.total_variance;
        self.explained_variance().into_iter().map(ratio).collect()
    }

    /// Chooses the signs of components, which are arbitrary.
    fn orient(&mut self) {
        let width = self.singular_values.len();
        let mut largest = vec![0.0_f64; width];
        for row in self.loadings.chunks_exact(width) {
            for (largest, element) in largest.iter_mut().zip(row) {
                if element.abs() > largest.abs() {
                    *largest = *element;
                }
            }
        }
        for row in self.loadings.chunks_exact_mut(width).chain(self.scores.chunks_exact_mut(width))
        {
            let signs = largest.iter().map(|largest| if *largest < 0.0 { -1.0 } else { 1.0 });
            row.iter_mut().zip(signs).for_each(|(element, sign)| *element *= sign);
        }
    }
}

/// Returns whether products with factors are far from the limits of `f32`.
fn are_moderate(factors: &[f64]) -> bool {
    factors.iter().all(|factor| *factor == 0.0 || (1e-12..1e12).contains(&factor.abs()))
}

/// Multiplies the rows of a matrix by factors.
fn scale_rows(matrix: &mut [f64], width: usize, factors: &[f64]) {
    for (row, factor) in matrix.chunks_exact_mut(width).zip(factors) {
        row.iter_mut().for_each(|element| *element *= factor);
    }
}

/// The passes over the entries, which report their progress.
struct Passes<'a> {
    context: &'a TaskContext,
    done: Cell<usize>,
    count: usize,
}

impl Passes<'_> {
    /// Makes a pass over a matrix.
    fn observe<T>(
        &self,
        source: &dyn MatrixSource,
        pass: impl FnOnce(&dyn MatrixSource) -> Result<T>,
    ) -> Result<T> {
        pass(&Observed::new(source, &self.next(), self.context.progress()))
    }

    /// Returns the name of the next pass.
    fn next(&self) -> String {
        self.done.set(self.done.get() + 1);
        format!("computing, pass {} of {}", self.done.get(), self.count)
    }
}

/// A matrix of observations by features, minus the mean of each feature.
pub(super) struct Centred<'a> {
    /// By observation and by feature.
    sources: [&'a dyn MatrixSource; 2],
    /// The factor of each feature, by which the values of the sources have to be multiplied.
    factors: Option<&'a [f64]>,
    passes: &'a Passes<'a>,
    mean: Vec<f64>,
    total_variance: f64,
}

impl<'a> Centred<'a> {
    fn new(
        sources: [&'a dyn MatrixSource; 2],
        factors: Option<&'a [f64]>,
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
        Ok(Self { sources, factors, passes, mean, total_variance })
    }

    /// Multiplies a source.
    fn multiply<T: Float>(&self, at: usize, right: &[T], width: usize) -> Result<Vec<T>> {
        let context = self.passes.context;
        self.passes.observe(self.sources[at], |source| multiply(source, right, width, context))
    }

    /// Multiplies by a matrix with a row for each feature.
    pub(super) fn times(&self, right: &[f64], width: usize) -> Result<Numbers> {
        let mut means = vec![0.0; width];
        for (mean, row) in self.mean.iter().zip(right.chunks_exact(width)) {
            means.iter_mut().zip(row).for_each(|(sum, element)| *sum += mean * element);
        }
        let mut right = right.to_vec();
        if let Some(factors) = self.factors {
            scale_rows(&mut right, width, factors);
        }
        if self.sources[0].header().value_type != ValueType::F32 {
            let mut product = self.multiply(0, &right, width)?;
            subtract(&mut product, &means);
            return Ok(Numbers::F64(product));
        }
        let right: Vec<f32> = right.iter().map(|number| Float::of(*number)).collect();
        let mut product = self.multiply(0, &right, width)?;
        subtract(&mut product, &means);
        Ok(Numbers::F32(product))
    }

    /// Multiplies the transposed matrix by one with a row for each observation.
    pub(super) fn transposed_times(&self, right: Numbers, width: usize) -> Result<Vec<f64>> {
        let (sums, mut product) = match right {
            Numbers::F64(right) => {
                (sums_of_columns(&right, width), self.multiply(1, &right, width)?)
            }
            Numbers::F32(right) => {
                let product = self.multiply(1, &right, width)?;
                (sums_of_columns(&right, width), product.into_iter().map(f64::from).collect())
            }
        };
        if let Some(factors) = self.factors {
            scale_rows(&mut product, width, factors);
        }
        for (row, mean) in product.chunks_exact_mut(width).zip(&self.mean) {
            row.iter_mut().zip(&sums).for_each(|(element, sum)| *element -= mean * sum);
        }
        Ok(product)
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
