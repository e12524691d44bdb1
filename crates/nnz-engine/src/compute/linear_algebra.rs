//! Linear algebra with few columns, in 64-bit floats. Matrices are stored by row.

use super::float::Float;

/// Returns the products of all pairs of columns, each divided by a number: the transposed matrix times the matrix.
pub(super) fn gram<T: Float>(matrix: &[T], width: usize, divisor: f64) -> Vec<f64> {
    let mut sums = vec![0.0; width * width];
    let mut divided = vec![0.0; width];
    for row in matrix.chunks_exact(width) {
        for (divided, element) in divided.iter_mut().zip(row) {
            *divided = (*element).into() / divisor;
        }
        for (factor, sums) in divided.iter().zip(sums.chunks_exact_mut(width)) {
            sums.iter_mut().zip(&divided).for_each(|(sum, element)| *sum += factor * element);
        }
    }
    sums
}

/// Returns `a b`, where `a` has `inner` and `b` has `width` columns.
pub(super) fn product(a: &[f64], inner: usize, b: &[f64], width: usize) -> Vec<f64> {
    let mut result = vec![0.0; a.len() / inner.max(1) * width];
    for (sums, row) in result.chunks_exact_mut(width).zip(a.chunks_exact(inner)) {
        add_row(row, b, sums);
    }
    result
}

/// Returns the transposed matrix `a` times `b`, of as many rows.
pub(super) fn product_of_transposed<T: Float>(
    a: &[f64],
    inner: usize,
    b: &[T],
    width: usize,
) -> Vec<f64> {
    let mut result = vec![0.0; inner * width];
    for (row, other) in a.chunks_exact(inner.max(1)).zip(b.chunks_exact(width.max(1))) {
        for (factor, sums) in row.iter().zip(result.chunks_exact_mut(width)) {
            sums.iter_mut()
                .zip(other)
                .for_each(|(sum, element)| *sum += factor * (*element).into());
        }
    }
    result
}

/// Subtracts the product of `left`, by row, `right`, by column, and a matrix from another product.
pub(super) fn subtract_product<T: Float, U: Float>(
    from: &mut [T],
    [left, right]: [&[f64]; 2],
    rank: usize,
    matrix: &[U],
    width: usize,
) {
    let between = product_of_transposed(right, rank, matrix, width);
    for (row, weights) in from.chunks_exact_mut(width.max(1)).zip(left.chunks_exact(rank.max(1))) {
        for (at, element) in row.iter_mut().enumerate() {
            let terms = weights.iter().zip(between.iter().skip(at).step_by(width));
            let change: f64 = terms.map(|(a, b)| a * b).sum();
            *element = T::of((*element).into() - change);
        }
    }
}

/// Adds a row, multiplied by a matrix of as many columns as `sums` has.
fn add_row(row: &[f64], matrix: &[f64], sums: &mut [f64]) {
    let width = sums.len();
    for (factor, other) in row.iter().zip(matrix.chunks_exact(width)) {
        sums.iter_mut().zip(other).for_each(|(sum, element)| *sum += factor * element);
    }
}

/// Replaces a matrix of `inner` columns by its product with one of `width` columns, of which there are not more.
pub(super) fn multiply_in_place<T: Float>(
    matrix: &mut Vec<T>,
    inner: usize,
    other: &[f64],
    width: usize,
) {
    let (mut row, mut sums) = (vec![0.0; inner], vec![0.0; width]);
    let rows = matrix.len() / inner.max(1);
    for at in 0..rows {
        for (number, element) in row.iter_mut().zip(&matrix[at * inner..][..inner]) {
            *number = (*element).into();
        }
        sums.fill(0.0);
        add_row(&row, other, &mut sums);
        for (element, sum) in matrix[at * width..][..width].iter_mut().zip(&sums) {
            *element = T::of(*sum);
        }
    }
    matrix.truncate(rows * width);
}

/// Returns a column of a matrix.
pub(super) fn column_of(matrix: &[f64], width: usize, at: usize) -> Vec<f64> {
    matrix.iter().skip(at).step_by(width).copied().collect()
}

/// Returns a matrix of columns.
pub(super) fn by_row(columns: &[Vec<f64>]) -> Vec<f64> {
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows).flat_map(|row| columns.iter().map(move |column| column[row])).collect()
}

