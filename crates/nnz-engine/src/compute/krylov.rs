//! A block Krylov method with Rayleigh-Ritz.

use nnz_core::Result;

use super::linear_algebra::{by_row, column_of, eigen, extend_orthonormal, power_of_two, product};
use super::pca::{Centred, PcaOptions};
use crate::random::Random;

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
    /// on.
    pub(super) fn find(
        centred: &Centred<'_>,
        features: usize,
        width: usize,
        options: &PcaOptions,
    ) -> Result<Self> {
        let most = Self::most_columns(features, width, options);
        let mut block = block(features, width, options);
        let mut random = Random::new(options.seed);
        let mut next = random.numbers(features.saturating_mul(block));
        let mut found = Self::default();
        let mut scale = None;
        for _ in 0..=options.iterations {
            let known = found.columns.len();
            if known + block > most && known < features {
                // It starts again from the best columns, so that the subspace does not grow with the number of steps.
                (next, block) = (found.basis(&found.weights(width), width), width);
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
        }
        Ok(found)
    }

    /// Returns the most columns that there can be.
    pub(super) fn most_columns(features: usize, width: usize, options: &PcaOptions) -> usize {
        let all = block(features, width, options).saturating_mul(steps(options));
        (8 * BLOCK).max(2 * width).min(all).min(features)
    }

    /// Returns the `width` best columns.
    pub(super) fn best(&self, width: usize) -> Vec<f64> {
        self.basis(&self.weights(width), width)
    }

    /// Returns the weights of all columns in the `width` best combinations of them.
    fn weights(&self, width: usize) -> Vec<f64> {
        let size = self.columns.len();
        let mut small = vec![0.0; size * size];
        for (row, column) in self.columns.iter().enumerate() {
            for (col, image) in self.images.iter().enumerate() {
                let product: f64 = column.iter().zip(image).map(|(a, b)| a * b).sum();
                small[row * size + col] += 0.5 * product;
                small[col * size + row] += 0.5 * product;
            }
        }
        let (_, vectors) = eigen(small, size);
        vectors.chunks_exact(size).flat_map(|row| &row[..width.min(size)]).copied().collect()
    }

    /// Returns combinations of the columns.
    fn basis(&self, weights: &[f64], width: usize) -> Vec<f64> {
        product(&by_row(&self.columns), self.columns.len(), weights, width)
    }
}

/// Returns the number of products with the matrix.
fn steps(options: &PcaOptions) -> usize {
    options.iterations.saturating_add(1)
}

/// Returns the number of columns that are multiplied together.
fn block(features: usize, width: usize, options: &PcaOptions) -> usize {
    BLOCK.max(width.div_ceil(steps(options)).next_multiple_of(8)).min(features)
}
