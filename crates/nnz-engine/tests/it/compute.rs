//! Products, functions of values and principal components, compared with plain loops over dense arrays.

use nnz_core::{Axis, AxisKind, MatrixSource, Order, Scalar, Shape, Values};
use nnz_engine::compute::{
    Aggregation, Computed, Float, PcaOptions, ValueStep, aggregate, multiply, normalizing_factors,
    pca, top_sums,
};
use nnz_engine::{CsMatrix, Dense, ReadOptions, Selection, Slice, Transposed, read_dense};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;

/// A random matrix, and its elements by row.
fn random(
    random: &mut Random,
    rows: usize,
    cols: usize,
    order: Order,
    share: usize,
) -> (CsMatrix, Vec<f64>) {
    let mut elements = vec![0.0; rows * cols];
    let (majors, minors) = if order == Order::Row { (rows, cols) } else { (cols, rows) };
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for major in 0..majors {
        for minor in 0..minors {
            if random.below(100) < share {
                let value = random.below_u32(20);
                let (row, col) = if order == Order::Row { (major, minor) } else { (minor, major) };
                elements[row * cols + col] = f64::from(value);
                indices.push(u32::try_from(minor).unwrap());
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
    }
    let shape = Shape { rows: rows as u64, cols: cols as u64 };
    (CsMatrix::from_parts(shape, order, pointers, indices, values).unwrap(), elements)
}

fn source(matrix: &CsMatrix) -> Box<dyn MatrixSource> {
    matrix.clone().into_source().unwrap()
}

/// Numbers that are exact in any order of summation.
fn integers<T: Float>(random: &mut Random, count: usize) -> Vec<T> {
    (0..count).map(|_| T::of(f64::from(random.below_u32(9)) - 4.0)).collect()
}

fn product(elements: &[f64], cols: usize, dense: &[f64], width: usize) -> Vec<f64> {
    let mut sums = Vec::new();
    for row in elements.chunks(cols.max(1)) {
        for at in 0..width {
            sums.push((0..cols).map(|col| row[col] * dense[col * width + at]).sum());
        }
    }
    sums
}

fn check_products<T: Float>() {
    for case in 0..60 {
        let mut numbers = Random::of("products", case);
        let (rows, cols) = (1 + numbers.below(40), 1 + numbers.below(40));
        let order = *numbers.pick(&[Order::Row, Order::Col]);
        let (matrix, elements) = random(&mut numbers, rows, cols, order, 20);
        let width = *numbers.pick(&[1, 2, 5, 8, 31, 32, 40]);
        let dense: Vec<T> = integers(&mut numbers, cols * width);
        let wide: Vec<f64> = dense.iter().map(|number| (*number).into()).collect();
        let expected = product(&elements, cols, &wide, width);
        for threads in [1, 3] {
            let context = TaskContext::default().with_threads(threads);
            let found = multiply(&*source(&matrix), &dense, width, &context).unwrap();
            let found: Vec<f64> = found.into_iter().map(Into::into).collect();
            assert_eq!(found, expected, "{rows} x {cols}, {width}, {order:?}");
        }
    }
}

#[test]
fn products_are_those_of_dense_arrays() {
    check_products::<f32>();
    check_products::<f64>();
}

#[test]
fn products_do_not_depend_on_the_number_of_threads() {
    let mut numbers = Random::of("threads", 0);
    // Several units of each kind.
    for order in [Order::Row, Order::Col] {
        let (matrix, _) = random(&mut numbers, 900, 700, order, 60);
        let dense: Vec<f32> = (0..700 * 9_u16).map(|n| 1.0 / (f32::from(n) + 0.3)).collect();
        let found = [1, 2, 3, 8].map(|threads| {
            let context = TaskContext::default().with_threads(threads);
            multiply(&*source(&matrix), &dense, 9, &context).unwrap()
        });
        assert!(
            found.iter().all(|one| one
                .iter()
                .map(|x| x.to_bits())
                .eq(found[0].iter().map(|x| x.to_bits())))
        );
    }
}

#[test]
fn products_of_empty_matrices_are_empty() {
    for (rows, cols, width) in [(0, 3, 2), (3, 0, 2), (3, 3, 0)] {
        for order in [Order::Row, Order::Col] {
            let majors = if order == Order::Row { rows } else { cols };
            let shape = Shape { rows, cols };
            let pointers = vec![0; usize::try_from(majors).unwrap() + 1];
            let matrix =
                CsMatrix::from_parts(shape, order, pointers, Vec::<u32>::new(), Vec::<f32>::new());
            let dense = vec![1.0_f64; usize::try_from(cols).unwrap() * width];
            let context = TaskContext::default();
            let found = multiply(&*matrix.unwrap().into_source().unwrap(), &dense, width, &context);
            assert_eq!(found.unwrap(), vec![0.0; usize::try_from(rows).unwrap() * width]);
        }
    }
}

#[test]
fn products_are_refused_if_shapes_or_memory_do_not_fit() {
    let (matrix, _) = random(&mut Random::of("refused", 0), 4, 3, Order::Col, 50);
    let multiplied = |dense: &[f32], width, context: &TaskContext| {
        let found = multiply(&*source(&matrix), dense, width, context);
        found.unwrap_err().to_string()
    };
    let context = TaskContext::default();
    assert!(
        multiplied(&[1.0; 4], 1, &context).contains("4 elements, expected 3 rows of 1 columns")
    );
    assert!(multiplied(&[1.0; 3], usize::MAX, &context).contains("dense matrix"));
    assert!(multiplied(&[1.0; 3], 1, &context.with_memory(8)).contains("memory"));
}

/// Computes the elements of a computed matrix.
fn computed(matrix: &CsMatrix, steps: Vec<ValueStep>) -> Vec<f64> {
    let computed = Computed::new(source(matrix), steps).unwrap();
    let options = ReadOptions::default().order(Order::Row);
    let Dense { values, .. } = read_dense(&computed, &options, &TaskContext::default()).unwrap();
    let Values::F32(values) = values else { panic!("{values:?}") };
    values.into_iter().map(f64::from).collect()
}

/// A function of row, column and value.
type Function<'a> = Box<dyn Fn(usize, usize, f64) -> f64 + 'a>;

#[test]
fn steps_are_functions_of_each_value() {
    for case in 0..20 {
        let mut numbers = Random::of("steps", case);
        let order = *numbers.pick(&[Order::Row, Order::Col]);
        let (matrix, elements) = random(&mut numbers, 13, 9, order, 40);
        let by_row: Vec<f64> = (0..13).map(|row| f64::from(row) - 5.5).collect();
        let by_col: Vec<f64> = (0..9).map(|col| 1.0 / (1.0 + f64::from(col))).collect();
        let cases: Vec<(Vec<ValueStep>, Function<'_>)> = vec![
            (vec![], Box::new(|_, _, x| x)),
            (vec![ValueStep::Scale(0.5)], Box::new(|_, _, x| x * 0.5)),
            (vec![ValueStep::Log1p], Box::new(|_, _, x: f64| x.ln_1p())),
            (vec![ValueStep::Scale(0.2), ValueStep::Expm1], Box::new(|_, _, x| (x * 0.2).exp_m1())),
            (
                vec![ValueStep::LimitAxis(Axis::Cols, by_col.clone().into())],
                Box::new(|_, col, x| x.min(by_col[col])),
            ),
            (
                vec![ValueStep::LimitAxis(Axis::Rows, (0..13).map(f64::from).collect())],
                Box::new(|row, _, x| x.min(f64::from(u32::try_from(row).unwrap()))),
            ),
            (
                vec![ValueStep::ScaleAxis(Axis::Rows, by_row.clone().into()), ValueStep::Abs],
                Box::new(|row, _, x| (x * by_row[row]).abs()),
            ),
            (
                vec![ValueStep::ScaleAxis(Axis::Cols, by_col.clone().into()), ValueStep::Log1p],
                Box::new(|_, col, x| (x * by_col[col]).ln_1p()),
            ),
            (vec![ValueStep::Clip(-1.0, 3.0)], Box::new(|_, _, x| x.clamp(-1.0, 3.0))),
            (vec![ValueStep::Binarize(2.0)], Box::new(|_, _, x| f64::from(x > 2.0))),
        ];
        for (steps, function) in &cases {
            let found = computed(&matrix, steps.clone());
            for (at, (found, element)) in found.iter().zip(&elements).enumerate() {
                let expected = function(at / 9, at % 9, *element);
                let tolerance = 1e-6 * expected.abs().max(1.0);
                assert!((found - expected).abs() <= tolerance, "{steps:?}: {found} {expected}");
            }
        }
    }
}

#[test]
fn steps_under_which_zero_changes_are_refused() {
    let (matrix, _) = random(&mut Random::of("refused", 1), 4, 3, Order::Col, 50);
    for (step, message) in [
        (ValueStep::Clip(1.0, 2.0), "minimum of at most 0"),
        (ValueStep::Clip(f64::NAN, 2.0), "minimum of at most 0"),
        (ValueStep::Binarize(-1.0), "at least 0"),
        (ValueStep::Binarize(f64::NAN), "at least 0"),
        (ValueStep::Scale(f64::INFINITY), "finite"),
        (ValueStep::LimitAxis(Axis::Rows, vec![1.0; 3].into()), "3 limits for 4 rows"),
        (ValueStep::LimitAxis(Axis::Cols, vec![-1.0; 3].into()), "at least 0"),
        (ValueStep::ScaleAxis(Axis::Rows, vec![1.0; 3].into()), "3 factors for 4 rows"),
        (ValueStep::ScaleAxis(Axis::Cols, vec![f64::NAN; 3].into()), "finite"),
    ] {
        let refused = Computed::new(source(&matrix), vec![step.clone()]);
        let found = refused.unwrap_err().to_string();
        assert!(found.contains(message), "{step:?}: {found}");
    }
}

#[test]
fn groups_are_those_of_plain_loops() {
    for case in 0..60 {
        let mut numbers = Random::of("groups", case);
        let (rows, cols) = (numbers.below(30), numbers.below(30));
        let order = *numbers.pick(&[Order::Row, Order::Col]);
        let (matrix, elements) = random(&mut numbers, rows, cols, order, 30);
        let axis = *numbers.pick(&[Axis::Rows, Axis::Cols]);
        let (len, others) = if axis == Axis::Rows { (rows, cols) } else { (cols, rows) };
        let groups = 1 + numbers.below_u32(5);
        let codes: Vec<Option<u32>> =
            (0..len).map(|_| Some(numbers.below_u32(groups + 1)).filter(|c| *c < groups)).collect();
        let functions =
            [Aggregation::Variance, Aggregation::Sum, Aggregation::Mean, Aggregation::CountNonzero];
        for (at, what) in functions.into_iter().enumerate() {
            let mut expected = Vec::new();
            for group in 0..groups {
                let chosen: Vec<usize> = (0..len).filter(|at| codes[*at] == Some(group)).collect();
                for other in 0..others {
                    let element = |at: &usize| match axis {
                        Axis::Rows => elements[at * cols + other],
                        Axis::Cols => elements[other * cols + at],
                    };
                    let sum: f64 = chosen.iter().map(element).sum();
                    let count = chosen.iter().map(element).filter(|x| *x != 0.0).count();
                    expected.push(match what {
                        Aggregation::Sum => sum,
                        Aggregation::Mean => sum / f64::from(u32::try_from(chosen.len()).unwrap()),
                        Aggregation::Variance => {
                            let len = f64::from(u32::try_from(chosen.len()).unwrap());
                            let far = |value: f64| (value - sum / len) * (value - sum / len);
                            let squares: f64 = chosen.iter().map(element).map(far).sum();
                            if len == 0.0 { f64::NAN } else { squares / (len - 1.0) }
                        }
                        _ => f64::from(u32::try_from(count).unwrap()),
                    });
                }
            }
            for threads in [1, 3] {
                let context = TaskContext::default().with_threads(threads);
                let source = source(&matrix);
                // All in one pass, and one alone.
                let mut all =
                    aggregate(&*source, axis, (&codes, groups), &functions, &context).unwrap();
                let found = all.swap_remove(at);
                let alone = aggregate(&*source, axis, (&codes, groups), &[what], &context);
                let bits = |list: &[f64]| list.iter().map(|one| one.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&alone.unwrap()[0]), bits(&found));
                let near = |one: f64, other: f64| match what {
                    Aggregation::Variance => (one - other).abs() <= 1e-9 * other.max(1.0),
                    _ => one == other,
                };
                // A group of one cell has no variance, and an empty one neither.
                let same = found.iter().zip(&expected).all(|(one, other)| {
                    near(*one, *other) || (!one.is_finite() && !other.is_finite())
                });
                assert!(same && found.len() == expected.len(), "{what:?}: {found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn groups_with_infinite_values_do_not_change_others() {
    let shape = Shape { rows: 1, cols: 2 };
    let values = vec![f64::INFINITY, 1.0];
    let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2], vec![0_u32, 1], values);
    let codes = [Some(0), Some(1)];
    let context = TaskContext::default();
    let source = matrix.unwrap().into_source().unwrap();
    let found = aggregate(&*source, Axis::Cols, (&codes, 2), &[Aggregation::Sum], &context);
    assert_eq!(found.unwrap(), [[f64::INFINITY, 1.0]]);
}

#[test]
fn sums_of_integers_that_floats_do_not_have_are_refused() {
    let shape = Shape { rows: 1, cols: 2 };
    let values = vec![1_i64 << 53, 1];
    let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2], vec![0_u32, 1], values);
    let codes = [Some(0), Some(0)];
    let context = TaskContext::default();
    let source = matrix.unwrap().into_source().unwrap();
    let found = |codes: (&[Option<u32>], u32), context: &TaskContext| {
        aggregate(&*source, Axis::Cols, codes, &[Aggregation::Sum], context)
            .unwrap_err()
            .to_string()
    };
    // 2^53 + 1 is rounded to 2^53.
    let message = found((&codes, 1), &context);
    assert!(message.contains("2^53"), "{message}");
    assert!(found((&codes[..1], 1), &context).contains("1 group codes for 2 columns"));
    assert!(
        found((&[Some(7), None], 1), &context)
            .contains("group code 7 is out of bounds: expected less than 1")
    );
    assert!(found((&codes, 1), &context.clone().with_memory(4)).contains("memory"));
}

#[test]
fn large_integers_that_cancel_in_a_sum_are_refused() {
    let shape = Shape { rows: 1, cols: 3 };
    let values = vec![(1_i64 << 53) + 1, -(1_i64 << 53), 7];
    let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 3], vec![0_u32, 1, 2], values);
    let context = TaskContext::default();
    let source = matrix.unwrap().into_source().unwrap();
    let codes = [Some(0), Some(0), Some(1)];
    let found = aggregate(&*source, Axis::Cols, (&codes, 2), &[Aggregation::Sum], &context);
    assert!(found.unwrap_err().to_string().contains("2^53"));
}