/// Appends the columns of a matrix to orthonormal ones, and makes them orthonormal, too. A column that depends on the previous
/// ones is replaced by another, which `fresh` returns. There are at most as many columns as rows.
pub(super) fn extend_orthonormal(
    columns: &mut Vec<Vec<f64>>,
    matrix: &[f64],
    width: usize,
    mut fresh: impl FnMut(usize) -> Vec<f64>,
) {
    let rows = matrix.len() / width.max(1);
    for at in 0..width.min(rows - columns.len()) {
        let mut column = column_of(matrix, width, at);
        // There are fewer columns than rows, so a random one is independent, if not the first.
        for _ in 0..MOST_FRESH {
            if is_independent(columns, &mut column) {
                break;
            }
            column = fresh(rows);
        }
        columns.push(column);
    }
}

/// Returns orthonormal columns that span others.
pub(super) fn orthonormal<'a>(others: impl IntoIterator<Item = &'a Vec<f64>>) -> Vec<Vec<f64>> {
    let mut columns = Vec::new();
    for other in others {
        let mut column = other.clone();
        if is_independent(&columns, &mut column) {
            columns.push(column);
        }
    }
    columns
}

/// Makes a column orthogonal to orthonormal ones and normal. Returns whether anything but rounding errors was left.
///
/// The other columns are subtracted twice, as the first time leaves errors if columns are nearly dependent.
fn is_independent(columns: &[Vec<f64>], column: &mut [f64]) -> bool {
    let before = norm(column);
    for _ in 0..2 {
        for other in columns {
            let along = dot(column, other);
            column.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
    }
    let after = norm(column);
    let is_independent = after > before * 1e-12 && after > 0.0;
    if is_independent {
        column.iter_mut().for_each(|element| *element /= after);
    }
    is_independent
}

/// Returns the power of two by which the greatest number has to be divided to be between 1 and 2; 1 for zeros, and if a number is
/// not finite.
pub(super) fn power_of_two<T: Float>(numbers: &[T]) -> f64 {
    /// The exponents of which both powers are normal numbers.
    const MOST: i32 = 1022;
    let numbers = numbers.iter().map(|number| -> f64 { (*number).into() });
    let greatest = numbers.clone().fold(0.0_f64, |greatest, number| greatest.max(number.abs()));
    if greatest == 0.0 || numbers.clone().any(|number| !number.is_finite()) {
        return 1.0;
    }
    #[allow(clippy::cast_possible_truncation, reason = "exponents of floats are small")]
    let exponent = (greatest.log2().floor() as i32).clamp(-MOST, MOST);
    2.0_f64.powi(exponent)
}

/// Maximum number of replacements of a column.
const MOST_FRESH: usize = 5;

fn norm(column: &[f64]) -> f64 {
    column.iter().map(|element| element * element).sum::<f64>().sqrt()
}

/// Maximum number of rounds for one eigenvalue; a few are enough, unless a number is not finite.
const ROUNDS: usize = 60;

/// Returns the eigenvalues of a symmetric matrix, in descending order, and the eigenvectors as columns.
pub(super) fn eigen(matrix: Vec<f64>, width: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut values, mut off_diagonal, mut basis) = tridiagonal(matrix, width);
    diagonalize(&mut values, &mut off_diagonal, &mut basis);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    let vectors = (0..width).flat_map(|row| order.iter().map(move |at| at * width + row));
    let vectors = vectors.map(|place| basis[place]).collect();
    (order.iter().map(|at| values[*at]).collect(), vectors)
}

/// Returns the diagonal, the elements beside it and the basis of a tridiagonal matrix that is similar to a symmetric one. A row of the
/// basis is a vector of it.
fn tridiagonal(mut matrix: Vec<f64>, width: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut off_diagonal = vec![0.0; width];
    // Reflections that make the elements of a column zero that are not beside the diagonal.
    let mut reflections = Vec::with_capacity(width);
    let mut products = vec![0.0; width];
    for at in 0..width.saturating_sub(1) {
        let mut vector: Vec<f64> = (at + 1..width).map(|row| matrix[row * width + at]).collect();
        let length = norm(&vector);
        let beside = if vector[0] > 0.0 { -length } else { length };
        off_diagonal[at] = beside;
        vector[0] -= beside;
        let square: f64 = vector.iter().map(|element| element * element).sum();
        let factor = if square > 0.0 { 2.0 / square } else { 0.0 };
        let rest = &mut matrix[(at + 1) * width..];
        for (product, row) in products.iter_mut().zip(rest.chunks_exact(width)) {
            *product = factor * dot(&row[at + 1..], &vector);
        }
        let half = factor / 2.0 * dot(&products[..vector.len()], &vector);
        products.iter_mut().zip(&vector).for_each(|(product, element)| *product -= half * element);
        for (row, (a, b)) in rest.chunks_exact_mut(width).zip(vector.iter().zip(&products)) {
            for (element, (c, d)) in row[at + 1..].iter_mut().zip(products.iter().zip(&vector)) {
                *element -= a * c + b * d;
            }
        }
        reflections.push((factor, vector));
    }
    let mut basis = vec![0.0; width * width];
    (0..width).for_each(|at| basis[at * width + at] = 1.0);
    for (at, (factor, vector)) in reflections.iter().enumerate().rev() {
        for row in basis.chunks_exact_mut(width) {
            let along = factor * dot(&row[at + 1..], vector);
            row[at + 1..].iter_mut().zip(vector).for_each(|(a, b)| *a -= along * b);
        }
    }
    let diagonal = (0..width).map(|at| matrix[at * width + at]).collect();
    (diagonal, off_diagonal, basis)
}

