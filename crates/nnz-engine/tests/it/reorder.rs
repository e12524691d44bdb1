//! New orders of rows and columns, compared with a table of all elements.

#![allow(clippy::cast_possible_truncation, reason = "numbers are small")]

use nnz_core::{Axis, MatrixSource, ORIGINAL_POSITION, Place, Placed, Values};
use nnz_engine::{
    CsMatrix, DiffOptions, Labelled, Labels, NewOrder, OriginalPositions, ReadOptions, Reordering,
    Selection, Slice, diff, read, reorder,
};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;
use proptest::prelude::*;

use crate::filter::random;

/// Orders a matrix, and labels it with the original positions.
fn ordered(
    source: &dyn MatrixSource,
    orders: [&Reordering; 2],
) -> nnz_core::Result<(CsMatrix, [NewOrder; 2])> {
    let found = reorder(source, orders, &TaskContext::default().with_threads(2))?;
    let [rows, cols] = &found;
    let slice = Slice::new(Box::new(source), &rows.selection, &cols.selection)?;
    Ok((read(&slice, &ReadOptions::default(), &TaskContext::default())?, found))
}

/// Returns the list that an order selects.
fn list(order: &NewOrder, len: usize) -> Vec<usize> {
    match &order.positions {
        OriginalPositions::Added(column) => match &column.values {
            nnz_core::ColumnValues::Numbers(Values::U32(all)) => {
                all.iter().map(|at| *at as usize).collect()
            }
            other => panic!("{other:?}"),
        },
        _ => (0..len).collect(),
    }
}

/// Chooses an order, and returns it with the positions that it has.
fn choose(random: &mut Random, letter: &str, counts: &[usize]) -> (Reordering, Vec<usize>) {
    let mut all: Vec<usize> = (0..counts.len()).collect();
    match random.below(4) {
        0 => (Reordering::Unchanged, all),
        1 => {
            all.sort_by_key(|at| (std::cmp::Reverse(counts[*at]), *at));
            (Reordering::Frequency, all)
        }
        by_name => {
            for last in (1..all.len()).rev() {
                all.swap(last, random.below(last + 1));
            }
            let name = |at: &usize| match by_name {
                2 => format!("{letter}{at}"),
                _ => at.to_string(),
            };
            (Reordering::Listed(Selection::names(all.iter().map(name))), all)
        }
    }
}

fn names(source: &dyn MatrixSource, axis: Axis) -> Vec<String> {
    let list = source.read_names(axis).unwrap().unwrap().list().unwrap();
    list.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect()
}

fn differences(a: &dyn MatrixSource, b: &dyn MatrixSource, by_name: bool) -> usize {
    let mut found = 0;
    let options = DiffOptions::default().by_name(by_name);
    diff([a, b], &options, &TaskContext::default(), &mut |_| found += 1).unwrap();
    found
}

fn check(rows: usize, cols: usize, seed: u64) {
    let (source, table) = random(rows, cols, seed);
    let mut random = Random::new(!seed);
    let stored = |row: usize, col: usize| usize::from(table[row][col].is_some());
    let of_rows: Vec<usize> =
        (0..rows).map(|row| (0..cols).map(|col| stored(row, col)).sum()).collect();
    let of_cols: Vec<usize> =
        (0..cols).map(|col| (0..rows).map(|row| stored(row, col)).sum()).collect();
    let (by_row, row_list) = choose(&mut random, "g", &of_rows);
    let (by_col, col_list) = choose(&mut random, "c", &of_cols);
    let (matrix, found) = ordered(&*source, [&by_row, &by_col]).unwrap();
    assert_eq!(list(&found[0], rows), row_list);
    assert_eq!(list(&found[1], cols), col_list);
    let matrix = matrix.into_source().unwrap();
    let mut elements = 0;
    for entry in matrix.entries().unwrap() {
        let (row, col, value) = entry.unwrap();
        let (row, col) = (row_list[row as usize], col_list[col as usize]);
        assert_eq!(value.to_f64(), table[row][col], "{row}, {col}");
        elements += 1;
    }
    assert_eq!(elements, of_rows.iter().sum::<usize>());
    for (axis, letter, list) in [(Axis::Rows, "g", &row_list), (Axis::Cols, "c", &col_list)] {
        let expected: Vec<String> = list.iter().map(|at| format!("{letter}{at}")).collect();
        assert_eq!(names(&*matrix, axis), expected);
    }
    assert_eq!(differences(&*source, &*matrix, true), 0);
    let moved = row_list.iter().chain(&col_list).copied().collect::<Vec<_>>()
        != (0..rows).chain(0..cols).collect::<Vec<_>>();
    assert_eq!(differences(&*source, &*matrix, false) > 0, moved);
    // Back, by the positions that were kept.
    let [rows, cols] = found.map(|order| Labels::default().original_positions(order.positions));
    let labelled = Labelled::new(Box::new(&*matrix), [&rows, &cols], u64::MAX).unwrap();
    let original = |labels: &Labels| match labels.original_positions {
        OriginalPositions::Added(_) => Reordering::Original,
        _ => Reordering::Unchanged,
    };
    let (restored, found) = ordered(&labelled, [&original(&rows), &original(&cols)]).unwrap();
    for (order, labels) in found.iter().zip([&rows, &cols]) {
        let is_restored = original(labels) == Reordering::Original;
        assert_eq!(order.positions == OriginalPositions::Removed, is_restored);
    }
    assert_eq!(differences(&*source, &*restored.into_source().unwrap(), false), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn reordered_matrices_have_the_same_elements(
        rows in 1_usize..12,
        cols in 1_usize..12,
        seed in any::<u64>(),
    ) {
        check(rows, cols, seed);
    }
}

#[test]
fn lists_that_are_not_an_order_are_refused() {
    let (source, _) = random(4, 3, 5);
    let refused = |list: &str| {
        let order = Reordering::Listed(list.parse().unwrap());
        ordered(&*source, [&order, &Reordering::Unchanged]).unwrap_err().to_string()
    };
    assert_eq!(refused("g1,g2,g0"), "the new order lists 3 of 4 rows; `slice` writes some of them");
    assert!(refused("g1,g2,g0,g1").contains("is selected twice"));
    assert!(refused("0:5").contains("ends after the last row"));
    let error = ordered(&*source, [&Reordering::Original, &Reordering::Unchanged]).unwrap_err();
    let expected = format!(
        "the original order of the rows is unknown: they have no annotation {ORIGINAL_POSITION:?}"
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn names_that_repeat_or_differ_are_not_matched() {
    let with = |names: [&str; 4]| {
        let (source, _) = random(4, 1, 5);
        let matrix = read(&*source, &ReadOptions::default(), &TaskContext::default()).unwrap();
        matrix.with_names(Axis::Rows, names).unwrap().into_source().unwrap()
    };
    let [one, other] = [with(["a", "b", "c", "c"]), with(["b", "a", "c", "c"])];
    assert_eq!(differences(&*one, &*one, true), 0);
    let options = DiffOptions::default().by_name(true);
    let other = Placed::new(other, Place::path("other"));
    let error = diff([&*one, &other], &options, &TaskContext::default(), &mut |_| ()).unwrap_err();
    let expected = "other: rows cannot be matched by name: row 2 and row 3 have \"c\"";
    assert_eq!(error.to_string(), expected);
    let [one, other] = [with(["a", "b", "c", "d"]), with(["d", "b", "c", "x"])];
    // A name of each that the other one does not have.
    assert_eq!(differences(&*one, &*other, true), 2);
}