#[test]
fn integers_that_the_type_of_a_function_does_not_have_are_refused() {
    let refused = |values: Values| {
        let shape = Shape { rows: 1, cols: 1 };
        let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], values);
        let source = matrix.unwrap().into_source().unwrap();
        let computed = Computed::new(source, vec![ValueStep::Abs]).unwrap();
        read_dense(&computed, &ReadOptions::default(), &TaskContext::default()).map(drop)
    };
    for (values, exact) in [
        (Values::U32(vec![1 << 24]), true),
        (Values::U32(vec![(1 << 24) + 1]), false),
        (Values::Iso(Scalar::U32((1 << 24) + 1)), false),
        (Values::I64(vec![-(1 << 53)]), true),
        (Values::I64(vec![-(1 << 53) - 1]), false),
        (Values::U64(vec![u64::MAX]), false),
        (Values::Iso(Scalar::I64(i64::MIN + 1)), false),
    ] {
        assert_eq!(refused(values.clone()).is_ok(), exact, "{values:?}");
    }
}

#[test]
fn factors_that_are_lost_in_float32_are_refused() {
    let (matrix, _) = random(&mut Random::of("narrow", 0), 4, 3, Order::Col, 50);
    for factor in [1e39, -1e300, 1e-46] {
        let scale = ValueStep::Scale(factor);
        let by_row = ValueStep::ScaleAxis(Axis::Rows, vec![0.0, 1.0, factor, 1.0].into());
        for step in [scale, by_row] {
            let refused = Computed::new(source(&matrix), vec![step]);
            assert!(refused.unwrap_err().to_string().contains("float32"));
        }
    }
}

