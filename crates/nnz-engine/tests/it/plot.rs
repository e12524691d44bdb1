//! The numbers of pictures, compared with a table of all elements.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "numbers are small"
)]

use nnz_core::{Axis, MatrixSource, Order, Place, Placed, Scalar, Shape, Structure, Values};
use nnz_engine::plot::{
    LengthMeasure, MAX_EXACT_INTEGER, ValueBin, density, density_per_bin, lengths, profile, values,
};
use nnz_engine::{CsMatrix, Number, Transposed};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;

use crate::filter::random;

fn on(threads: usize) -> TaskContext {
    TaskContext::default().with_threads(threads).with_memory(1 << 30)
}

fn matrix(shape: Shape, values: Values) -> Box<dyn MatrixSource> {
    let count = values.len().unwrap() as u64;
    let (indptr, indices) = (vec![0, count], (0..count as u32).collect::<Vec<_>>());
    CsMatrix::from_parts(shape, Order::Row, indptr, indices, values).unwrap().into_source().unwrap()
}

#[test]
fn bins_have_the_entries_of_their_elements() {
    let mut dice = Random::new(5);
    for seed in 0..200 {
        let (rows, cols) = (1 + dice.below(40), 1 + dice.below(40));
        let (source, table) = random(rows, cols, seed);
        let most = [1 + dice.below(12), 1 + dice.below(50)];
        let found: Vec<_> =
            [1, 3].map(|threads| density(&*source, most, &on(threads)).unwrap()).into();
        assert_eq!(found[0], found[1]);
        let found = &found[0];
        assert!(found.rows <= most[0] && found.cols <= most[1]);
        let mut expected = vec![0; found.rows * found.cols];
        for (row, elements) in table.iter().enumerate() {
            for col in (0..cols).filter(|col| elements[*col].is_some()) {
                let bin = row / found.rows_per_bin as usize * found.cols;
                expected[bin + col / found.cols_per_bin as usize] += 1;
            }
        }
        assert_eq!(found.counts, expected, "{rows} x {cols} in {most:?}");
        assert_eq!(found.entries, expected.iter().sum::<u64>());
        // A transposed matrix has the transposed grid.
        let across = Transposed::new(source);
        let across = density(&across, [most[1], most[0]], &on(2)).unwrap();
        let turned =
            (0..found.cols).flat_map(|col| (0..found.rows).map(move |row| row * found.cols + col));
        assert_eq!(across.counts, turned.map(|bin| expected[bin]).collect::<Vec<_>>());
    }
}

#[test]
fn shapes_may_be_empty_or_huge() {
    let huge = Shape { rows: 1, cols: u64::from(u32::MAX) };
    let indices = vec![0, 1, u32::MAX - 1];
    let source = CsMatrix::from_parts(huge, Order::Row, vec![0, 3], indices, vec![1_u8; 3]);
    let source = source.unwrap().into_source().unwrap();
    let found = density(&*source, [10, 4], &on(2)).unwrap();
    assert_eq!((found.rows, found.cols, found.cols_per_bin), (1, 4, 1 << 30));
    assert_eq!(found.counts, [2, 0, 0, 1]);
    let none = Shape { rows: 0, cols: 0 };
    let source =
        CsMatrix::from_parts(none, Order::Row, vec![0], Vec::<u32>::new(), Vec::<u8>::new());
    let source = source.unwrap().into_source().unwrap();
    let found = density(&*source, [10, 4], &on(2)).unwrap();
    assert_eq!((found.rows, found.cols, found.counts.len()), (0, 0, 0));
    let all = values(&*source, &on(2)).unwrap();
    assert_eq!((all.entries, all.min, all.integral), (0, None, true));
}

