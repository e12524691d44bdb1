//! Principal components of a matrix.

use std::cell::Cell;

use nnz_core::{Axis, Error, MatrixSource, Result, ValueType};
use nnz_storage::TaskContext;

use super::float::Float;
use super::held::Held;
use super::linear_algebra::{
    by_row, column_of, eigen, extend_orthonormal, gram, power_of_two, product, scale_to_one,
};
use super::product::multiply;
use super::totals::cell_axis;
use crate::random::Random;
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
    /// The number of iterations, of two passes over the entries each; there are five more.
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

/// Columns that are multiplied together.
const BLOCK: usize = 32;

/// The part of the memory that entries may take.
const HELD: u64 = 2;

/// Computes the first principal components of a matrix, whose features are centred, by a randomized block
/// Krylov method. The centred matrix is not formed. The result is the same for any number of threads.
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
    // Sums, products and the result, each of two arrays.
    let width = (components + MORE).next_multiple_of(8).min(least);
    // The columns of the subspace and their images, each in two orders.
    let (_, most) = subspace(features, width, options);
    let needed = ((observations.saturating_add(features)) as u64)
        .saturating_mul(6 * 8 * width as u64)
        .saturating_add((features as u64).saturating_mul(4 * 8 * most as u64));
    if needed > context.result_memory() {
        let kind = nnz_core::ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    // They are read about ten times.
    let passes = Passes {
        context,
        done: Cell::new(0),
        count: options.iterations.saturating_mul(2).saturating_add(5),
    };
    let held = passes
        .observe(source, |source| Held::read(source, context.memory() / HELD, context))
        .map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    let held = held.map(|batches| Held::new(source, batches));
    let source = held.as_ref().map_or(source, |held| held as &dyn MatrixSource);
    let transposed = Transposed::new(Box::new(source));
    let [by_observation, by_feature]: [&dyn MatrixSource; 2] = match axis {
        Axis::Rows => [source, &transposed],
        Axis::Cols => [&transposed, source],
    };
    let centred = Centred::new([by_observation, by_feature], &passes)?;

    let basis = krylov(&centred, features, width, options)?;
    let mut scores = centred.times(&basis, width, Precision::Full)?;
    if scores.iter().any(|score| !score.is_finite()) {
        let what = "values are not finite or too large to compute principal components";
        return Err(Error::unsupported(place.clone(), what));
    }
    let scale = scale_to_one(&mut scores);
    let (values, vectors) = eigen(gram(&scores, width), width);
    let vectors: Vec<f64> =
        vectors.chunks_exact(width).flat_map(|row| &row[..components]).copied().collect();
    let mut found = Pca {
        scores: product(&scores, width, &vectors, components),
        loadings: product(&basis, width, &vectors, components),
        singular_values: values[..components]
            .iter()
            .map(|value| value.max(0.0).sqrt() * scale)
            .collect(),
        mean: centred.mean,
        total_variance: centred.total_variance,
    };
    found.scores.iter_mut().for_each(|score| *score *= scale);
    found.orient();
    Ok(found)
}

/// Returns `width` orthonormal columns with a row for each feature, which nearly span the first components: block Krylov with
/// Rayleigh-Ritz. Random columns are multiplied by the matrix and its transpose, what is new in the result again, and so on; the
/// columns are the best in the subspace that all of these span.
fn krylov(
    centred: &Centred<'_>,
    features: usize,
    width: usize,
    options: &PcaOptions,
) -> Result<Vec<f64>> {
    let (mut block, most) = subspace(features, width, options);
    let mut random = Random::new(options.seed);
    let mut next = random.numbers(features.saturating_mul(block));
    let (mut columns, mut images) = (Vec::new(), Vec::new());
    let mut scales = None;
    for _ in 0..=options.iterations {
        if columns.len() + block > most && columns.len() < features {
            // It starts again from the best columns, so that the subspace does not grow with the number of steps.
            (next, block) = (ritz(&columns, &images, width), width);
            columns.clear();
            images.clear();
        }
        let known = columns.len();
        extend_orthonormal(&mut columns, &next, block, |rows| random.numbers(rows));
        let added = columns.len() - known;
        if added == 0 {
            break;
        }
        let mut scores = centred.times(&by_row(&columns[known..]), added, Precision::OfValues)?;
        // Squares of very large or small numbers are not floats, so all are divided by the same.
        let (of_scores, of_images) = *scales.get_or_insert_with(|| (power_of_two(&scores), None));
        scores.iter_mut().for_each(|score| *score /= of_scores);
        next = centred.transposed_times(&scores, added, Precision::OfValues)?;
        let of_images = of_images.unwrap_or_else(|| power_of_two(&next));
        scales = Some((of_scores, Some(of_images)));
        next.iter_mut().for_each(|element| *element /= of_images);
        images.extend((0..added).map(|at| column_of(&next, added, at)));
        block = added;
    }
    Ok(ritz(&columns, &images, width))
}