#[test]
fn components_of_very_large_and_small_values_are_found() {
    let found = [1.0, 1e78, 1e150, 1e-85, 1e-150, 1e-165, 1e-300].map(|scale| {
        let mut numbers = Random::of("extreme", 0);
        let (rows, cols) = (40_u32, 12_u32);
        let values: Vec<f64> =
            (0..rows * cols).map(|_| scale * f64::from(numbers.below_u32(1000))).collect();
        let pointers: Vec<u64> = (0..=rows).map(|row| u64::from(row * cols)).collect();
        let indices: Vec<u32> = (0..rows).flat_map(|_| 0..12).collect();
        let shape = Shape { rows: rows.into(), cols: cols.into() };
        let matrix = CsMatrix::from_parts(shape, Order::Row, pointers, indices, values).unwrap();
        let options = PcaOptions::default().components(5).iterations(Some(8));
        let found =
            pca(&*matrix.into_source().unwrap(), &options, &TaskContext::default()).unwrap();
        found.singular_values.iter().map(|value| value / scale).collect::<Vec<_>>()
    });
    for other in &found[1..] {
        for (one, other) in found[0].iter().zip(other) {
            assert!((one - other).abs() < 1e-6 * one, "{found:?}");
        }
    }
}

#[test]
fn factors_give_all_cells_the_same_sum() {
    let (matrix, elements) = random(&mut Random::of("factors", 0), 12, 10, Order::Col, 40);
    for (target, axis) in [(Some(1e4), Axis::Cols), (None, Axis::Rows)] {
        let source_ = source(&matrix);
        let factors = normalizing_factors(&*source_, axis, target, &TaskContext::default());
        let factors = factors.unwrap();
        let sums: Vec<f64> = match axis {
            Axis::Rows => elements.chunks(10).map(|row| row.iter().sum()).collect(),
            Axis::Cols => (0..10).map(|col| elements.iter().skip(col).step_by(10).sum()).collect(),
        };
        let mut positive: Vec<f64> = sums.iter().copied().filter(|sum| *sum > 0.0).collect();
        positive.sort_by(f64::total_cmp);
        let half = positive.len() / 2;
        let median = if positive.len() % 2 == 1 {
            positive[half]
        } else {
            f64::midpoint(positive[half - 1], positive[half])
        };
        for (sum, factor) in sums.iter().zip(&factors) {
            let expected = if *sum > 0.0 { target.unwrap_or(median) } else { 0.0 };
            assert!((sum * factor - expected).abs() < 1e-9 * expected.max(1.0));
        }
    }
    let refused =
        normalizing_factors(&*source(&matrix), Axis::Rows, Some(0.0), &TaskContext::default());
    assert!(refused.unwrap_err().to_string().contains("expected a positive number"));
}

