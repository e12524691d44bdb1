//! Quantiles, ranks and residuals, compared with plain loops over dense arrays.

use nnz_core::{Axis, MatrixSource, Order, Shape, Values};
use nnz_engine::compute::{
    Computed, PcaOptions, PearsonOptions, QuantileMethod, ValueStep, multiply, pca,
    pearson_residuals, quantiles, ranks, regress_out,
};
use nnz_engine::{CsMatrix, Dense, ReadOptions, Transposed, read_dense};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;

/// A random matrix with some negative values, zeros and equal values, and its elements by row.
fn random(
    numbers: &mut Random,
    (rows, cols): (usize, usize),
    order: Order,
    value: impl Fn(&mut Random) -> f64,
) -> (CsMatrix, Vec<f64>) {
    let mut elements = vec![0.0; rows * cols];
    let (majors, minors) = if order == Order::Row { (rows, cols) } else { (cols, rows) };
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let share = numbers.below(101);
    for major in 0..majors {
        for minor in 0..minors {
            if numbers.below(100) < share {
                let value = value(numbers);
                let (row, col) = if order == Order::Row { (major, minor) } else { (minor, major) };
                elements[row * cols + col] = value;
                indices.push(u32::try_from(minor).unwrap());
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
    }
    let shape = Shape { rows: rows as u64, cols: cols as u64 };
    (CsMatrix::from_parts(shape, order, pointers, indices, values).unwrap(), elements)
}

fn small(numbers: &mut Random) -> f64 {
    f64::from(numbers.below_u32(9)) - 3.0
}

fn source(matrix: &CsMatrix) -> Box<dyn MatrixSource> {
    matrix.clone().into_source().unwrap()
}

fn dense(source: &dyn MatrixSource, context: &TaskContext) -> Vec<f64> {
    let options = ReadOptions::default().order(Order::Row);
    let Dense { values, .. } = read_dense(source, &options, context).unwrap();
    match values {
        Values::F64(values) => values,
        Values::F32(values) => values.into_iter().map(f64::from).collect(),
        _ => panic!("{:?}", values.value_type()),
    }
}

/// The elements of each row or column.
fn lines(elements: &[f64], cols: usize, axis: Axis) -> Vec<Vec<f64>> {
    match axis {
        Axis::Rows => elements.chunks(cols).map(<[f64]>::to_vec).collect(),
        Axis::Cols => (0..cols)
            .map(|col| elements.iter().skip(col).step_by(cols).copied().collect())
            .collect(),
    }
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let difference = (found - expected).abs();
        assert!(difference <= 1e-9 * expected.abs().max(1.0), "{what}: {found} {expected}");
    }
}

/// Some cases: a random matrix in an order, its elements, and a number of threads.
fn cases(
    name: &str,
    value: impl Fn(&mut Random) -> f64 + Copy,
    mut check: impl FnMut(&mut Random, &CsMatrix, (&[f64], usize, usize), &TaskContext, &str),
) {
    for case in 0..40 {
        let mut numbers = Random::of(name, case);
        let (rows, cols) = (1 + numbers.below(30), 1 + numbers.below(30));
        let order = *numbers.pick(&[Order::Row, Order::Col]);
        let (matrix, elements) = random(&mut numbers, (rows, cols), order, value);
        let context = TaskContext::default().with_threads(1 + numbers.below(3));
        let what = format!("case {case}, {rows} x {cols}, {order:?}");
        check(&mut numbers, &matrix, (&elements, rows, cols), &context, &what);
    }
}

#[test]
fn quantiles_are_those_of_sorted_elements() {
    cases("quantiles", small, |numbers, matrix, (elements, _, cols), context, what| {
        let axis = *numbers.pick(&[Axis::Rows, Axis::Cols]);
        let wanted = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0];
        for (name, method) in QuantileMethod::ALL {
            let found = quantiles(&*source(matrix), axis, &wanted, method, context).unwrap();
            for (at, mut line) in lines(elements, cols, axis).into_iter().enumerate() {
                line.sort_by(f64::total_cmp);
                #[allow(clippy::cast_precision_loss)]
                let len = line.len() as f64;
                let [alpha, beta] = match name {
                    "interpolated_inverted_cdf" => [0.0, 1.0],
                    "hazen" => [0.5, 0.5],
                    "weibull" => [0.0, 0.0],
                    "linear" => [1.0, 1.0],
                    "median_unbiased" => [1.0 / 3.0, 1.0 / 3.0],
                    _ => [3.0 / 8.0, 3.0 / 8.0],
                };
                for (quantile, values) in wanted.iter().zip(&found.values) {
                    let place = len * quantile + alpha + quantile * (1.0 - alpha - beta) - 1.0;
                    let place = place.clamp(0.0, len - 1.0);
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                    let [low, high] = [place.floor() as usize, place.ceil() as usize];
                    let expected = line[low] + (line[high] - line[low]) * place.fract();
                    assert_near(&[values[at]], &[expected], &format!("{what} {name} {quantile}"));
                }
            }
        }
    });
}

