//! Markers of groups, compared with plain loops over dense arrays.

use nnz_core::{Axis, Duplicates, MatrixSource, Order, Shape};
use nnz_engine::compute::{Computed, MarkerOptions, MarkerTest, Markers, ValueStep, markers};
use nnz_engine::{CsMatrix, Transposed};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;

/// Elements of cells by features, by cell.
struct Elements {
    cells: usize,
    features: usize,
    all: Vec<f64>,
}

impl Elements {
    /// Random values: some negative, many zero, and most of them several times.
    fn random(random: &mut Random, cells: usize, features: usize) -> Self {
        let value = |random: &mut Random| match random.below(10) {
            0 => -f64::from(random.below_u32(4)) / 4.0,
            1..5 => f64::from(random.below_u32(6)) / 4.0,
            _ => 0.0,
        };
        let all = (0..cells * features).map(|_| value(random)).collect();
        Self { cells, features, all }
    }

    /// Returns the matrix, stored by cell or by feature. Every third zero is stored.
    fn matrix(&self, by_cell: bool) -> CsMatrix {
        let order = if by_cell { Order::Row } else { Order::Col };
        let (majors, minors) =
            if by_cell { (self.cells, self.features) } else { (self.features, self.cells) };
        let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for major in 0..majors {
            for minor in 0..minors {
                let (cell, feature) = if by_cell { (major, minor) } else { (minor, major) };
                let value = self.all[cell * self.features + feature];
                if value != 0.0 || (cell + feature) % 3 == 0 {
                    indices.push(u32::try_from(minor).unwrap());
                    values.push(value);
                }
            }
            pointers.push(indices.len() as u64);
        }
        let shape = Shape { rows: self.cells as u64, cols: self.features as u64 };
        CsMatrix::from_parts(shape, order, pointers, indices, values).unwrap()
    }

    fn feature(&self, feature: usize) -> Vec<f64> {
        self.all.iter().skip(feature).step_by(self.features).copied().collect()
    }
}

fn source(matrix: &CsMatrix) -> Box<dyn MatrixSource> {
    matrix.clone().into_source().unwrap()
}

#[allow(clippy::cast_precision_loss, reason = "small numbers")]
fn number(count: usize) -> f64 {
    count as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / number(values.len())
}

/// Scores of the Wilcoxon test, by counting the values that are less or equal.
fn rank_sum_score(own: &[f64], rest: &[f64], tie_correction: bool) -> f64 {
    let all = [own, rest].concat();
    let count = |test: &dyn Fn(f64) -> bool| number(all.iter().filter(|one| test(**one)).count());
    let rank = |value: f64| count(&|one| one < value) + (count(&|one| one == value) + 1.0) / 2.0;
    let ranks: f64 = own.iter().map(|value| rank(*value)).sum();
    let [n, m, total] = [own.len(), rest.len(), all.len()].map(number);
    let ties: f64 = all.iter().map(|value| count(&|one| one == *value).powi(2) - 1.0).sum();
    let correction =
        if tie_correction { 1.0 - ties / (total * (total * total - 1.0)) } else { 1.0 };
    let deviation = (correction * n * m * (total + 1.0) / 12.0).sqrt();
    let score = (ranks - n * (total + 1.0) / 2.0) / deviation;
    if score.is_nan() { 0.0 } else { score }
}

/// Scores of the t-test.
fn t_score(own: &[f64], rest: &[f64]) -> f64 {
    let part = |values: &[f64]| {
        let center = mean(values);
        let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
        squares / number(values.len().max(2) - 1) / number(values.len())
    };
    let score = (mean(own) - mean(rest)) / (part(own) + part(rest)).sqrt();
    if score.is_nan() { 0.0 } else { score }
}

fn fraction(values: &[f64]) -> f64 {
    number(values.iter().filter(|value| **value != 0.0).count()) / number(values.len())
}