#[test]
fn sums_that_are_not_finite_are_not_scaled() {
    for value in [f64::NAN, f64::INFINITY] {
        let shape = Shape { rows: 2, cols: 2 };
        let (pointers, indices) = (vec![0, 1, 3], vec![0_u32, 0, 1]);
        let values = vec![1.0, 2.0, value];
        let matrix = CsMatrix::from_parts(shape, Order::Row, pointers, indices, values).unwrap();
        let refused =
            normalizing_factors(&*source(&matrix), Axis::Rows, None, &TaskContext::default());
        let what = format!("the values of row 1 add up to {value}");
        assert!(refused.unwrap_err().to_string().contains(&what));
    }
}

#[test]
fn components_reproduce_a_matrix_of_low_rank() {
    let mut numbers = Random::of("components", 0);
    let (rank, rows, cols) = (4, 60_usize, 30);
    let (left, _) = random(&mut numbers, rows, rank, Order::Row, 80);
    let (right, _) = random(&mut numbers, rank, cols, Order::Row, 80);
    let [left, right] = [&left, &right].map(|matrix| {
        let options = ReadOptions::default().order(Order::Row);
        let Dense { values, .. } =
            read_dense(&*source(matrix), &options, &TaskContext::default()).unwrap();
        let Values::U32(values) = values else { panic!() };
        values.into_iter().map(f64::from).collect::<Vec<_>>()
    });
    let elements = product(&left, rank, &right, cols);
    let mean: Vec<f64> =
        (0..cols).map(|col| elements.iter().skip(col).step_by(cols).sum::<f64>() / 60.0).collect();
    for order in [Order::Row, Order::Col] {
        let shape = Shape { rows: rows as u64, cols: cols as u64 };
        let (majors, minors) = if order == Order::Row { (rows, cols) } else { (cols, rows) };
        let at = |major: usize, minor: usize| {
            if order == Order::Row { (major, minor) } else { (minor, major) }
        };
        let values: Vec<f64> = (0..majors * minors)
            .map(|n| {
                let (row, col) = at(n / minors, n % minors);
                elements[row * cols + col]
            })
            .collect();
        let pointers: Vec<u64> = (0..=majors).map(|major| (major * minors) as u64).collect();
        let indices: Vec<u32> =
            (0..majors * minors).map(|n| u32::try_from(n % minors).unwrap()).collect();
        let matrix = CsMatrix::from_parts(shape, order, pointers, indices, values).unwrap();
        let observed =
            matrix.clone().with_axis_kinds([AxisKind::Unknown; 2]).into_source().unwrap();
        let options = PcaOptions::default().components(rank + 1).iterations(Some(2));
        let found = pca(&*observed, &options, &TaskContext::default()).unwrap();
        // The rank of the centred matrix is at most the rank of the matrix.
        assert!(
            found.singular_values[rank] < 1e-3 * found.singular_values[0],
            "{:?}",
            found.singular_values
        );
        let width = rank + 1;
        let Values::F64(scores) = &found.scores else { panic!("{:?}", found.scores.value_type()) };
        for row in 0..rows {
            for col in 0..cols {
                let terms =
                    (0..width).map(|n| scores[row * width + n] * found.loadings[col * width + n]);
                let expected = elements[row * cols + col];
                let rebuilt = mean[col] + terms.sum::<f64>();
                assert!(
                    (rebuilt - expected).abs() < 1e-2 * expected.abs().max(1.0),
                    "{rebuilt} {expected}"
                );
            }
        }
        // Cells in columns.
        let turned = Transposed::new(Box::new(&*observed));
        let options =
            PcaOptions::default().components(rank + 1).iterations(Some(2)).observations(Axis::Cols);
        let same = pca(&turned, &options, &TaskContext::default().with_threads(3)).unwrap();
        assert_eq!(same, found);
        let options = PcaOptions::default().components(cols + 1);
        assert!(
            pca(&*observed, &options, &TaskContext::default())
                .unwrap_err()
                .to_string()
                .contains("from 1 to 30")
        );
    }
}