#[test]
fn entries_and_sums_are_those_of_each_row_and_column() {
    for seed in 0..150 {
        let (rows, cols) = (1 + seed as usize % 37, 1 + seed as usize % 23);
        let (source, table) = random(rows, cols, seed);
        for axis in [Axis::Rows, Axis::Cols] {
            for measure in [LengthMeasure::Nnz, LengthMeasure::Sum] {
                let len = if axis == Axis::Rows { rows } else { cols };
                let mut expected: Vec<f64> = (0..len)
                    .map(|at| {
                        let elements: Vec<f64> = match axis {
                            Axis::Rows => table[at].iter().flatten().copied().collect(),
                            Axis::Cols => table.iter().filter_map(|row| row[at]).collect(),
                        };
                        match measure {
                            LengthMeasure::Nnz => elements.len() as f64,
                            _ => elements.iter().sum(),
                        }
                    })
                    .collect();
                expected.sort_by(f64::total_cmp);
                for threads in [1, 3] {
                    let found = lengths(&*source, axis, measure, &on(threads));
                    let found = found.unwrap();
                    let all = found
                        .values
                        .iter()
                        .flat_map(|&(number, count)| std::iter::repeat_n(number, count as usize));
                    assert_eq!(all.collect::<Vec<_>>(), expected, "{seed} {axis} {measure:?}");
                    assert_eq!((found.count, found.error), (len as u64, 0.0));
                    let ranked = found.ranks();
                    assert_eq!(ranked[0], (1, *expected.last().unwrap()));
                    let binned: u64 = found.bins().bins.iter().map(|bin| bin.count).sum();
                    let zeros = expected.iter().filter(|number| **number == 0.0).count() as u64;
                    let zeros = if found.bins().logarithmic { zeros } else { 0 };
                    assert_eq!(binned + zeros, len as u64);
                }
            }
        }
        // Pointers have the same numbers as entries.
        let order = source.header().order;
        let found = profile(&*source, 10).unwrap().unwrap();
        let counts = lengths(&*source, order.major(), LengthMeasure::Nnz, &on(1)).unwrap();
        let number = |part: f64| counts.quantile(part).unwrap();
        let extremes = found.extremes.map(|numbers| numbers.map(|number| number as f64));
        assert_eq!(extremes, Some([number(0.0), number(0.5), number(1.0)]), "{seed}");
        let mean = found.means.iter().sum::<f64>();
        assert_eq!(mean > 0.0, source.header().nnz != Some(0));
    }
}

#[test]
fn values_are_counted_by_size() {
    let shape = Shape { rows: 1, cols: 1000 };
    let all = vec![0.0, -0.0, 1.0, 15.0, 16.0, 1.5, 0.3, -0.3, -8.0, f64::NAN, f64::INFINITY];
    let source = matrix(shape, Values::F64(all));
    let found = values(&*source, &on(2)).unwrap();
    assert_eq!(found.entries, 11);
    let small: Vec<usize> = (0..=MAX_EXACT_INTEGER).filter(|at| found.integers[*at] > 0).collect();
    assert_eq!((small, found.integers[0]), (vec![0, 1, 15], 2));
    let bin = |from, to| ValueBin { from, to, count: 1 };
    // 32 bins between 0.25 and 0.5, and between 8 and 16.
    let bins = [
        bin(-8.0, -8.25),
        bin(-0.296_875, -0.304_687_5),
        bin(0.296_875, 0.304_687_5),
        bin(1.5, 1.531_25),
        bin(16.0, 16.5),
    ];
    assert_eq!(found.bins, bins);
    assert_eq!((found.nan, found.negative_infinity, found.positive_infinity), (1, 0, 1));
    assert_eq!(found.min, Some(Number::Float(-8.0)));
    assert_eq!(found.max, Some(Number::Float(16.0)));
    assert!(!found.integral);
}

