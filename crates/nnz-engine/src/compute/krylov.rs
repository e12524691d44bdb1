//! A block Krylov method with Rayleigh-Ritz.

use nnz_core::Result;

use super::float::Float;
use super::linear_algebra::{
    add_product, by_row, column_of, eigen, extend_orthonormal, power_of_two, product,
};
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
    /// The products of the matrix and the columns, of a block after the other.
    scores: Vec<Scores>,
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
        let mut scales = None;
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
            let scores = centred.times(&by_row(&found.columns[known..]), added)?;
            // Squares of very large or small numbers are not floats, so all are divided by the same.
            let (of_scores, of_images) =
                *scales.get_or_insert_with(|| (scores.power_of_two(), None));
            next = centred.transposed_times(scores.divided(of_scores), added)?;
            found.scores.push(Scores { width: added, numbers: scores });
            let of_images = of_images.unwrap_or_else(|| power_of_two(&next));
            scales = Some((of_scores, Some(of_images)));
            next.iter_mut().for_each(|element| *element /= of_images);
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

    /// Returns the `width` best columns, and the product of the matrix with them, by row.
    pub(super) fn best(&self, width: usize) -> (Vec<f64>, Vec<f64>) {
        let weights = self.weights(width);
        let rows = self.scores.first().map_or(0, Scores::rows);
        let mut scores = vec![0.0; rows * width];
        let mut weights_left = &weights[..];
        for block in &self.scores {
            let (of_block, left) = weights_left.split_at(block.width * width);
            block.add_product(of_block, width, &mut scores);
            weights_left = left;
        }
        (self.basis(&weights, width), scores)
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

/// A row for each observation.
struct Scores {
    width: usize,
    numbers: Numbers,
}

impl Scores {
    fn rows(&self) -> usize {
        let len = match &self.numbers {
            Numbers::F32(all) => all.len(),
            Numbers::F64(all) => all.len(),
        };
        len / self.width.max(1)
    }

    /// Adds the product with a matrix of `width` columns.
    fn add_product(&self, matrix: &[f64], width: usize, sums: &mut [f64]) {
        match &self.numbers {
            Numbers::F32(all) => add_product(all, self.width, matrix, width, sums),
            Numbers::F64(all) => add_product(all, self.width, matrix, width, sums),
        }
    }
}

/// Numbers in floats of as many bits as the values of the matrix.
pub(super) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Numbers {
    fn power_of_two(&self) -> f64 {
        match self {
            Self::F32(all) => power_of_two(all),
            Self::F64(all) => power_of_two(all),
        }
    }

    /// Divides by a power of two.
    fn divided(&self, power: f64) -> Self {
        match self {
            Self::F32(all) => {
                Self::F32(all.iter().map(|one| Float::of(f64::from(*one) / power)).collect())
            }
            Self::F64(all) => Self::F64(all.iter().map(|one| one / power).collect()),
        }
    }
}
