//! Principal components of a matrix.

use nnz_core::{Axis, Error, MatrixSource, Result, Unscaled, ValueType, Values};
use nnz_storage::TaskContext;

use super::centred::{Centred, Passes};
use super::float::Float;
use super::held::hold;
use super::krylov::Subspace;
use super::linear_algebra::{eigen, gram, multiply_in_place, power_of_two, product};
use super::totals::cell_axis;
use crate::Transposed;

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
    /// The number of iterations; by default as many as it takes until all components are precise. Each is a pass over the entries, or
    /// two if they are not stored by observation; there are four more.
    pub iterations: Option<usize>,
    /// The seed of the random numbers to begin with.
    pub seed: u64,
}

nnz_core::setters! {
    PcaOptions {
        components: usize,
        observations: Option<Axis>,
        iterations: Option<usize>,
        seed: u64,
    }
}

/// 50 precise components.
impl Default for PcaOptions {
    fn default() -> Self {
        Self { components: 50, observations: None, iterations: None, seed: 0 }
    }
}

/// The result of [`pca`]. Matrices are stored by row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pca {
    /// A row for each observation, and a column for each component: of type `f32` if the values are, otherwise `f64`.
    pub scores: Values,
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
    let width = (components + MORE).next_multiple_of(8).min(least);
    let size = if header.value_type == ValueType::F32 { 4 } else { 8 };
    let one_pass = header.order.major() == axis;
    // The scores, or a product in the order of the iterations; and the columns so far, and as many sums.
    let of_observations = if one_pass { components } else { 2 * width };
    let fixed = (observations as u64)
        .saturating_mul(size * of_observations as u64)
        .saturating_add((features as u64).saturating_mul(6 * 8 * width as u64));
    let each = (features as u64).saturating_mul(4 * 8).max(1);
    let fit = context.result_memory().saturating_sub(fixed) / each;
    let most = Subspace::most_columns(features, width, options);
    // With fewer columns, it only takes more passes.
    let most = most.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(most.min(2 * width));
    let needed = fixed.saturating_add(each.saturating_mul(most as u64));
    if needed > context.result_memory() {
        let kind = nnz_core::ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    let count = options.iterations.map(|iterations| {
        let steps = iterations.saturating_add(1);
        steps.saturating_mul(if one_pass { 1 } else { 2 }).saturating_add(3)
    });
    let passes = Passes::new(context, count);
    // Factors of features are those of the columns that it is multiplied by, too.
    let usable = |found: &Unscaled<'_>| found.axis != axis && are_moderate(&found.factors);
    let scaled = source.unscaled().filter(usable);
    let difference = scaled.as_ref().map_or(source, |found| &*found.source).as_difference();
    let (inner, removed) = match difference {
        Some((inner, removed)) => (Some(inner), Some(removed)),
        None => (None, None),
    };
    let base = inner.as_ref().map_or(source, |inner| &**inner);
    let held = hold(base, &passes.next(), needed, context);
    let held = held.map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    let unscaled = held.unscaled().filter(|found| removed.is_none() && usable(found));
    let (source, factors) = match (&unscaled, &scaled) {
        (Some(Unscaled { source, factors, .. }), _) => (&**source, Some(&**factors)),
        (None, Some(found)) if removed.is_some() => (&*held, Some(&*found.factors)),
        _ => (&*held, None),
    };
    let removed =
        removed.map(|removed| if axis == Axis::Rows { removed } else { removed.transposed() });
    let transposed = Transposed::new(Box::new(source));
    let [by_observation, by_feature]: [&dyn MatrixSource; 2] = match axis {
        Axis::Rows => [source, &transposed],
        Axis::Cols => [&transposed, source],
    };
    let centred = Centred::new([by_observation, by_feature], factors, removed, &passes)?;

    let subspace = Subspace::find(&centred, features, (width, most), options)?;
    // The others were for the precision of these.
    let width = components;
    let basis = subspace.best(width);
    drop(subspace);
    let scores = centred.times(&basis, width)?;
    let (mean, total_variance) = (centred.mean(), centred.total_variance());
    let rotated = match scores {
        Values::F32(scores) => rotated(scores, width, components).map(floats),
        Values::F64(scores) => rotated(scores, width, components).map(floats),
        _ => None,
    };
    let Some((scores, vectors, singular_values)) = rotated else {
        let what = "values are not finite or too large to compute principal components";
        return Err(Error::unsupported(place.clone(), what));
    };
    let loadings = product(&basis, width, &vectors, components);
    let mut found = Pca { scores, loadings, singular_values, mean, total_variance };
    found.orient();
    Ok(found)
}

/// Scores, a matrix of as many columns as components by which `width` columns were multiplied, and singular values.
type Rotated<T> = (Vec<T>, Vec<f64>, Vec<f64>);

fn floats<T: Float>((scores, vectors, values): Rotated<T>) -> (Values, Vec<f64>, Vec<f64>) {
    (T::wrap(scores), vectors, values)
}

/// Rotates products so that they are those with the components; `None` if they are not finite.
fn rotated<T: Float>(mut scores: Vec<T>, width: usize, components: usize) -> Option<Rotated<T>> {
    let is_finite = |score: &T| -> bool { (*score).into().is_finite() };
    if !scores.iter().all(is_finite) {
        return None;
    }
    let scale = power_of_two(&scores);
    let (_, vectors) = eigen(gram(&scores, width, scale), width);
    let some = vectors.chunks_exact(width).flat_map(|row| &row[..components]);
    let vectors: Vec<f64> = some.copied().collect();
    multiply_in_place(&mut scores, width, &vectors, components);
    scores.shrink_to_fit();
    // The lengths of the columns. Square roots of eigenvalues would have half of the digits where they are small.
    let mut squares = vec![0.0; components];
    for row in scores.chunks_exact(components) {
        for (square, score) in squares.iter_mut().zip(row) {
            let score = (*score).into() / scale;
            *square += score * score;
        }
    }
    let values = squares.into_iter().map(|square: f64| square.sqrt() * scale);
    Some((scores, vectors, values.collect()))
}

impl Pca {
    /// Returns the variance of each component.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "it rounds")]
    pub fn explained_variance(&self) -> Vec<f64> {
        let observations = self.scores.len().unwrap_or(0) / self.singular_values.len().max(1);
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
        let signs = largest.iter().map(|largest| if *largest < 0.0 { -1.0 } else { 1.0 });
        let signs: Vec<f64> = signs.collect();
        multiply_columns(&mut self.loadings, &signs);
        match &mut self.scores {
            Values::F32(scores) => multiply_columns(scores, &signs),
            Values::F64(scores) => multiply_columns(scores, &signs),
            _ => {}
        }
    }
}

/// Multiplies each column of a matrix by a factor.
fn multiply_columns<T: Float>(matrix: &mut [T], factors: &[f64]) {
    for row in matrix.chunks_exact_mut(factors.len().max(1)) {
        for (element, factor) in row.iter_mut().zip(factors) {
            *element = T::of((*element).into() * factor);
        }
    }
}

/// Returns whether products with factors are far from the limits of `f32`.
fn are_moderate(factors: &[f64]) -> bool {
    factors.iter().all(|factor| *factor == 0.0 || (1e-12..1e12).contains(&factor.abs()))
}