/// Entries that do not fit into memory are in a temporary file.
#[test]
fn components_do_not_depend_on_memory() {
    let mut numbers = Random::of("held", 1);
    for order in [Order::Row, Order::Col] {
        let (matrix, _) = random(&mut numbers, 2000, 300, order, 70);
        let options = PcaOptions::default().components(4).iterations(Some(2));
        let found = |memory: u64| {
            let context = TaskContext::default().with_threads(2).with_memory(memory);
            pca(&*source(&matrix), &options, &context).unwrap()
        };
        assert_eq!(found(1 << 22), found(1 << 28));
        if order == Order::Row {
            // Besides the results, there is memory for a sixth of the entries.
            assert_eq!(found(1_300_000), found(1 << 28));
        }
    }
}

#[test]
fn top_sums_are_those_of_sorted_rows() {
    let mut numbers = Random::of("tops", 1);
    for case in 0..60 {
        let (rows, cols) = (1 + numbers.below(30), 1 + numbers.below(60));
        let order = *numbers.pick(&[Order::Row, Order::Col]);
        let (matrix, elements) = random(&mut numbers, rows, cols, order, 40);
        // Floats are sorted, small integers are counted.
        let (counts, halves) = (source(&matrix), vec![ValueStep::Scale(0.37)]);
        let floats = Computed::new(source(&matrix), halves).unwrap();
        let own: [(&dyn MatrixSource, f32); 2] = [(&*counts, 1.0), (&floats, 0.37)];
        let tops = [1, 3, 100, 2];
        for (source, factor) in own {
            let value = |value: f64| f64::from(factor * <f32 as Float>::of(value));
            let (majors, minors) = if order == Order::Row { (rows, cols) } else { (cols, rows) };
            let mut expected = Vec::new();
            for major in 0..majors {
                let at = |minor| match order {
                    Order::Row => elements[major * cols + minor],
                    Order::Col => elements[minor * cols + major],
                };
                let mut all: Vec<f64> = (0..minors).map(|minor| value(at(minor))).collect();
                all.sort_by(|a, b| b.total_cmp(a));
                expected.extend(tops.map(|top| all.iter().take(top).sum::<f64>()));
            }
            for threads in [1, 3] {
                let context = TaskContext::default().with_threads(threads);
                assert_eq!(top_sums(source, &tops, &context).unwrap(), expected, "case {case}");
            }
        }
    }
}

