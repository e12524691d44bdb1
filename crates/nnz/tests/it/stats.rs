//! Sums, means, variances, minimum and maximum.

use nnz::Context;
use std::path::Path;

use nnz::{
    ErrorKind, Location, Stats, StatsOptions,
    engine::{Measures, Moments, Number, Spread, Total},
};

fn stats_of(text: &str, threads: usize) -> Stats {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    std::fs::write(&path, format!("%%MatrixMarket matrix {text}")).unwrap();
    stats(&Location::Path { path, group: None }, threads).unwrap()
}

fn stats(location: &Location, threads: usize) -> nnz::Result<Stats> {
    measured(location, Measures::All, threads)
}

fn measured(location: &Location, measures: Measures, threads: usize) -> nnz::Result<Stats> {
    let memory = 1 << 22;
    let context = Context::default().with_memory(memory).with_threads(threads);
    let options = StatsOptions::default().rows(true).cols(true).measures(measures);
    nnz::stats(location, &options, &context)
}

fn integers(nnz: u64, sum: i128, mean: f64, variance: f64, min: i128, max: i128) -> Moments {
    let (min, max) = (Some(Number::Integer(min)), Some(Number::Integer(max)));
    let total = Some(Total { sum: Number::Integer(sum), mean });
    Moments { nnz, total, spread: Some(Spread { variance, min, max }) }
}

fn sum(found: &Stats) -> Number {
    found.whole.total.unwrap().sum
}

fn spread(found: &Stats) -> Spread {
    found.whole.spread.unwrap()
}

#[test]
fn elements_that_are_not_stored_count_as_zeros() {
    //  3 0 0 0
    // -1 0 5 0
    let found = stats_of("coordinate integer general\n2 4 3\n1 1 3\n2 1 -1\n2 3 5\n", 1);
    assert_eq!(found.whole, integers(3, 7, 0.875, 4.125, -1, 5));
    let rows = found.rows.unwrap();
    assert_eq!(rows[0], integers(1, 3, 0.75, 2.25, 0, 3));
    assert_eq!(rows[1], integers(2, 4, 1.0, 22.0 / 3.0, -1, 5));
    let cols = found.cols.unwrap();
    assert_eq!(cols[0], integers(2, 2, 1.0, 8.0, -1, 3));
    assert_eq!(cols[3], integers(0, 0, 0.0, 0.0, 0, 0));
    assert_eq!(cols.len(), 4);
}

#[test]
fn sums_of_integers_are_exact_beyond_64_bits() {
    let found = stats_of(
        "coordinate integer general\n3 1 3\n1 1 9223372036854775807\n2 1 9223372036854775807\n3 1 -1\n",
        2,
    );
    assert_eq!(sum(&found), Number::Integer(18_446_744_073_709_551_613));
    assert_eq!(spread(&found).max, Some(Number::Integer(i64::MAX.into())));
}

/// Variances of 64-bit integers far from zero and close to each other once consisted of rounding
/// errors that depended on the number of threads.
#[test]
fn variances_of_large_integers_are_exact() {
    let column = |first: i128, step: i128, count: i128| {
        let lines: Vec<String> =
            (0..count).map(|at| (first + at * step).to_string() + "\n").collect();
        let field = if first > i128::from(i64::MAX) { "unsigned-integer" } else { "integer" };
        format!("array {field} general\n{count} 1\n{}", lines.concat())
    };
    let variance = |text: &str, threads| spread(&stats_of(text, threads)).variance;
    for count in [2, 20, 100] {
        let small = variance(&column(0, 1, count), 1);
        for first in [1 << 62, -(1 << 62), i64::MIN.into(), (1 << 64) - 200, -50] {
            for threads in [1, 2] {
                assert_eq!(variance(&column(first, 1, count), threads), small, "{first} on");
            }
        }
        let far = variance(&column(i64::MIN.into(), 1 << 56, count), 2);
        assert!((far / small / 2_f64.powi(112) - 1.0).abs() < 1e-12, "{far}");
    }
}

#[test]
fn variances_of_nearly_two_to_the_128_elements() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.dbdf");
    let location = Location::Path { path: path.clone(), group: None };
    let (memory, measures) = (1 << 22, Measures::All);
    let context = Context::default().with_memory(memory).with_threads(1);
    let options = StatsOptions::default().measures(measures);
    for value in [3_i8, -3] {
        // A CSRMatrix of int8, and a sparse block of one element: one entry in its row, in column 0.
        let mut bytes = vec![1, 2];
        bytes.extend([u64::MAX; 2].map(u64::to_le_bytes).concat());
        bytes.push(5);
        bytes.extend([5_u64; 2].map(u64::to_le_bytes).concat());
        bytes.extend([1_u32; 2].map(u32::to_le_bytes).concat());
        bytes.extend([2, 5]);
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend([1_u32, 0].map(u32::to_le_bytes).concat());
        bytes.extend(value.to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        let variance = spread(&nnz::stats(&location, &options, &context).unwrap()).variance;
        // Nine, divided by the number of elements.
        assert!((variance * 2_f64.powi(128) / 9.0 - 1.0).abs() < 1e-15, "{variance}");
    }
}

#[test]
fn sums_of_floats_are_compensated() {
    let found = stats_of("array real general\n1 4\n1e100\n1\n-1e100\n1\n", 1);
    assert_eq!(sum(&found), Number::Float(2.0));
    let found = stats_of("coordinate real general\n1 2 2\n1 1 nan\n1 2 1\n", 1);
    assert!(matches!(spread(&found).max, Some(Number::Float(max)) if max.is_nan()));
    let found = stats_of("coordinate real general\n1 3 2\n1 1 inf\n1 2 1\n", 1);
    assert_eq!(sum(&found), Number::Float(f64::INFINITY));
}