#[test]
fn quantiles_of_empty_and_undefined_lines_are_not_numbers() {
    let matrix = |rows: u64, cols: u64, values: Vec<f64>| {
        let ends = (0..rows).map(|_| values.len() as u64);
        let pointers: Vec<u64> = std::iter::once(0).chain(ends).collect();
        let shape = Shape { rows, cols };
        let indices: Vec<u32> = (0..u32::try_from(values.len()).unwrap()).collect();
        CsMatrix::from_parts(shape, Order::Row, pointers, indices, values).unwrap()
    };
    let of = |matrix: &CsMatrix, axis| {
        let method = QuantileMethod::default();
        let found = quantiles(&*source(matrix), axis, &[0.5], method, &TaskContext::default());
        found.unwrap().values.remove(0)
    };
    assert!(of(&matrix(2, 0, vec![]), Axis::Rows).iter().all(|value| value.is_nan()));
    assert!(of(&matrix(2, 0, vec![]), Axis::Cols).is_empty());
    assert!(of(&matrix(0, 3, vec![]), Axis::Rows).is_empty());
    assert_eq!(of(&matrix(2, 3, vec![]), Axis::Rows), [0.0, 0.0]);
    assert!(of(&matrix(1, 3, vec![1.0, f64::NAN]), Axis::Rows)[0].is_nan());
    let infinite = matrix(1, 3, vec![f64::INFINITY, f64::INFINITY, 1.0]);
    assert_eq!(of(&infinite, Axis::Rows), [f64::INFINITY]);
    for wrong in [-0.1, 1.5, f64::NAN] {
        let method = QuantileMethod::default();
        let (source, context) = (source(&infinite), TaskContext::default());
        let error = quantiles(&*source, Axis::Rows, &[wrong], method, &context).unwrap_err();
        assert!(error.to_string().contains("expected 0 to 1"), "{error}");
    }
}

/// Ranks, with the mean of equal values, minus the rank of zero.
fn ranked(line: &[f64]) -> Vec<f64> {
    #[allow(clippy::cast_precision_loss)]
    let count = |is: &dyn Fn(f64) -> bool| line.iter().filter(|value| is(**value)).count() as f64;
    let rank = |value: f64| {
        count(&|other| other < value) + f64::midpoint(count(&|other| other == value), 1.0)
    };
    let zero = rank(0.0);
    line.iter().map(|value| rank(*value) - zero).collect()
}

#[test]
fn ranks_are_those_of_plain_loops() {
    cases("ranks", small, |numbers, matrix, (elements, rows, cols), context, what| {
        let axis = *numbers.pick(&[Axis::Rows, Axis::Cols]);
        let found = ranks(source(matrix), axis, context).unwrap();
        let expected: Vec<Vec<f64>> =
            lines(elements, cols, axis).iter().map(|line| ranked(line)).collect();
        let at = |n: usize| match axis {
            Axis::Rows => expected[n / cols][n % cols],
            Axis::Cols => expected[n % cols][n / cols],
        };
        let expected: Vec<f64> = (0..rows * cols).map(at).collect();
        // Twice, as it is read more than once.
        assert_eq!(dense(&*found, context), expected, "{what} {axis:?}");
        assert_eq!(dense(&*found, context), expected, "{what} {axis:?}");
    });
    let values = vec![1.0, f64::NAN];
    let shape = Shape { rows: 1, cols: 2 };
    let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2], vec![0_u32, 1], values);
    let context = TaskContext::default();
    let found = ranks(matrix.unwrap().into_source().unwrap(), Axis::Rows, &context).unwrap();
    let error = read_dense(&*found, &ReadOptions::default(), &context).unwrap_err();
    assert!(error.to_string().contains("NaN: it has no rank"), "{error}");
}