#[test]
fn a_value_that_all_entries_share_is_counted_for_each() {
    let shape = Shape { rows: 1, cols: 1000 };
    let (indptr, indices) = (vec![0, 900], (0..900_u32).collect::<Vec<_>>());
    let of = |all: Values| {
        let matrix =
            CsMatrix::from_parts(shape, Order::Row, indptr.clone(), indices.clone(), all).unwrap();
        values(&*matrix.into_source().unwrap(), &on(2)).unwrap()
    };
    for shared in [Scalar::U8(3), Scalar::F32(3.0), Scalar::I32(-3)] {
        let found = of(Values::Iso(shared));
        assert_eq!(found, of(shared.repeat(900)));
        assert_eq!(found.entries, 900);
    }
}

#[test]
fn the_grid_of_another_matrix_has_its_bins() {
    for seed in 0..50 {
        let (source, _) = random(37, 23, seed);
        let found = density(&*source, [7, 9], &on(2)).unwrap();
        let per_bin = [found.rows_per_bin, found.cols_per_bin];
        assert_eq!(density_per_bin(&*source, per_bin, &on(2)).unwrap(), found);
        let (part, _) = random(20, 11, seed);
        let part = density_per_bin(&*part, per_bin, &on(2)).unwrap();
        assert_eq!([part.rows_per_bin, part.cols_per_bin], per_bin);
        // 37 rows in bins of 6, 23 columns in bins of 3: the last ones have one row and two columns.
        assert_eq!((per_bin, found.last_bin()), ([6, 3], [1.0 / 6.0, 2.0 / 3.0]));
    }
}

#[test]
fn large_integers_are_not_rounded_into_the_next_bin() {
    let shape = Shape { rows: 1, cols: 1000 };
    let source = matrix(shape, Values::U64(vec![(1 << 60) - 1, 1 << 60, u64::MAX]));
    let found = values(&*source, &on(1)).unwrap();
    let ends: Vec<(f64, u64)> = found.bins.iter().map(|bin| (bin.from.log2(), bin.count)).collect();
    assert_eq!(ends[1], (60.0, 1));
    assert!(ends[0].0 < 60.0 && ends.len() == 3);
    assert_eq!(found.max, Some(Number::Integer(u64::MAX.into())));
    let source = matrix(shape, Values::I64(vec![i64::MIN, -1, 3, i64::MAX]));
    let found = values(&*source, &on(1)).unwrap();
    assert_eq!(found.min, Some(Number::Integer(i64::MIN.into())));
    assert_eq!((found.integers[3], found.integral, found.bins.len()), (1, true, 3));
}

#[test]
fn complex_values_are_refused() {
    let shape = Shape { rows: 1, cols: 10 };
    let source = matrix(shape, Values::ComplexF64(vec![[1.0, 2.0]]));
    let source = Placed::new(source, Place::path("m"));
    let found = values(&source, &on(1)).unwrap_err();
    assert!(found.to_string().starts_with("m: complex numbers cannot be plotted"), "{found}");
    assert_eq!(source.header().structure, Structure::General);
}

#[test]
fn lengths_across_the_storage_order_take_little_memory() {
    let shape = Shape { rows: 1, cols: 200_000 };
    let source = matrix(shape, Values::U32((0..1000).collect()));
    let run = |measure, each: u64, threads: usize| {
        let context = TaskContext::default().with_threads(threads).with_memory(each * shape.cols);
        lengths(&*source, Axis::Cols, measure, &context)
    };
    for (measure, each) in [(LengthMeasure::Nnz, 16), (LengthMeasure::Sum, 96)] {
        let ample = run(measure, 1000, 2).unwrap();
        // With less memory, fewer threads work.
        assert_eq!(run(measure, each, 16).unwrap(), ample, "{measure:?}");
        assert_eq!(ample.count, shape.cols);
    }
    let error = run(LengthMeasure::Nnz, 15, 1).unwrap_err();
    assert!(matches!(error.kind(), nnz_core::ErrorKind::Memory { needed: 3_200_000, .. }));
    assert!(run(LengthMeasure::Sum, 15, 1).is_err());
}
