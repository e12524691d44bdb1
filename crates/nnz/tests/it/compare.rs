//! Transposing and comparing matrices.

use nnz::Context;
use nnz::collection::ElementChange;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use nnz::{Axis, ConvertOptions, DiffOptions, Difference, Location, Order, Scalar};
use nnz_testing::random::Random;

fn testdata(name: &str) -> Location {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells").join(name);
    Location::Path { path, group: None }
}

fn at(path: &Path) -> Location {
    Location::Path { path: path.to_path_buf(), group: None }
}

fn options() -> ConvertOptions {
    ConvertOptions::default().overwrite(true).sync(false)
}

fn differences(a: &Location, b: &Location, stored: bool) -> Vec<Difference> {
    let mut found = Vec::new();
    let context = Context::default().with_memory(1 << 20).with_threads(2);
    let options = DiffOptions::default().stored(stored).max_diffs(3);
    nnz::diff(a, b, &options, &context, &mut |one| match one.what {
        ElementChange::Matrix(difference) => found.push(difference),
        other => panic!("{other:?}"),
    })
    .unwrap();
    found
}

/// Writes a Matrix Market file.
fn mtx(dir: &Path, name: &str, text: &str) -> Location {
    let path: PathBuf = dir.join(name);
    fs::write(&path, format!("%%MatrixMarket matrix coordinate {text}")).unwrap();
    at(&path)
}

#[test]
fn transposing_exchanges_axes_and_keeps_the_order() {
    let dir = tempfile::tempdir().unwrap();
    let target = at(&dir.path().join("t.bpcells"));
    for (from, order) in [("packed.col", Order::Col), ("unpacked.row", Order::Row)] {
        let from = testdata(&format!("matrix_dir/utf8names_uint.{from}"));
        let transpose = options().transpose(true);
        nnz::convert(&from, &target, &transpose, &Context::default()).unwrap();
        let (was, is) = (
            nnz::open(&from).and_then(nnz::Dataset::into_matrix).unwrap(),
            nnz::open(&target).and_then(nnz::Dataset::into_matrix).unwrap(),
        );
        assert_eq!(is.header().shape.rows, was.header().shape.cols);
        assert_eq!(is.header().order, order);
        assert_eq!(is.names(Axis::Rows).unwrap(), was.names(Axis::Cols).unwrap());
    }
}

#[test]
fn transposing_twice_is_the_identity() {
    let dir = tempfile::tempdir().unwrap();
    let (once, twice) = (dir.path().join("1.bpcells"), dir.path().join("2.bpcells"));
    for name in ["basic_uint.packed.col", "special_double.packed.row", "nnz0_uint.packed.col"] {
        let from = testdata(&format!("matrix_dir/{name}"));
        let transpose = options().transpose(true);
        nnz::convert(&from, at(&once), &transpose, &Context::default()).unwrap();
        nnz::convert(at(&once), at(&twice), &transpose, &Context::default()).unwrap();
        let Location::Path { path, .. } = &from else { panic!("a path") };
        for entry in fs::read_dir(path).unwrap() {
            let file = entry.unwrap();
            let back = fs::read(twice.join(file.file_name())).unwrap();
            assert_eq!(fs::read(file.path()).unwrap(), back, "{name}: {:?}", file.file_name());
        }
    }
}

#[test]
fn equal_matrices_of_any_order_type_and_format() {
    let dir = tempfile::tempdir().unwrap();
    let text = at(&dir.path().join("m.mtx"));
    let first = testdata("matrix_dir/basic_uint.packed.col");
    nnz::convert(&first, &text, &options(), &Context::default()).unwrap();
    for second in ["packed.row", "unpacked.col", "v1.packed.row", "import_mtx.row"] {
        let second = testdata(&format!("matrix_dir/basic_uint.{second}"));
        assert_eq!(differences(&first, &second, false), []);
        assert_eq!(differences(&second, &text, true), []);
    }
}

#[test]
fn the_first_differences_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let a = mtx(dir.path(), "a.mtx", "integer general\n3 3 3\n1 1 5\n2 2 6\n3 3 0\n");
    let b = mtx(dir.path(), "b.mtx", "real general\n3 3 3\n3 2 1.5\n2 2 6\n1 1 -5\n");
    let entry = |row, col, first, second| Difference::Entry { row, col, first, second };
    assert_eq!(
        differences(&a, &b, false),
        [
            entry(0, 0, Some(Scalar::I64(5)), Some(Scalar::F64(-5.0))),
            entry(2, 1, None, Some(Scalar::F64(1.5))),
        ]
    );
    // A stored zero is a difference only if stored entries are compared.
    assert_eq!(differences(&a, &b, true)[2..], [entry(2, 2, Some(Scalar::I64(0)), None)]);
    let c = mtx(dir.path(), "c.mtx", "integer general\n3 2 0\n");
    assert!(matches!(differences(&a, &c, false)[..], [Difference::Shape(..)]));
}

#[test]
fn a_symmetric_matrix_equals_its_expansion() {
    let dir = tempfile::tempdir().unwrap();
    let half = mtx(dir.path(), "half.mtx", "real skew-symmetric\n3 3 2\n3 1 2\n2 1 -1\n");
    let full = mtx(dir.path(), "full.mtx", "real general\n3 3 4\n1 2 1\n1 3 -2\n3 1 2\n2 1 -1\n");
    assert_eq!(differences(&half, &full, false), []);
    assert_eq!(differences(&half, &full, true).len(), 2);
}