/// The subspace starts again after some steps, and does not grow with their number.
#[test]
fn many_iterations_make_components_precise() {
    let mut numbers = Random::of("iterations", 1);
    let (matrix, _) = random(&mut numbers, 400, 350, Order::Row, 30);
    let values = |iterations: usize| {
        let options = PcaOptions::default().components(10).iterations(Some(iterations));
        pca(&*source(&matrix), &options, &TaskContext::default()).unwrap().singular_values
    };
    // 11 blocks of 32 columns are all features.
    let exact = pca(
        &*source(&matrix),
        &PcaOptions::default().components(340).iterations(Some(1)),
        &TaskContext::default(),
    )
    .unwrap()
    .singular_values;
    for (found, exact) in values(60).iter().zip(&exact) {
        assert!((found / exact - 1.0).abs() < 1e-6, "{found} is not {exact}");
    }
    for (few, exact) in values(2).iter().zip(&exact) {
        assert!(few / exact > 0.8 && few / exact < 1.0 + 1e-9, "{few} is far from {exact}");
    }
}

/// Rows and columns are selected before values are computed, with the factors that belong to them.
#[test]
fn components_of_selected_computed_values_are_those_of_the_values() {
    let mut numbers = Random::of("selected", 1);
    for order in [Order::Row, Order::Col] {
        let (matrix, _) = random(&mut numbers, 400, 90, order, 40);
        let mut factors = |count: usize| -> std::sync::Arc<[f64]> {
            (0..count).map(|_| f64::from(1 + numbers.below_u32(8)) / 4.0).collect()
        };
        let steps = vec![
            ValueStep::ScaleAxis(Axis::Rows, factors(400)),
            ValueStep::LimitAxis(Axis::Cols, factors(90).iter().map(|limit| 9.0 * limit).collect()),
            ValueStep::Log1p,
        ];
        let computed = Computed::new(source(&matrix), steps).unwrap();
        // Neither is in order.
        let rows = Selection::ranges([300..400, 20..260]);
        let cols = Selection::ranges([50..90, 3..20]);
        let slice = Slice::new(Box::new(computed), &rows, &cols).unwrap();
        let last = vec![ValueStep::ScaleAxis(Axis::Cols, factors(57))];
        let chain = Computed::new(Box::new(slice), last).unwrap();
        let context = TaskContext::default().with_threads(2);
        let plain = nnz_engine::read(&chain, &ReadOptions::default(), &context).unwrap();
        let options = PcaOptions::default().components(5).observations(Some(Axis::Rows));
        let expected = pca(&*source(&plain), &options, &context).unwrap();
        for memory in [1 << 20, 1 << 28] {
            let found = pca(&chain, &options, &context.clone().with_memory(memory)).unwrap();
            let close = |found: &[f64], expected: &[f64]| {
                found.len() == expected.len()
                    && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3)
            };
            assert!(close(&found.singular_values, &expected.singular_values), "{order} {memory}");
            assert!(close(&found.mean, &expected.mean), "{order} {memory}");
            assert!(close(&[found.total_variance], &[expected.total_variance]));
            assert!(close(&found.loadings, &expected.loadings), "{order} {memory}");
        }
    }
}