#[test]
fn symmetric_and_pattern_matrices_are_expanded() {
    let found = stats_of("coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n", 2);
    assert_eq!(found.whole.nnz, 3);
    assert_eq!(found.rows, found.cols);
    let found = stats_of("coordinate real skew-symmetric\n2 2 1\n2 1 4\n", 1);
    assert_eq!(sum(&found), Number::Float(0.0));
}

#[test]
fn empty_matrices_have_no_mean_and_no_minimum() {
    let found = stats_of("coordinate integer general\n0 3 0\n", 1);
    assert!(found.whole.total.unwrap().mean.is_nan() && spread(&found).min.is_none());
    assert_eq!(found.cols.unwrap().len(), 3);
    let found = stats_of("coordinate integer general\n1 1 1\n1 1 7\n", 1);
    assert!(spread(&found).variance.is_nan());
}

fn each(stats: &Stats, change: impl Fn(&Moments) -> Moments) -> Stats {
    let all = |list: &Vec<Moments>| list.iter().map(&change).collect();
    let mut changed = stats.clone();
    changed.whole = change(&stats.whole);
    changed.rows = stats.rows.as_ref().map(all);
    changed.cols = stats.cols.as_ref().map(all);
    changed
}

#[test]
fn threads_and_order_do_not_change_the_result() {
    let matrix = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = path.join("../../testdata/bpcells/matrix_dir").join(name);
        Location::Path { path, group: None }
    };
    for name in ["basic_uint.packed", "longcol_uint.unpacked", "basic_double.packed"] {
        let col = stats(&matrix(&format!("{name}.col")), 1).unwrap();
        assert_eq!(col, stats(&matrix(&format!("{name}.col")), 3).unwrap());
        let row = stats(&matrix(&format!("{name}.row")), 2).unwrap();
        if name.contains("uint") {
            assert_eq!(col, row);
        }
        for threads in [1, 2] {
            let less = |moments: &Moments| Moments { spread: None, ..*moments };
            let only = measured(&matrix(&format!("{name}.col")), Measures::Sums, threads).unwrap();
            assert_eq!(only, each(&col, less));
            let least = |moments: &Moments| Moments { total: None, ..less(moments) };
            let only = measured(&matrix(&format!("{name}.col")), Measures::Nnz, threads).unwrap();
            assert_eq!(only, each(&col, least));
        }
    }
}

#[test]
fn statistics_above_the_memory_limit_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    let text = "%%MatrixMarket matrix coordinate integer general\n9007199254740992 1 0\n";
    std::fs::write(&path, text).unwrap();
    let error = stats(&Location::Path { path, group: None }, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
}

#[test]
fn duplicate_entries_of_scipy_are_summed() {
    // 0 3 0
    // 3 0 0
    // 0 0 0, of two entries
    let (indptr, indices) = (vec![0_u64, 2, 3, 5], vec![1_u32, 1, 0, 2, 2]);
    let values = vec![1.0, 2.0, 3.0, 5.0, -5.0];
    let shape = nnz::Shape { rows: 3, cols: 3 };
    let matrix =
        nnz::CsMatrix::from_parts(shape, nnz::Order::Row, indptr, indices, values).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.npz");
    nnz::WriteMatrix::write(matrix, &*path, &nnz::ConvertOptions::default(), &Context::default())
        .unwrap();
    let location = Location::Path { path, group: None };
    let dense =
        nnz::read_dense(&location, &nnz::ReadOptions::default(), &Context::default()).unwrap();
    assert_eq!(dense.values, nnz::Values::F64(vec![0.0, 3.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    for threads in [1, 2] {
        let found = stats(&location, threads).unwrap();
        let Spread { variance, min, max } = spread(&found);
        assert_eq!([min, max], [0.0, 3.0].map(|value| Some(Number::Float(value))));
        // 3, 3 and seven zeros.
        assert!((variance - 1.75).abs() < 1e-12, "{variance}");
        let spreads = |all: Option<Vec<Moments>>| {
            all.unwrap().into_iter().map(|one| one.spread.unwrap().max.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(spreads(found.rows), [3.0, 3.0, 0.0].map(Number::Float));
        assert_eq!(spreads(found.cols), [3.0, 3.0, 0.0].map(Number::Float));
        assert_eq!(measured(&location, Measures::Nonzero, threads).unwrap().whole.nnz, 2);
        // The number of entries, and sums, are the same.
        assert_eq!(measured(&location, Measures::Nnz, threads).unwrap().whole.nnz, 5);
        assert_eq!(sum(&measured(&location, Measures::Sums, threads).unwrap()), Number::Float(6.0));
    }
}

#[test]
fn negative_zeros_and_stored_zeros_are_not_nonzero() {
    let text = "coordinate complex general\n1 4 4\n1 1 -0.0 0\n1 2 0 -0.0\n1 3 0 0\n1 4 0 1\n";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    std::fs::write(&path, format!("%%MatrixMarket matrix {text}")).unwrap();
    let location = Location::Path { path, group: None };
    assert_eq!(measured(&location, Measures::Nonzero, 1).unwrap().whole.nnz, 1);
    assert_eq!(measured(&location, Measures::Nnz, 1).unwrap().whole.nnz, 4);
}

#[test]
fn variances_of_large_numbers_are_infinite() {
    for values in ["-1.5\n1.7e308\n1.5", "1.7e308\n-1.7e308\n1.7e308"] {
        let found = stats_of(&format!("array real general\n1 3\n{values}\n"), 1);
        assert!(spread(&found).variance.is_infinite(), "{values}");
    }
    // As in NumPy, infinite values have no variance.
    let found = stats_of("array real general\n1 3\ninf\n1\n2\n", 1);
    assert!(spread(&found).variance.is_nan());
}