#[test]
fn the_order_of_entries_is_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    let entries = |rows: &mut dyn Iterator<Item = u32>| -> String {
        rows.map(|row| format!("{row} 1 {row}\n")).collect()
    };
    let head = "integer general\n100 1 100\n";
    let down = mtx(dir.path(), "down.mtx", &format!("{head}{}", entries(&mut (1..=100).rev())));
    let up = mtx(dir.path(), "up.mtx", &format!("{head}{}", entries(&mut (1..=100))));
    assert_eq!(differences(&down, &up, false), []);
    assert_eq!(differences(&up, &down, true), []);
}

#[test]
fn unreadable_names_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("s.bpcells");
    let from = testdata("matrix_dir/basic_uint.packed.col");
    nnz::convert(&from, at(&store), &options(), &Context::default()).unwrap();
    fs::write(store.join("row_names"), "other\n").unwrap();
    let context = Context::default().with_memory(1 << 20).with_threads(1);
    let options = DiffOptions::default().stored(false).max_diffs(1);
    assert!(nnz::diff(&from, at(&store), &options, &context, &mut |_| {}).is_err());
}

#[test]
fn sums_of_pattern_entries_are_counts() {
    let dir = tempfile::tempdir().unwrap();
    let text = "pattern general\n2 2 4\n1 1\n2 2\n1 1\n1 1\n";
    let pattern = mtx(dir.path(), "pattern.mtx", text);
    let counts = mtx(dir.path(), "counts.mtx", "integer general\n2 2 2\n1 1 3\n2 2 1\n");
    let sum = options().duplicates(nnz::output::DuplicatePolicy::Sum);
    for target in ["summed.bpcells", "summed.mtx"] {
        let target = at(&dir.path().join(target));
        nnz::convert(&pattern, &target, &sum, &Context::default()).unwrap();
        assert_eq!(differences(&target, &counts, true), []);
    }
    let mut out = Vec::new();
    let options = nnz::CatOptions::default().duplicates(sum.duplicates.unwrap());
    nnz::cat(&pattern, &options, &Context::default(), &mut out).unwrap();
    assert_eq!(out, b"0\t0\t3\n1\t1\t1\n");
}

#[test]
fn elements_that_are_not_stored_have_no_negated_counterpart() {
    let dir = tempfile::tempdir().unwrap();
    let half = mtx(dir.path(), "half.mtx", "real skew-symmetric\n3 3 1\n3 1 2\n");
    let cells = at(&dir.path().join("cells.mtx"));
    let array =
        options().format_options(nnz::formats::FormatOptions::new().with("layout", "array"));
    nnz::convert(&half, &cells, &array, &Context::default()).unwrap();
    assert_eq!(differences(&half, &cells, false), []);
}

#[test]
fn differences_match_a_simple_comparison() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(7);
    let mut draw = |below: u32| random.below_u32(below);
    let mut equal = 0;
    for case in 0..80 {
        let (rows, cols) = [(9000, 3), (3, 9000), (2500, 40)][case % 3];
        let mut first = BTreeMap::new();
        for _ in 0..draw(12_000) {
            first.insert((draw(cols), draw(rows)), draw(4));
        }
        let mut second = first.clone();
        for _ in 0..[0, 1, 3, 300][draw(4) as usize] {
            let at = (draw(cols), draw(rows));
            // A zero equals an element that is not stored.
            let value = if draw(2) == 0 { first.get(&at).copied().unwrap_or(0) } else { draw(4) };
            second.insert(at, value);
        }
        if draw(3) == 0 {
            second.retain(|_, value| *value > 0);
        }
        let types = ["integer", "real", "unsigned-integer"];
        let mut write = |name: &str, entries: &BTreeMap<(u32, u32), u32>| {
            let field = types[draw(3) as usize];
            let mut text = format!("{field} general\n{rows} {cols} {}\n", entries.len());
            for ((col, row), value) in entries {
                text += &format!("{} {} {value}\n", row + 1, col + 1);
            }
            let text = mtx(dir.path(), &format!("{name}.mtx"), &text);
            let packed = at(&dir.path().join(format!("{name}.bpcells")));
            if draw(2) == 0
                || nnz::convert(&text, &packed, &options(), &Context::default()).is_err()
            {
                return text;
            }
            packed
        };
        let (a, b) = (write("a", &first), write("b", &second));
        let value = |entries: &BTreeMap<_, u32>, at| entries.get(at).copied().unwrap_or(0);
        let places: BTreeSet<_> = first.keys().chain(second.keys()).collect();
        let expected: Vec<_> = places
            .into_iter()
            .filter(|at| value(&first, at) != value(&second, at))
            .map(|at| (u64::from(at.1), u64::from(at.0)))
            .collect();
        let found: Vec<_> = differences(&a, &b, false)
            .into_iter()
            .map(|difference| match difference {
                Difference::Entry { row, col, .. } => (row, col),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, expected[..expected.len().min(3)], "case {case}");
        equal += usize::from(expected.is_empty());
    }
    assert!((10..70).contains(&equal), "{equal}");
}