#[test]
fn pearson_residuals_are_those_of_plain_loops() {
    let count = |numbers: &mut Random| f64::from(numbers.below_u32(7));
    cases("pearson", count, |numbers, matrix, (elements, rows, cols), context, what| {
        let clip = *numbers.pick(&[None, Some(0.5), Some(100.0)]);
        let options = PearsonOptions::default().theta(10.0).clip(clip);
        let cells = *numbers.pick(&[Axis::Rows, Axis::Cols]);
        let found = pearson_residuals(source(matrix), cells, &options, context).unwrap();
        let sums = |axis| -> Vec<f64> {
            lines(elements, cols, axis).iter().map(|line| line.iter().sum()).collect()
        };
        let (of_rows, of_cols) = (sums(Axis::Rows), sums(Axis::Cols));
        let total: f64 = of_rows.iter().sum();
        #[allow(clippy::cast_precision_loss)]
        let cells = if cells == Axis::Rows { rows as f64 } else { cols as f64 };
        let clip = clip.unwrap_or(cells.sqrt());
        let residual = |n: usize| {
            let mean = of_rows[n / cols] * of_cols[n % cols] / total;
            let residual = (elements[n] - mean) / (mean + mean * mean / 10.0).sqrt();
            if mean > 0.0 { residual.clamp(-clip, clip) } else { 0.0 }
        };
        let expected: Vec<f64> = (0..rows * cols).map(residual).collect();
        assert_near(&dense(&*found, context), &expected, what);
    });
}

