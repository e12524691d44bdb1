//! Linear algebra with few columns, in 64-bit floats. Matrices are stored by row.

use super::float::Float;

/// The most rounds of rotations, of which a symmetric matrix takes about ten.
const ROUNDS: usize = 60;

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
///
/// The previous columns are subtracted twice, as the first time leaves errors if columns are nearly dependent.
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
            let before = norm(&column);
            for _ in 0..2 {
                for other in &*columns {
                    let along: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                    column.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
                }
            }
            let after = norm(&column);
            if after > before * 1e-12 && after > 0.0 {
                column.iter_mut().for_each(|element| *element /= after);
                break;
            }
            column = fresh(rows);
        }
        columns.push(column);
    }
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

/// Returns the eigenvalues of a symmetric matrix, in descending order, and the eigenvectors as columns.
pub(super) fn eigen(mut matrix: Vec<f64>, width: usize) -> (Vec<f64>, Vec<f64>) {
    let at = |row: usize, col: usize| row * width + col;
    let mut vectors = vec![0.0; width * width];
    (0..width).for_each(|n| vectors[at(n, n)] = 1.0);
    for _ in 0..ROUNDS {
        let squares = |is_diagonal| {
            let all = matrix.iter().enumerate();
            let some = all.filter(|(at, _)| (at / width == at % width) == is_diagonal);
            some.map(|(_, element)| element * element).sum::<f64>()
        };
        // NaN is not greater either.
        let goes_on = squares(false) > squares(true) * 1e-30;
        if !goes_on {
            break;
        }
        // Jacobi rotations make one element after the other zero.
        for p in 0..width {
            for q in p + 1..width {
                let off = matrix[at(p, q)];
                if off == 0.0 {
                    continue;
                }
                let theta = (matrix[at(q, q)] - matrix[at(p, p)]) / (2.0 * off);
                let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = tangent * cosine;
                for n in 0..width {
                    let (a, b) = (matrix[at(n, p)], matrix[at(n, q)]);
                    matrix[at(n, p)] = cosine * a - sine * b;
                    matrix[at(n, q)] = sine * a + cosine * b;
                }
                for n in 0..width {
                    let (a, b) = (matrix[at(p, n)], matrix[at(q, n)]);
                    matrix[at(p, n)] = cosine * a - sine * b;
                    matrix[at(q, n)] = sine * a + cosine * b;
                }
                for n in 0..width {
                    let (a, b) = (vectors[at(n, p)], vectors[at(n, q)]);
                    vectors[at(n, p)] = cosine * a - sine * b;
                    vectors[at(n, q)] = sine * a + cosine * b;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|a, b| matrix[at(*b, *b)].total_cmp(&matrix[at(*a, *a)]));
    let values = order.iter().map(|n| matrix[at(*n, *n)]).collect();
    let rows = (0..width).flat_map(|row| order.iter().map(move |col| at(row, *col)));
    let sorted = rows.map(|place| vectors[place]).collect();
    (values, sorted)
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
