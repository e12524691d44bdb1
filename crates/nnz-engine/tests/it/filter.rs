//! Filters, compared with a table of all elements.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::single_range_in_vec_init,
    reason = "numbers are small, and lists have one range"
)]

use nnz_core::{Axis, MatrixSource, Order, Shape, Values};
use nnz_engine::{CsMatrix, Filter, FilterResult, filter};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;
use proptest::prelude::*;

/// A random matrix, and its elements by row.
pub(crate) fn random(
    rows: usize,
    cols: usize,
    seed: u64,
) -> (Box<dyn MatrixSource>, Vec<Vec<Option<f64>>>) {
    let mut random = Random::new(seed);
    let mut table = vec![vec![None; cols]; rows];
    let order = *random.pick(&[Order::Row, Order::Col]);
    let is_float = random.below(2) == 0;
    for _ in 0..random.below(3 * rows * cols / 2 + 1) {
        let number = random.below(9) as f64 - 2.0;
        let value = if is_float { number / 2.0 } else { number };
        table[random.below(rows)][random.below(cols)] = Some(value);
    }
    let majors = if order == Order::Row { rows } else { cols };
    let minors = if order == Order::Row { cols } else { rows };
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for major in 0..majors {
        for minor in 0..minors {
            let (row, col) = if order == Order::Row { (major, minor) } else { (minor, major) };
            if let Some(value) = table[row][col] {
                indices.push(u32::try_from(minor).unwrap());
                values.push(value);
            }
        }
        pointers.push(values.len() as u64);
    }
    let values = match is_float {
        true => Values::F64(values),
        false => Values::I32(values.iter().map(|value| *value as i32).collect()),
    };
    let shape = Shape { rows: rows as u64, cols: cols as u64 };
    let matrix = CsMatrix::from_parts(shape, order, pointers, indices, values).unwrap();
    let names =
        |one: &str, count: usize| (0..count).map(|at| format!("{one}{at}")).collect::<Vec<_>>();
    let matrix = matrix.with_names(Axis::Rows, names("g", rows)).unwrap();
    let matrix = matrix.with_names(Axis::Cols, names("c", cols)).unwrap();
    (matrix.into_source().unwrap(), table)
}

fn measure(name: &str, elements: &[Option<f64>]) -> f64 {
    let all: Vec<f64> = elements.iter().map(|element| element.unwrap_or(0.0)).collect();
    let sum: f64 = all.iter().sum();
    let mean = sum / all.len() as f64;
    match name {
        "nnz" => elements.iter().flatten().count() as f64,
        "nonzero" => all.iter().filter(|value| **value != 0.0).count() as f64,
        "sum" => sum,
        "mean" => mean,
        "min" => all.iter().copied().fold(f64::INFINITY, f64::min),
        "max" => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        _ => all.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (all.len() as f64 - 1.0),
    }
}

const MEASURES: [&str; 7] = ["nnz", "nonzero", "sum", "mean", "variance", "min", "max"];

/// Makes a condition, and computes which of the lines meet it. `other` is the option for names of the other axis.
fn condition(random: &mut Random, lines: &[Vec<Option<f64>>], other: &str) -> (String, Vec<bool>) {
    let (axis, letter) = if other == "rows" { ("rows", "g") } else { ("cols", "c") };
    let quantity = |random: &mut Random| {
        let name = *random.pick(&MEASURES);
        match random.below(3) {
            0 => {
                let digit = random.below(4).to_string();
                let among: Vec<usize> = (0..lines.first().map_or(0, Vec::len))
                    .filter(|at| format!("{letter}{at}").ends_with(&digit))
                    .collect();
                let values = lines.iter().map(|line| {
                    let some: Vec<_> = among.iter().map(|at| line[*at]).collect();
                    measure(name, &some)
                });
                (format!("{name}({axis}={digit}$)"), values.collect::<Vec<f64>>())
            }
            _ => (name.to_owned(), lines.iter().map(|line| measure(name, line)).collect()),
        }
    };
    let (mut text, mut values) = quantity(random);
    if random.below(3) == 0 {
        let (divisor, by) = quantity(random);
        text = format!("{text}/{divisor}");
        values = values.iter().zip(by).map(|(value, by)| value / by).collect();
    }
    // Quotients and variances that are computed in another way may be rounded differently.
    let is_rounded = ["/", "mean", "variance"].iter().any(|part| text.contains(part));
    let number = *random.pick(&[0.0, 0.5, 1.0, 3.0, 1e9]) + if is_rounded { 0.0123 } else { 0.0 };
    let sign = *random.pick(&["=", "!=", "<", "<=", ">", ">="]);
    let holds = |value: f64| match sign {
        "=" => value == number,
        // Not NaN.
        "!=" => value != number && !value.is_nan(),
        "<" => value < number,
        "<=" => value <= number,
        ">" => value > number,
        _ => value >= number,
    };
    (format!("{text}{sign}{number}"), values.into_iter().map(holds).collect())
}