/// Groups of at least two cells; some cells have none.
fn random_codes(random: &mut Random, cells: usize, groups: u32) -> Vec<Option<u32>> {
    let code = |cell: usize, random: &mut Random| {
        // The first cells give each group two.
        let own = u32::try_from(cell / 2).unwrap();
        if own < groups {
            Some(own)
        } else {
            Some(random.below_u32(groups + 1)).filter(|c| *c < groups)
        }
    };
    (0..cells).map(|cell| code(cell, random)).collect()
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let near = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
    assert!(near || found == expected, "{what}: {found} {expected}");
}

fn bits(markers: &Markers) -> Vec<u64> {
    let lists = [
        &markers.scores,
        &markers.p_values,
        &markers.adjusted_p_values,
        &markers.log2_fold_changes,
        &markers.fractions,
        &markers.rest_fractions,
    ];
    lists.into_iter().flatten().map(|number| number.to_bits()).collect()
}

#[test]
fn markers_are_those_of_plain_loops() {
    for case in 0..80 {
        let mut numbers = Random::of("markers", case);
        let groups = 1 + numbers.below_u32(4);
        let cells = 2 * groups as usize + 1 + numbers.below(40);
        let elements = {
            let features = numbers.below(12);
            Elements::random(&mut numbers, cells, features)
        };
        let codes = random_codes(&mut numbers, cells, groups);
        if codes.iter().all(|code| *code == Some(0)) {
            continue;
        }
        for (test, tie_correction) in
            [(MarkerTest::Wilcoxon, true), (MarkerTest::Wilcoxon, false), (MarkerTest::TTest, true)]
        {
            let options = MarkerOptions::default().test(test).tie_correction(tie_correction);
            let context = TaskContext::default();
            let find = |source: &dyn MatrixSource, axis| {
                markers(source, axis, (&codes, groups), &options, &context).unwrap()
            };
            let found = find(&*source(&elements.matrix(false)), Axis::Rows);
            assert!(found.sorting_seconds.is_none());
            let by_cell = find(&*source(&elements.matrix(true)), Axis::Rows);
            assert!(by_cell.sorting_seconds.is_some() && bits(&by_cell) == bits(&found));
            let transposed = Transposed::new(source(&elements.matrix(true)));
            assert_eq!(bits(&find(&transposed, Axis::Cols)), bits(&found));
            for group in 0..groups {
                for feature in 0..elements.features {
                    let values = elements.feature(feature);
                    let pairs = values.iter().zip(&codes);
                    let (own, rest): (Vec<_>, Vec<_>) =
                        pairs.partition(|(_, code)| **code == Some(group));
                    let [own, rest] = [own, rest]
                        .map(|all| all.into_iter().map(|(value, _)| *value).collect::<Vec<_>>());
                    let at = group as usize * elements.features + feature;
                    let what = format!("{case} {test:?} {group} {feature}");
                    let score = match test {
                        MarkerTest::Wilcoxon => rank_sum_score(&own, &rest, tie_correction),
                        _ => t_score(&own, &rest),
                    };
                    assert_near(found.scores[at], score, &what);
                    assert_near(found.fractions[at], fraction(&own), &what);
                    assert_near(found.rest_fractions[at], fraction(&rest), &what);
                    let [own, rest] = [own, rest].map(|all| mean(&all).exp_m1() + 1e-9);
                    let change = (own / rest).log2();
                    if own > 1e-8 && rest > 1e-8 {
                        assert_near(found.log2_fold_changes[at], change, &what);
                    } else {
                        // A sum of zero may be rounded.
                        assert_eq!(found.log2_fold_changes[at].is_nan(), change.is_nan(), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads_and_the_division_into_units() {
    let mut numbers = Random::of("markers of several units", 0);
    // Features of several units, and units of several features.
    for (cells, features) in [(150_000, 3), (900, 400)] {
        let elements = Elements::random(&mut numbers, cells, features);
        let codes = random_codes(&mut numbers, cells, 7);
        for test in [MarkerTest::Wilcoxon, MarkerTest::TTest] {
            let options = MarkerOptions::default().test(test);
            let mut found = Vec::new();
            for by_cell in [false, true] {
                let matrix = elements.matrix(by_cell);
                for threads in [1, 2, 3, 8] {
                    let context = TaskContext::default().with_threads(threads);
                    let source = source(&matrix);
                    let one = markers(&*source, Axis::Rows, (&codes, 7), &options, &context);
                    found.push(bits(&one.unwrap()));
                }
            }
            assert!(found.iter().all(|one| *one == found[0]));
        }
    }
}

/// A matrix of one feature, of which each cell has a value.
fn one_feature(values: Vec<f64>) -> Box<dyn MatrixSource> {
    let shape = Shape { rows: 1, cols: values.len() as u64 };
    let indices = (0..u32::try_from(values.len()).unwrap()).collect::<Vec<_>>();
    let pointers = vec![0, values.len() as u64];
    CsMatrix::from_parts(shape, Order::Row, pointers, indices, values)
        .unwrap()
        .into_source()
        .unwrap()
}

#[test]
fn groups_and_values_that_cannot_be_compared_are_refused() {
    let refused = |source: &dyn MatrixSource, codes: (&[Option<u32>], u32)| {
        let (options, context) = (MarkerOptions::default(), TaskContext::default());
        let found = markers(source, Axis::Cols, codes, &options, &context);
        found.unwrap_err().to_string()
    };
    let codes = [Some(0), Some(0), Some(1), Some(1)];
    let source = one_feature(vec![1.0, 0.0, f64::NAN, 2.0]);
    let message = refused(&*source, (&codes, 2));
    assert!(message.contains("a value of NaN: groups are compared by finite values"), "{message}");
    assert!(message.contains("entry (row 0, column 2)"), "{message}");
    let source = one_feature(vec![1.0, f64::NEG_INFINITY, 0.0, 2.0]);
    assert!(refused(&*source, (&codes, 2)).contains("a value of -inf"));
    let source = one_feature(vec![1.0, 2.0, 3.0, 4.0]);
    for (codes, groups, message) in [
        ([Some(0), Some(0), Some(0), Some(1)], 2, "group 1 has 1 cell: expected at least 2"),
        ([Some(0), Some(0), Some(2), Some(2)], 3, "group 1 has no cells"),
        ([Some(0); 4], 1, "group 0 has all cells"),
        ([Some(9); 4], 1, "group code 9 is out of bounds"),
    ] {
        let found = refused(&*source, (&codes, groups));
        assert!(found.contains(message), "{found}");
    }
    assert!(refused(&*source, (&codes[..3], 2)).contains("3 group codes for 4 columns"));
    let shape = Shape { rows: 1, cols: 4 };
    let large = vec![1_i64 << 53];
    let large = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![2_u32], large).unwrap();
    let message = refused(&*large.into_source().unwrap(), (&codes, 2));
    assert!(message.contains("integers below 2^53"), "{message}");
    let options = MarkerOptions::default();
    let context = TaskContext::default().with_memory(8);
    let found = markers(&*source, Axis::Cols, (&codes, 2), &options, &context).unwrap_err();
    assert!(found.to_string().contains("memory"), "{found}");
}

#[test]
fn a_single_cell_outside_of_a_group_has_no_variance() {
    let source = one_feature(vec![1.0, 3.0, 7.0]);
    let codes = [Some(0), Some(0), None];
    let options = MarkerOptions::default().test(MarkerTest::TTest);
    let found = markers(&*source, Axis::Cols, (&codes, 1), &options, &TaskContext::default());
    let found = found.unwrap();
    // SciPy: ttest_ind_from_stats(2, 2**.5, 2, 7, 0, 1, equal_var=False), with one degree of freedom.
    assert_near(found.scores[0], -5.0, "t");
    assert_near(found.p_values[0], 0.125_665_916_378_002_37, "p");
}

#[test]
fn entries_of_one_element_are_added_up_in_any_order() {
    let shape = Shape { rows: 1, cols: 5 };
    let parts = |indices: Vec<u32>, values: Vec<f64>| {
        let pointers = vec![0, indices.len() as u64];
        CsMatrix::from_parts(shape, Order::Row, pointers, indices, values).unwrap()
    };
    let codes = [Some(0), Some(0), Some(1), Some(1), None];
    let (options, context) = (MarkerOptions::default(), TaskContext::default());
    let find =
        |source: &dyn MatrixSource| markers(source, Axis::Cols, (&codes, 2), &options, &context);
    let expected =
        find(&*parts(vec![0, 1, 3], vec![5.0, 1.0, 2.0]).into_source().unwrap()).unwrap();
    let several = parts(vec![3, 0, 1, 0, 2, 2], vec![2.0, 4.0, 1.0, 1.0, 1.0, -1.0]);
    let several = several.into_source().unwrap();
    assert_eq!(bits(&find(&*several).unwrap()), bits(&expected));
    // Of a matrix that is stored by cell, after sorting.
    let pointers = vec![0, 2, 3, 5, 6, 6];
    let values = vec![4.0, 1.0, 1.0, 1.0, -1.0, 2.0];
    let by_cell = CsMatrix::from_parts(shape, Order::Col, pointers, vec![0_u32; 6], values);
    let by_cell = by_cell.unwrap().into_source().unwrap();
    assert_eq!(bits(&find(&*by_cell).unwrap()), bits(&expected));
    assert_ne!(by_cell.header().duplicates, Duplicates::Refused);
}

#[test]
fn values_are_computed_before_they_are_compared() {
    let mut numbers = Random::of("computed markers", 0);
    let elements = Elements::random(&mut numbers, 40, 9);
    let codes = random_codes(&mut numbers, 40, 3);
    let factors: Vec<f64> = (0..40).map(|cell| 1.0 / f64::from(cell + 1)).collect();
    let steps = vec![ValueStep::ScaleAxis(Axis::Rows, factors.clone().into())];
    let (options, context) = (MarkerOptions::default(), TaskContext::default());
    let find = |source: &dyn MatrixSource| {
        bits(&markers(source, Axis::Rows, (&codes, 3), &options, &context).unwrap())
    };
    let mut scaled = Elements { all: elements.all.clone(), ..elements };
    for (row, factor) in scaled.all.chunks_mut(elements.features).zip(&factors) {
        row.iter_mut().for_each(|value| *value *= factor);
    }
    for by_cell in [false, true] {
        let computed = Computed::new(source(&elements.matrix(by_cell)), steps.clone()).unwrap();
        assert_eq!(find(&computed), find(&*source(&scaled.matrix(by_cell))));
    }
}

#[test]
fn tables_have_the_best_features_first() {
    let shape = Shape { rows: 3, cols: 5 };
    let (pointers, indices) = (vec![0, 2, 2, 4], vec![3_u32, 4, 0, 1]);
    let matrix = CsMatrix::from_parts(shape, Order::Row, pointers, indices, vec![1.0_f32; 4]);
    let source = matrix.unwrap().into_source().unwrap();
    let codes = [Some(0), Some(0), Some(0), Some(1), Some(1)];
    let options = MarkerOptions::default().top(Some(2));
    let found = markers(&*source, Axis::Cols, (&codes, 2), &options, &TaskContext::default());
    let found = found.unwrap();
    assert_eq!([found.ranked(0), found.ranked(1)], [[2, 1], [0, 1]]);
    let names = ["a,1", "b"].into_iter().collect();
    let features = ["x", "y", "z"].into_iter().collect();
    let written = |features, separator| {
        let mut text = Vec::new();
        found.write_text(&names, features, separator, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let starts = text.lines().map(|line| line.rsplitn(7, char::from(separator)).last());
        starts.map(|start| start.unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = ["group,names", "\"a,1\",z", "\"a,1\",y", "b,x", "b,y"];
    assert_eq!(written(Some(&features), b','), expected);
    assert_eq!(written(None, b'\t'), ["group\tnames", "a,1\t2", "a,1\t1", "b\t0", "b\t1"]);
}
