//! A block Krylov method with Rayleigh-Ritz.

use nnz_core::Result;

use super::centred::Centred;
use super::linear_algebra::{
    by_row, column_of, dot, eigen, extend_orthonormal, gram, power_of_two, product,
};
use super::pca::PcaOptions;
use crate::random::Random;

/// Residuals of components, as a fraction of their eigenvalues, that are small.
const PRECISION: f64 = 0.05;

/// Maximum number of iterations, if the options do not say how many.
const MOST_ITERATIONS: usize = 40;

/// Columns that are multiplied together.
const BLOCK: usize = 32;

/// Orthonormal columns with a row for each feature, which nearly span the first components.
#[derive(Default)]
pub(super) struct Subspace {
    columns: Vec<Vec<f64>>,
    /// The images of the columns under the transposed matrix times the matrix, all divided by one number.
    images: Vec<Vec<f64>>,
}

impl Subspace {
    /// Finds the columns: random ones are multiplied by the matrix and its transpose, what is new in the result again, and so
    /// on, until the components are precise, or as often as the options say. `most` columns are kept.
    pub(super) fn find(
        centred: &Centred<'_>,
        features: usize,
        (width, most): (usize, usize),
        options: &PcaOptions,
    ) -> Result<Self> {
        let mut block = block(features, width, options);
        let mut random = Random::new(options.seed);
        let mut next = random.numbers(features.saturating_mul(block));
        let mut found = Self::default();
        let mut scale = None;
        for _ in 0..steps(options) {
            let known = found.columns.len();
            if known + block > most && most < features {
                // It starts again from the best columns, so that the subspace does not grow with the number of steps. If there may be
                // as many columns as features, they span everything in the end.
                let (_, weights) = found.weights(width);
                (next, block) = (found.basis(&weights, width), width);
                found = Self::default();
            }
            let known = found.columns.len();
            extend_orthonormal(&mut found.columns, &next, block, |rows| random.numbers(rows));
            let added = found.columns.len() - known;
            if added == 0 {
                break;
            }
            next = centred.gram_times(&by_row(&found.columns[known..]), added)?;
            // Products of very large or small numbers are not floats, so all are divided by the same.
            let scale = *scale.get_or_insert_with(|| power_of_two(&next));
            next.iter_mut().for_each(|element| *element /= scale);
            found.images.extend((0..added).map(|at| column_of(&next, added, at)));
            block = added;
            if options.iterations.is_none()
                && found.is_precise(added, options.components, centred.rounding())
            {
                break;
            }
        }
        Ok(found)
    }

    /// Returns whether the residuals of the first components are small: what the matrix makes of them, minus their multiples. An
    /// eigenvalue is at most that far from the one that was found. Residuals are not smaller than the products are rounded: to a fraction
    /// of the first eigenvalue.
    fn is_precise(&self, added: usize, components: usize, rounding: f64) -> bool {
        let (size, known) = (self.columns.len(), self.columns.len() - added);
        let (values, weights) = self.weights(components);
        // Images of columns that came before are combinations of the columns.
        let mut rest = self.images[known..].to_vec();
        for column in &mut rest {
            for other in &self.columns {
                let along = dot(column, other);
                column.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let rest = gram(&by_row(&rest), added, 1.0);
        let width = components.min(size);
        (0..width).all(|at| {
            let weight = |row: usize| weights[(known + row) * width + at];
            let of_row = |row: usize| -> f64 {
                (0..added).map(|col| rest[row * added + col] * weight(col)).sum()
            };
            let square: f64 = (0..added).map(|row| weight(row) * of_row(row)).sum();
            let residual = square.max(0.0).sqrt();
            // NaN would stay.
            residual.is_nan()
                || residual <= PRECISION * values[at].abs() + rounding * values[0].abs()
        })
    }

    /// Returns the most columns that there can be.
    pub(super) fn most_columns(features: usize, width: usize, options: &PcaOptions) -> usize {
        let all = block(features, width, options).saturating_mul(steps(options));
        (8 * BLOCK).max(2 * width).min(all).min(features)
    }

    /// Returns the `width` best columns.
    pub(super) fn best(&self, width: usize) -> Vec<f64> {
        self.basis(&self.weights(width).1, width)
    }

    /// Returns the eigenvalues of the `width` best combinations of all columns, and the weights of the columns in them.
    fn weights(&self, width: usize) -> (Vec<f64>, Vec<f64>) {
        let size = self.columns.len();
        let mut small = vec![0.0; size * size];
        for (row, column) in self.columns.iter().enumerate() {
            for (col, image) in self.images.iter().enumerate() {
                let product: f64 = column.iter().zip(image).map(|(a, b)| a * b).sum();
                small[row * size + col] += 0.5 * product;
                small[col * size + row] += 0.5 * product;
            }
        }
        let (values, vectors) = eigen(small, size);
        let best = vectors.chunks_exact(size).flat_map(|row| &row[..width.min(size)]);
        (values, best.copied().collect())
    }

    /// Returns combinations of the columns.
    fn basis(&self, weights: &[f64], width: usize) -> Vec<f64> {
        product(&by_row(&self.columns), self.columns.len(), weights, width)
    }
}

/// Returns the greatest number of products with the matrix.
fn steps(options: &PcaOptions) -> usize {
    options.iterations.unwrap_or(MOST_ITERATIONS).saturating_add(1)
}

/// Returns the number of columns that are multiplied together.
fn block(features: usize, width: usize, options: &PcaOptions) -> usize {
    BLOCK.max(width.div_ceil(steps(options)).next_multiple_of(8)).min(features)
}