/// Subtracts the projection on covariates and a constant from each column.
fn regressed(elements: &[f64], cols: usize, covariates: &[Vec<f64>]) -> Vec<f64> {
    let rows = elements.len() / cols;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for covariate in std::iter::once(&vec![1.0; rows]).chain(covariates) {
        let mut vector = covariate.clone();
        let before: f64 = vector.iter().map(|a| a * a).sum();
        for _ in 0..3 {
            for other in &basis {
                let along: f64 = vector.iter().zip(other).map(|(a, b)| a * b).sum();
                vector.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = vector.iter().map(|a| a * a).sum::<f64>().sqrt();
        if length > 1e-9 * before.sqrt() {
            basis.push(vector.iter().map(|a| a / length).collect());
        }
    }
    let mut residuals = elements.to_vec();
    for col in 0..cols {
        for vector in &basis {
            let along: f64 = (0..rows).map(|row| residuals[row * cols + col] * vector[row]).sum();
            (0..rows).for_each(|row| residuals[row * cols + col] -= along * vector[row]);
        }
    }
    residuals
}

#[test]
fn residuals_of_a_regression_and_their_products_are_those_of_plain_loops() {
    cases("regression", small, |numbers, matrix, (elements, rows, cols), context, what| {
        let count = numbers.below(4);
        let mut covariates: Vec<Vec<f64>> = (0..count)
            .map(|_| (0..rows).map(|_| f64::from(numbers.below_u32(50)) / 7.0).collect())
            .collect();
        // One that others determine.
        if let Some(first) = covariates.first() {
            covariates.push(first.iter().map(|number| 2.0 * number + 1.0).collect());
        }
        let expected = regressed(elements, cols, &covariates);
        let found = regress_out(source(matrix), Axis::Rows, &covariates, context).unwrap();
        assert_near(&dense(&*found, context), &expected, what);
        let right: Vec<f64> = (0..cols * 2).map(|_| f64::from(numbers.below_u32(9))).collect();
        let product = multiply(&*found, &right, 2, context).unwrap();
        let times = |row: usize, at: usize| -> f64 {
            (0..cols).map(|col| expected[row * cols + col] * right[col * 2 + at]).sum()
        };
        let by_loops: Vec<f64> = (0..rows * 2).map(|n| times(n / 2, n % 2)).collect();
        assert_near(&product, &by_loops, what);
        // Of the transposed matrix.
        let turned = Transposed::new(Box::new(&*found));
        let right: Vec<f64> = (0..rows).map(|_| f64::from(numbers.below_u32(9))).collect();
        let product = multiply(&turned, &right, 1, context).unwrap();
        let times = |col: usize| -> f64 {
            (0..rows).map(|row| expected[row * cols + col] * right[row]).sum()
        };
        assert_near(&product, &(0..cols).map(times).collect::<Vec<_>>(), what);
    });
}

/// Components are found without forming the residuals, and are the same as those of the dense matrix.
#[test]
fn components_of_residuals_are_those_of_a_dense_matrix() {
    for order in [Order::Row, Order::Col] {
        let mut numbers = Random::of("components of residuals", 1);
        let (matrix, elements) =
            random(&mut numbers, (200, 40), order, |numbers| f64::from(numbers.below_u32(20)));
        let covariate: Vec<f64> = (0..200).map(|_| f64::from(numbers.below_u32(50))).collect();
        let factors: std::sync::Arc<[f64]> =
            (0..40).map(|_| f64::from(1 + numbers.below_u32(8)) / 4.0).collect();
        let context = TaskContext::default().with_threads(2);
        let residuals = regressed(&elements, 40, std::slice::from_ref(&covariate));
        let scaled: Vec<f64> =
            residuals.iter().enumerate().map(|(n, value)| value * factors[n % 40]).collect();
        let shape = Shape { rows: 200, cols: 40 };
        let expected = Dense { shape, order: Order::Row, values: scaled.into() };
        let options = PcaOptions::default().components(6).observations(Some(Axis::Rows));
        let expected = pca(&*expected.into_source().unwrap(), &options, &context).unwrap();
        let found = regress_out(source(&matrix), Axis::Rows, &[covariate], &context).unwrap();
        let found = Computed::new(found, vec![ValueStep::ScaleAxis(Axis::Cols, factors)]).unwrap();
        let found = pca(&found, &options, &context).unwrap();
        assert_near(&found.singular_values, &expected.singular_values, "singular values");
        assert_near(&[found.total_variance], &[expected.total_variance], "variance");
        assert_near(&found.mean, &[0.0; 40], "means");
        for (found, expected) in found.loadings.iter().zip(&expected.loadings) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}

/// By default, all components are precise, also where their values are nearly the same.
#[test]
fn components_are_precise_by_default() {
    let mut numbers = Random::of("precise", 1);
    let (matrix, _) =
        random(&mut numbers, (900, 400), Order::Row, |numbers| f64::from(numbers.below_u32(20)));
    let values = |components: usize| {
        let options = PcaOptions::default().components(components);
        pca(&*source(&matrix), &options, &TaskContext::default()).unwrap().singular_values
    };
    let exact = values(390);
    for (at, (found, exact)) in values(30).iter().zip(&exact).enumerate() {
        assert!(found / exact > 0.99 && found / exact < 1.0 + 1e-9, "{at}: {found} is not {exact}");
    }
}

/// With nearly as many components as half of the features, or more, the same random columns were multiplied again and again.
#[test]
fn components_of_few_features_are_precise() {
    for features in [8_usize, 40, 60, 80, 100, 120, 130] {
        let mut numbers = Random::of("few features", features as u64);
        let draw = |numbers: &mut Random| f64::from(numbers.below_u32(6));
        let (matrix, _) = random(&mut numbers, (300, features), Order::Row, draw);
        let found = |components: usize, iterations: Option<usize>| {
            let options = PcaOptions::default().components(components).iterations(iterations);
            pca(&*source(&matrix), &options, &TaskContext::default()).unwrap()
        };
        let exact = found(features, None);
        let sum: f64 = exact.explained_variance().iter().sum();
        assert!((sum / exact.total_variance - 1.0).abs() < 1e-9, "{features}: {sum}");
        for components in [1, features / 8, features / 4, features / 3, features / 2, features - 1]
        {
            for iterations in [None, Some(30)] {
                let values = found(components, iterations).singular_values;
                for (at, (found, exact)) in values.iter().zip(&exact.singular_values).enumerate() {
                    let ratio = found / exact;
                    let is_near = (0.99..1.0 + 1e-9).contains(&ratio);
                    assert!(is_near, "{features}, {components}, {at}: {found} is not {exact}");
                }
            }
        }
    }
}

/// A regression without observations has no columns, not even a constant, and was a panic.
#[test]
fn residuals_and_ranks_of_no_observations_or_features_are_empty() {
    let context = TaskContext::default();
    for (rows, cols) in [(0, 3), (3, 0), (0, 0)] {
        for order in [Order::Row, Order::Col] {
            let shape = Shape { rows, cols };
            let majors = usize::try_from(shape.major(order)).unwrap();
            let (pointers, indices) = (vec![0; majors + 1], Vec::<u32>::new());
            let matrix =
                CsMatrix::from_parts(shape, order, pointers, indices, Vec::<f32>::new()).unwrap();
            for axis in [Axis::Rows, Axis::Cols] {
                let covariate = vec![1.0; usize::try_from(shape.len(axis)).unwrap()];
                let left = regress_out(source(&matrix), axis, &[covariate], &context).unwrap();
                assert!(dense(&*left, &context).is_empty());
                let width = 2;
                let right = vec![1.0_f32; usize::try_from(cols).unwrap() * width];
                let product = multiply(&*left, &right, width, &context).unwrap();
                assert_eq!(product, vec![0.0; usize::try_from(rows).unwrap() * width]);
                let options = PearsonOptions::default();
                let found = pearson_residuals(source(&matrix), axis, &options, &context).unwrap();
                assert!(dense(&*found, &context).is_empty());
                assert!(
                    dense(&*ranks(source(&matrix), axis, &context).unwrap(), &context).is_empty()
                );
            }
        }
    }
}