/// Makes a tridiagonal matrix diagonal by the QL method with implicit shifts, and rotates the rows of its basis.
fn diagonalize(diagonal: &mut [f64], off_diagonal: &mut [f64], basis: &mut [f64]) {
    let width = diagonal.len();
    for first in 0..width {
        for _ in 0..ROUNDS {
            let is_zero = |at: &usize| {
                let around = diagonal[*at].abs() + diagonal[at + 1].abs();
                off_diagonal[*at].abs() <= f64::EPSILON * around
            };
            let last = (first..width - 1).find(is_zero).unwrap_or(width - 1);
            if last == first {
                break;
            }
            let half = (diagonal[first + 1] - diagonal[first]) / (2.0 * off_diagonal[first]);
            let root = half + half.hypot(1.0).copysign(half);
            let mut shifted = diagonal[last] - diagonal[first] + off_diagonal[first] / root;
            let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
            let mut is_split = false;
            for at in (first..last).rev() {
                let (above, beside) = (sine * off_diagonal[at], cosine * off_diagonal[at]);
                let length = f64::hypot(above, shifted);
                off_diagonal[at + 1] = length;
                if length == 0.0 {
                    diagonal[at + 1] -= moved;
                    off_diagonal[last] = 0.0;
                    is_split = true;
                    break;
                }
                (sine, cosine) = (above / length, shifted / length);
                let before = diagonal[at + 1] - moved;
                let change = (diagonal[at] - before) * sine + 2.0 * cosine * beside;
                moved = sine * change;
                diagonal[at + 1] = before + moved;
                shifted = cosine * change - beside;
                let (upper, lower) = basis[at * width..].split_at_mut(width);
                for (a, b) in upper.iter_mut().zip(&mut lower[..width]) {
                    (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
                }
            }
            if !is_split {
                diagonal[first] -= moved;
                off_diagonal[first] = shifted;
                off_diagonal[last] = 0.0;
            }
        }
    }
}

/// Returns the sum of products.
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_diagonalize() {
        for width in [1, 2, 5, 30] {
            let next =
                |n: usize| f64::from(u32::try_from(n * 7919 % 1009).unwrap_or(0)) / 1009.0 - 0.5;
            let a: Vec<f64> = (0..(width + 3) * width).map(next).collect();
            let matrix = gram(&a, width, 1.0);
            let (values, vectors) = eigen(matrix.clone(), width);
            assert!(values.is_sorted_by(|a, b| a >= b));
            let left = product(&matrix, width, &vectors, width);
            for (left, right) in left.chunks(width).zip(vectors.chunks(width)) {
                for ((left, right), value) in left.iter().zip(right).zip(&values) {
                    assert!((left - right * value).abs() < 1e-12 * values[0].max(1.0));
                }
            }
        }
    }

    #[test]
    fn columns_become_orthonormal() {
        let width = 4;
        // The last column is the sum of two others.
        let row = |n: f64| [n.sin(), (2.0 * n).cos(), n, n.sin() + n];
        let columns: Vec<f64> = (0..50).flat_map(|n| row(f64::from(n))).collect();
        let mut orthonormal = Vec::new();
        extend_orthonormal(&mut orthonormal, &columns, width, |rows| {
            (0..rows)
                .map(|row| f64::from(u32::try_from(row * row % 17).unwrap_or(0)) - 8.0)
                .collect()
        });
        let found = gram(&by_row(&orthonormal), width, 1.0);
        for (at, element) in found.iter().enumerate() {
            let expected = if at / width == at % width { 1.0 } else { 0.0 };
            assert!((element - expected).abs() < 1e-12, "{found:?}");
        }
    }
}
