//! Statistics of floats across and along the storage order, compared with sums over dense arrays.

use nnz_core::{Order, Shape};
use nnz_engine::{CsMatrix, Measures, Moments, Number, Stats, StatsOptions, stats};
use nnz_storage::TaskContext;
use nnz_testing::random::Random;

/// How values are distributed.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// From -10 to 10.
    Plain,
    /// Far from zero and close to each other, so that squares have no digits left for the deviations.
    Close,
    /// The same value everywhere.
    Constant,
    /// Numbers of all sizes, with NaN and infinities.
    Special,
}

fn value(random: &mut Random, kind: Kind) -> f32 {
    let number = f32::from(u16::try_from(random.below_u32(1000)).unwrap());
    match kind {
        Kind::Plain => number / 50.0 - 10.0,
        Kind::Close => 1e4 + number / 1000.0,
        Kind::Constant => 4096.3,
        Kind::Special => match random.below(40) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => -0.0,
            _ => f32::from_bits(random.below_u32(0x7f80_0000)),
        },
    }
}

/// A matrix of both types, and its columns.
fn example(random: &mut Random, kind: Kind, share: usize) -> ([CsMatrix; 2], Vec<Vec<f64>>) {
    let (rows, cols) = (1 + random.below(300), 1 + random.below(12));
    let mut columns = vec![vec![0.0; rows]; cols];
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        for (col, column) in columns.iter_mut().enumerate() {
            if random.below(100) < share {
                let value = value(random, kind);
                column[row] = f64::from(value);
                indices.push(u32::try_from(col).unwrap());
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
    }
    let shape = Shape { rows: rows as u64, cols: cols as u64 };
    let wide: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    let (own, others) = (pointers.clone(), indices.clone());
    let narrow = CsMatrix::from_parts(shape, Order::Row, own, others, values).unwrap();
    let wide = CsMatrix::from_parts(shape, Order::Row, pointers, indices, wide).unwrap();
    ([narrow, wide], columns)
}

fn stats_of(matrix: &CsMatrix, measures: Measures, threads: usize) -> Stats {
    let source = matrix.clone().into_source().unwrap();
    let options = StatsOptions::default().cols(true).measures(measures);
    stats(&*source, &options, &TaskContext::default().with_threads(threads)).unwrap()
}

fn float(number: Option<Number>) -> f64 {
    match number {
        Some(Number::Float(number)) => number,
        other => panic!("{other:?}"),
    }
}

#[allow(clippy::cast_precision_loss)]
fn check(found: &Moments, column: &[f64], case: &str) {
    let (total, spread) = (found.total.unwrap(), found.spread.unwrap());
    let sum: f64 = column.iter().sum();
    let size: f64 = column.iter().map(|value| value.abs()).sum();
    let found_sum = float(Some(total.sum));
    let is_same = found_sum == sum || (found_sum.is_nan() && sum.is_nan());
    assert!(is_same || (found_sum - sum).abs() <= size * 1e-13, "{case}: {found_sum} is not {sum}");
    let mean = sum / column.len() as f64;
    let squares: f64 = column.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (column.len() as f64 - 1.0);
    if !variance.is_finite() {
        assert!(column.len() < 2 || !spread.variance.is_finite(), "{case}");
    } else {
        let error = (spread.variance - variance).abs();
        // As far as the sums of the reference are exact.
        let least = mean.abs() * mean.abs() * 1e-15;
        assert!(error <= variance * 1e-9 + least, "{case}: {} is not {variance}", spread.variance);
    }
}

#[test]
fn moments_of_floats_are_those_of_dense_arrays() {
    for case in 0..120 {
        let mut random = Random::of("floats", case);
        let kinds = [Kind::Plain, Kind::Close, Kind::Constant, Kind::Special];
        let kind = *random.pick(&kinds);
        let share = *random.pick(&[2, 30, 100]);
        let (matrices, columns) = example(&mut random, kind, share);
        for matrix in &matrices {
            let all = stats_of(matrix, Measures::All, 1);
            let found = all.cols.as_ref().unwrap();
            for (at, (found, column)) in found.iter().zip(&columns).enumerate() {
                check(found, column, &format!("case {case}, {kind:?}, column {at}"));
            }
            // Bits do not depend on threads; NaN is not equal to itself.
            for threads in [2, 3] {
                let again = stats_of(matrix, Measures::All, threads);
                assert_eq!(format!("{again:?}"), format!("{all:?}"), "case {case}");
            }
            let less = |measures: Measures, keep: &dyn Fn(&Moments) -> String| {
                let some = stats_of(matrix, measures, 2);
                let of = |stats: &Stats| stats.cols.iter().flatten().map(keep).collect::<Vec<_>>();
                assert_eq!(of(&some), of(&all), "case {case}: {measures:?}");
            };
            less(Measures::Variance, &|one| {
                format!("{:?}", (one.nnz, one.spread.unwrap().variance))
            });
            less(Measures::Extremes, &|one| {
                format!("{:?}", (one.nnz, one.spread.unwrap().min, one.spread.unwrap().max))
            });
        }
    }
}