fn filtered(
    source: &dyn MatrixSource,
    [rows, cols]: [&[&str]; 2],
    threads: usize,
) -> nnz_core::Result<FilterResult> {
    let all = |texts: &[&str]| {
        texts.iter().fold(Filter::all(), |all, text| all.and(text.parse().unwrap()))
    };
    let context = TaskContext::default().with_threads(threads);
    filter(source, [&all(rows), &all(cols)], &context)
}

proptest! {
    #[test]
    fn what_is_kept_meets_the_conditions(
        rows in 4_usize..24, cols in 4_usize..24, seed: u64, threads in 1_usize..4,
    ) {
        let (source, by_row) = random(rows, cols, seed);
        let by_col: Vec<Vec<_>> = (0..cols).map(|col| by_row.iter().map(|row| row[col]).collect()).collect();
        let mut random = Random::new(seed ^ 1);
        let mut texts = [Vec::new(), Vec::new()];
        let mut expected = [vec![true; rows], vec![true; cols]];
        for _ in 0..random.below(4) {
            let axis = random.below(2);
            let (lines, other) = if axis == 0 { (&by_row, "cols") } else { (&by_col, "rows") };
            let (text, met) = condition(&mut random, lines, other);
            expected[axis].iter_mut().zip(&met).for_each(|(all, met)| *all &= met);
            texts[axis].push((text, met));
        }
        let list = |axis: usize| texts[axis].iter().map(|(text, _)| &**text).collect::<Vec<_>>();
        let found = filtered(&*source, [&list(0), &list(1)], threads).unwrap();
        for (axis, kept) in [&found.rows, &found.cols].into_iter().enumerate() {
            let positions: Vec<u64> = kept.ranges.iter().cloned().flatten().collect();
            let wanted = (0..).zip(&expected[axis]).filter(|(_, met)| **met).map(|(at, _)| at);
            prop_assert_eq!(&positions, &wanted.collect::<Vec<u64>>(), "{:?}", texts[axis]);
            prop_assert_eq!(kept.count(), positions.len() as u64);
            for ((text, alone), (wanted, met)) in kept.conditions.iter().zip(&texts[axis]) {
                prop_assert_eq!(text, wanted);
                prop_assert_eq!(*alone, met.iter().filter(|met| **met).count() as u64, "{}", text);
            }
        }
    }
}

/// Creates `1 . 2` above `. . 3`, with names.
fn small() -> Box<dyn MatrixSource> {
    let shape = Shape { rows: 2, cols: 3 };
    let matrix = CsMatrix::from_parts(
        shape,
        Order::Row,
        vec![0, 2, 3],
        vec![0_u32, 2, 2],
        vec![1_u32, 2, 3],
    );
    let matrix = matrix.unwrap().with_names(Axis::Rows, ["MT-A", "B"]).unwrap();
    matrix.into_source().unwrap()
}

#[test]
fn a_share_of_nothing_meets_no_condition() {
    for text in ["sum(rows=^MT-)/sum<0.5", "sum(rows=^MT-)/sum>=0.5", "sum(rows=^MT-)/sum!=7"] {
        let found = filtered(&*small(), [&[], &[text]], 1).unwrap();
        assert!(!found.cols.ranges.iter().any(|range| range.contains(&1)), "{text}");
    }
    let found = filtered(&*small(), [&[], &["sum(rows=^MT-)/sum>0.4"]], 1).unwrap();
    assert_eq!(found.cols.ranges, [0..1]);
}

#[test]
fn patterns_and_axes_that_do_not_fit_are_refused() {
    for (rows, cols, says) in [
        (&[][..], &["sum(rows=^X)>1"][..], "no row has a name that matches \"^X\""),
        (&[], &["sum(rows=^mt-)>1"], "(?i)^mt- ignores case"),
        (
            &[],
            &["sum(cols=^X)>1"],
            "the entries of a column are selected by names of rows; use rows=^X",
        ),
        (
            &["sum(rows=^B)>1"],
            &[],
            "the entries of a row are selected by names of columns; use cols=^B",
        ),
        (&[], &["sum(features=^MT-)>1"], "does not state which axis has features"),
        (&["5"], &[], "row 5 is out of bounds"),
        (&["column(nnz)>5"], &[], "rows have no annotations"),
        (&["nope"], &[], "no row is named \"nope\""),
    ] {
        let error = filtered(&*small(), [rows, cols], 1).unwrap_err().to_string();
        assert!(error.contains(says), "{rows:?} {cols:?}: {error}");
    }
}

#[test]
fn selections_are_combined_with_measures_in_the_order_of_the_matrix() {
    let found = filtered(&*small(), [&["B,MT-A"], &["2,0", "nnz>=1"]], 1).unwrap();
    assert_eq!(found.rows.ranges, [0..2]);
    assert_eq!(found.cols.ranges, [0..1, 2..3]);
    assert_eq!(found.cols.conditions, [("2,0".to_owned(), 2), ("nnz>=1".to_owned(), 2)]);
    // Nothing is measured.
    let none = filtered(&*small(), [&["0:0"], &[]], 1).unwrap();
    assert_eq!((none.rows.count(), none.cols.count()), (0, 3));
}