/// Returns the number of columns that are multiplied together, and the most that span the subspace.
fn subspace(features: usize, width: usize, options: &PcaOptions) -> (usize, usize) {
    let steps = options.iterations.saturating_add(1);
    let block = BLOCK.max(width.div_ceil(steps).next_multiple_of(8)).min(features);
    let most = (8 * BLOCK).max(2 * width).min(block.saturating_mul(steps)).min(features);
    (block, most)
}

/// Returns the `width` best columns of the subspace of orthonormal columns, of which `images` are the images under a symmetric
/// matrix.
fn ritz(columns: &[Vec<f64>], images: &[Vec<f64>], width: usize) -> Vec<f64> {
    let size = columns.len();
    let mut small = vec![0.0; size * size];
    for (row, column) in columns.iter().enumerate() {
        for (col, image) in images.iter().enumerate() {
            let product: f64 = column.iter().zip(image).map(|(a, b)| a * b).sum();
            small[row * size + col] += 0.5 * product;
            small[col * size + row] += 0.5 * product;
        }
    }
    let (_, vectors) = eigen(small, size);
    let vectors: Vec<f64> =
        vectors.chunks_exact(size).flat_map(|row| &row[..width.min(size)]).copied().collect();
    product(&by_row(columns), size, &vectors, width)
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
        self.done.set(self.done.get() + 1);
        let what = format!("computing, pass {} of {}", self.done.get(), self.count);
        pass(&Observed::new(source, &what, self.context.progress()))
    }
}

/// In which floats products are computed.
#[derive(Clone, Copy, PartialEq)]
enum Precision {
    /// Of 64 bits.
    Full,
    /// Of as many bits as the values, which is enough to find directions.
    OfValues,
}

/// A matrix of observations by features, minus the mean of each feature.
struct Centred<'a> {
    /// By observation and by feature.
    sources: [&'a dyn MatrixSource; 2],
    passes: &'a Passes<'a>,
    mean: Vec<f64>,
    total_variance: f64,
}

impl<'a> Centred<'a> {
    fn new(sources: [&'a dyn MatrixSource; 2], passes: &'a Passes<'a>) -> Result<Self> {
        let stats_options = StatsOptions::default().cols(true).measures(Measures::Variance);
        let moments = passes
            .observe(sources[0], |source| stats(source, &stats_options, passes.context))?
            .cols
            .unwrap_or_default();
        let mean = moments.iter().map(|of| of.total.map_or(0.0, |total| total.mean)).collect();
        let variances = moments.iter().map(|of| of.spread.map_or(0.0, |spread| spread.variance));
        let total_variance = variances.sum();
        Ok(Self { sources, passes, mean, total_variance })
    }

    /// Multiplies a source.
    fn multiply(
        &self,
        at: usize,
        right: &[f64],
        width: usize,
        precision: Precision,
    ) -> Result<Vec<f64>> {
        let context = self.passes.context;
        self.passes.observe(self.sources[at], |source| {
            if precision == Precision::Full || source.header().value_type != ValueType::F32 {
                return multiply(source, right, width, context);
            }
            let right: Vec<f32> = right.iter().map(|number| Float::of(*number)).collect();
            let product = multiply(source, &right, width, context)?;
            Ok(product.into_iter().map(f64::from).collect())
        })
    }

    /// Multiplies by a matrix with a row for each feature.
    fn times(&self, right: &[f64], width: usize, precision: Precision) -> Result<Vec<f64>> {
        let mut product = self.multiply(0, right, width, precision)?;
        let mut mean = vec![0.0; width];
        for (factor, row) in self.mean.iter().zip(right.chunks_exact(width)) {
            mean.iter_mut().zip(row).for_each(|(sum, element)| *sum += factor * element);
        }
        for row in product.chunks_exact_mut(width) {
            row.iter_mut().zip(&mean).for_each(|(element, mean)| *element -= mean);
        }
        Ok(product)
    }

    /// Multiplies the transposed matrix by one with a row for each observation.
    fn transposed_times(
        &self,
        right: &[f64],
        width: usize,
        precision: Precision,
    ) -> Result<Vec<f64>> {
        let mut product = self.multiply(1, right, width, precision)?;
        let mut sums = vec![0.0; width];
        for row in right.chunks_exact(width) {
            sums.iter_mut().zip(row).for_each(|(sum, element)| *sum += element);
        }
        for (row, mean) in product.chunks_exact_mut(width).zip(&self.mean) {
            row.iter_mut().zip(&sums).for_each(|(element, sum)| *element -= mean * sum);
        }
        Ok(product)
    }
}
