//! Slices and concatenations, compared with lists of entries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::entries::{self, Entry, Number};
use crate::common::{location, unsynced};
use nnz::{
    Axis, ConcatOptions, Location, MatrixSource as _, Order, Projection, Selection, ValueType,
    engine::{Concat, Slice},
};
use nnz_testing::random::Random;
use proptest::prelude::*;

/// A matrix as a list of entries.
#[derive(Clone, Debug)]
struct Model {
    rows: u64,
    cols: u64,
    field: &'static str,
    symmetry: &'static str,
    entries: Vec<Entry>,
}

impl Model {
    /// Creates a random matrix of small values, including zeros, in any order.
    fn random(
        rows: u64,
        cols: u64,
        field: &'static str,
        symmetry: &'static str,
        seed: u64,
    ) -> Self {
        let mut random = Random::new(seed);
        let mut places = BTreeMap::new();
        let most = if rows * cols == 0 { 0 } else { random.below(200) };
        for _ in 0..most {
            let (mut row, mut col) = (random.next() % rows, random.next() % cols);
            if symmetry != "general" && row < col {
                (row, col) = (col, row);
            }
            if symmetry != "skew-symmetric" || row != col {
                places.insert((row, col), random.next());
            }
        }
        let mut entries: Vec<_> = places.into_iter().collect();
        entries.sort_by_key(|(_, bits)| *bits);
        let value = |bits: u64| match field {
            "pattern" => Number::Integer(1),
            "integer" => Number::Integer((bits % 4).into()),
            _ => Number::Real(((bits % 9) as f64 / 2.0).to_bits()),
        };
        let entries = entries.into_iter().map(|((row, col), bits)| (row, col, value(bits)));
        Self { rows, cols, field, symmetry, entries: entries.collect() }
    }

    fn write(&self, path: &Path) {
        let Self { rows, cols, field, symmetry, .. } = self;
        let mut text = format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n");
        writeln!(text, "{rows} {cols} {}", self.entries.len()).unwrap();
        for (row, col, value) in &self.entries {
            let value = match value {
                _ if *field == "pattern" => String::new(),
                Number::Integer(value) => value.to_string(),
                Number::Real(bits) => format!("{:?}", f64::from_bits(*bits)),
                Number::Complex(_) => unreachable!("none is made"),
            };
            writeln!(text, "{} {} {value}", row + 1, col + 1).unwrap();
        }
        fs::write(path, text).unwrap();
    }

    /// Stores the matrix as one of several kinds of sources.
    fn store(&self, scratch: &Path, name: &str, kind: usize) -> Location {
        let text = scratch.join(format!("{name}.mtx"));
        self.write(&text);
        let (target, order) = match kind {
            0 => return location(&text),
            1 => (location(&scratch.join(format!("{name}.col.bpcells"))), Order::Col),
            2 => (location(&scratch.join(format!("{name}.row.bpcells"))), Order::Row),
            _ => {
                let (path, group) = (scratch.join(format!("{name}.h5")), Some("m".to_owned()));
                let order = if kind == 3 { Order::Col } else { Order::Row };
                (Location::Path { path, group }, order)
            }
        };
        let options = unsynced().format("bpcells").order(order);
        nnz::convert(location(&text), &target, &options, &crate::common::sparing()).unwrap();
        target
    }

    /// Returns the entries, including those that follow from the symmetry.
    fn logical(&self) -> Vec<Entry> {
        let mut all = self.entries.clone();
        for (row, col, value) in &self.entries {
            let turned = match (self.symmetry, *value) {
                ("general", _) => continue,
                ("skew-symmetric", Number::Real(bits)) => {
                    Number::Real((-f64::from_bits(bits)).to_bits())
                }
                (_, value) => value,
            };
            if row != col {
                all.push((*col, *row, turned));
            }
        }
        all
    }
}

fn ordered(mut entries: Vec<Entry>, order: Order) -> Vec<Entry> {
    entries.sort_by_key(|(row, col, _)| order.major_minor(*row, *col));
    entries
}

fn stored(path: &Path) -> Vec<Entry> {
    entries::stored(&*nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap())
        .unwrap()
}

fn bytes_of(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    if path.is_file() {
        return BTreeMap::from([(PathBuf::new(), fs::read(path).unwrap())]);
    }
    let files = fs::read_dir(path).unwrap().map(|file| file.unwrap());
    files.map(|file| (file.file_name().into(), fs::read(file.path()).unwrap())).collect()
}

/// Unique positions of an axis, and one of the ways to select them.
fn selected(len: u64, seed: u64) -> (Vec<u64>, Selection) {
    let mut random = Random::new(seed);
    let mut list: Vec<u64> = (0..len).collect();
    let kind = random.below(5);
    if kind == 0 {
        return (list, Selection::all());
    }
    if kind < 3 {
        for last in (1..list.len()).rev() {
            list.swap(last, random.below(last + 1));
        }
    }
    if random.below(2) == 0 {
        // Ranges, in the order in which they were chosen.
        let mut ranges = Vec::new();
        let mut start = 0;
        while start < len {
            let end = (start + 1 + random.below(8) as u64).min(len);
            if random.below(3) > 0 {
                ranges.push(start..end);
            }
            start = end;
        }
        if kind < 3 {
            ranges.reverse();
        }
        let list = ranges.iter().cloned().flatten().collect();
        return (list, Selection::ranges(ranges).allow_empty(true));
    }
    list.truncate(random.below(list.len() + 1));
    let words: Vec<String> = list.iter().map(u64::to_string).collect();
    (list, Selection::names(words).allow_empty(true))
}

fn order_of(by_row: bool) -> Order {
    if by_row { Order::Row } else { Order::Col }
}

const LENGTH: std::ops::Range<u64> = 0..40;

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slices_match_the_selection(
        (rows, cols) in (LENGTH, LENGTH),
        kind in 0..5_usize,
        field in 0..3_usize,
        by_row in any::<bool>(),
        to_text in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let field = ["integer", "real", "pattern"][field];
        let model = Model::random(rows, cols, field, "general", seed);
        let source = model.store(scratch.path(), "a", kind);
        let (row_list, row_selection) = selected(rows, seed ^ 1);
        let (col_list, col_selection) = selected(cols, seed ^ 2);
        let place = |list: &[u64], old: u64| list.iter().position(|at| *at == old).map(|at| at as u64);
        let expected: Vec<Entry> = model.entries.iter().filter_map(|(row, col, value)| {
            Some((place(&row_list, *row)?, place(&col_list, *col)?, *value))
        }).collect();
        let expected = ordered(expected, order_of(by_row));

        let target = scratch.path().join(if to_text { "t.mtx" } else { "t.bpcells" });
        let options = unsynced().order(order_of(by_row));
        let selections = [&row_selection, &col_selection];
        let run = |threads| {
            let context = crate::common::sparing().with_threads(threads);
            nnz::slice(&source, location(&target), selections, &options, &context).unwrap()
        };
        let summary = run(1);
        prop_assert_eq!(summary.entries, expected.len() as u64);
        prop_assert_eq!(summary.shape.rows, row_list.len() as u64);
        prop_assert_eq!(summary.shape.cols, col_list.len() as u64);
        prop_assert_eq!(&stored(&target), &expected);
        let bytes = bytes_of(&target);
        run(3);
        prop_assert!(bytes_of(&target) == bytes);

        // Any range of the selection, if the source supports it.
        let opened = nnz::open(&source).and_then(nnz::Dataset::into_matrix).unwrap();
        let slice =
            Slice::new(opened, &row_selection, &col_selection).unwrap();
        let header = slice.header();
        if slice.random_access() {
            let (order, majors) = (header.order, header.shape.major(header.order));
            let start = seed % (majors + 1);
            let end = start + (seed >> 32) % (majors - start + 1);
            let mut found = Vec::new();
            let mut reader = slice.batches(start..end, Projection::ALL).unwrap();
            let mut batch = nnz::Batch::new(order, nnz::Values::new(header.value_type));
            while reader.next_batch(&mut batch).unwrap() {
                entries::append(&batch, &mut found);
            }
            let inside = |entry: &Entry| {
                (start..end).contains(&order.major_minor(entry.0, entry.1).0)
            };
            let expected: Vec<Entry> = expected.into_iter().filter(inside).collect();
            prop_assert_eq!(ordered(found, order), ordered(expected, order));
        }
        if let Some(count) = header.nnz {
            prop_assert_eq!(count, summary.entries);
        }
    }

    #[test]
    fn slices_of_symmetric_matrices_are_expanded(
        len in LENGTH,
        kind in 0..3_usize,
        seed in any::<u64>(),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let (field, symmetry) =
            [("integer", "symmetric"), ("real", "skew-symmetric"), ("pattern", "symmetric")][kind];
        let model = Model::random(len, len, field, symmetry, seed);
        let source = model.store(scratch.path(), "a", 0);
        let (row_list, row_selection) = selected(len, seed ^ 1);
        let (col_list, col_selection) = selected(len, seed ^ 2);
        let place = |list: &[u64], old: u64| list.iter().position(|at| *at == old).map(|at| at as u64);
        let expected: Vec<Entry> = model.logical().into_iter().filter_map(|(row, col, value)| {
            Some((place(&row_list, row)?, place(&col_list, col)?, value))
        }).collect();
        for name in ["t.mtx", "t.bpcells"] {
            let target = scratch.path().join(name);
            let selections = [&row_selection, &col_selection];
            nnz::slice(&source, location(&target), selections, &unsynced(), &crate::common::sparing()).unwrap();
            prop_assert_eq!(stored(&target), ordered(expected.clone(), Order::Col));
        }
    }

    #[test]
    fn concatenations_match_their_parts(
        lengths in proptest::collection::vec(LENGTH, 1..4),
        across in LENGTH,
        kinds in proptest::collection::vec(0..6_usize, 3),
        fields in proptest::collection::vec(0..3_usize, 3),
        alike in any::<bool>(),
        along_rows in any::<bool>(),
        by_row in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let axis = if along_rows { Axis::Rows } else { Axis::Cols };
        let (mut sources, mut expected, mut start) = (Vec::new(), Vec::new(), 0);
        let mut real = false;
        for (which, &len) in lengths.iter().enumerate() {
            let kind = kinds[if alike { 0 } else { which }];
            let field = ["integer", "real", "pattern"][fields[which]];
            // A square matrix can be symmetric.
            let symmetric = kind == 5 && len == across;
            let symmetry = if symmetric { "symmetric" } else { "general" };
            let (rows, cols) = if along_rows { (len, across) } else { (across, len) };
            let model = Model::random(rows, cols, field, symmetry, seed ^ which as u64);
            sources.push(model.store(scratch.path(), &format!("{which}"), kind % 5));
            real |= field == "real";
            expected.extend(model.logical().into_iter().map(|(row, col, value)| {
                if along_rows { (row + start, col, value) } else { (row, col + start, value) }
            }));
            start += len;
        }
        // With a real matrix, all values are real.
        for (_, _, value) in &mut expected {
            if let (true, Number::Integer(integer)) = (real, *value) {
                *value = Number::Real((integer as f64).to_bits());
            }
        }
        let expected = ordered(expected, order_of(by_row));
        for name in ["t.bpcells", "t.mtx"] {
            let target = scratch.path().join(name);
            let options = unsynced().order(order_of(by_row));
            // Not all integers are exact as floats, but these are.
            let value_type = real.then_some(ValueType::F64);
            let options = options.value_type(value_type);
            let how = ConcatOptions::default();
            let to = location(&target);
            let summary =
                nnz::concat(&sources, &to, axis, &how, &options, &crate::common::sparing()).unwrap();
            prop_assert_eq!(summary.shape.len(axis), start);
            prop_assert_eq!(&stored(&target), &expected);
            let bytes = bytes_of(&target);
            let context = crate::common::sparing().with_threads(3).with_memory(1);
            nnz::concat(&sources, &to, axis, &how, &options, &context).unwrap();
            prop_assert!(bytes_of(&target) == bytes);
        }
        let opened = sources.iter().map(|one| nnz::open(one).and_then(nnz::Dataset::into_matrix).unwrap()).collect();
        let value_type = real.then_some(ValueType::F64);
        let how = nnz::engine::ConcatOptions::default().value_type(value_type);
        let concat = Concat::new(opened, axis, &how).unwrap();
        let header = concat.header();
        if concat.random_access() {
            let (order, majors) = (header.order, header.shape.major(header.order));
            let start = seed % (majors + 1);
            let end = start + (seed >> 32) % (majors - start + 1);
            let mut found = Vec::new();
            let mut reader = concat.batches(start..end, Projection::ALL).unwrap();
            let mut batch = nnz::Batch::new(order, nnz::Values::new(header.value_type));
            while reader.next_batch(&mut batch).unwrap() {
                entries::append(&batch, &mut found);
            }
            let inside = |entry: &Entry| {
                (start..end).contains(&order.major_minor(entry.0, entry.1).0)
            };
            let expected: Vec<Entry> =
                ordered(expected, order).into_iter().filter(inside).collect();
            prop_assert_eq!(found, expected);
        }
    }
}

/// Three columns with more entries than a batch.
fn tall(scratch: &Path, name: &str, step: u64) -> Location {
    let rows = 150_000_u64;
    let mut text = "%%MatrixMarket matrix coordinate integer general\n".to_owned();
    let count = 3 * rows.div_ceil(step);
    writeln!(text, "{rows} 3 {count}").unwrap();
    for col in 1..=3 {
        for row in (1..=rows).step_by(usize::try_from(step).unwrap()) {
            writeln!(text, "{row} {col} {}", row % 1000).unwrap();
        }
    }
    let path = scratch.join(format!("{name}.mtx"));
    fs::write(&path, text).unwrap();
    let target = location(&scratch.join(format!("{name}.bpcells")));
    nnz::convert(location(&path), &target, &unsynced(), &crate::common::sparing()).unwrap();
    target
}

#[test]
fn majors_longer_than_a_batch_are_concatenated_and_reordered() {
    let scratch = tempfile::tempdir().unwrap();
    let parts = [tall(scratch.path(), "a", 1), tall(scratch.path(), "b", 7)];
    let target = scratch.path().join("t.bpcells");
    let opened = parts
        .iter()
        .map(|one| nnz::open(one).and_then(nnz::Dataset::into_matrix).unwrap())
        .collect();
    let concat = Concat::new(opened, Axis::Rows, &nnz::engine::ConcatOptions::default()).unwrap();
    // In order, without sorting.
    assert!(concat.random_access() && concat.header().sorted_majors);
    for threads in [1, 3] {
        let (options, context) = (unsynced(), crate::common::sparing().with_threads(threads));
        let how = ConcatOptions::default();
        let to = location(&target);
        nnz::concat(&parts, &to, Axis::Rows, &how, &options, &context).unwrap();
        let [a, b] = parts.each_ref().map(|part| {
            let Location::Path { path, .. } = part else { panic!("a path") };
            stored(path)
        });
        let below = b.into_iter().map(|(row, col, value)| (row + 150_000, col, value));
        let expected = ordered(a.iter().copied().chain(below).collect(), Order::Col);
        assert!(stored(&target) == expected);
        // Rows in reverse, in columns of several batches each.
        let backwards = Selection::ranges([75_000..150_000, 0..75_000]);
        let some = Selection::ranges([2..3, 0..1]);
        nnz::slice(&parts[0], &to, [&backwards, &some], &options, &context).unwrap();
        let moved = a
            .iter()
            .filter(|(_, col, _)| *col != 1)
            .map(|(row, col, value)| ((row + 75_000) % 150_000, u64::from(*col == 0), *value));
        assert!(stored(&target) == ordered(moved.collect(), Order::Col));
    }
}

#[test]
fn dimensions_beyond_32_bits_are_sliced_and_concatenated() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.mtx");
    let long = 1_u64 << 53;
    let text = format!(
        "%%MatrixMarket matrix coordinate integer general\n{long} {long} 3\n\
         1 1 7\n{} 5 8\n{long} {long} 9\n",
        (1_u64 << 33) + 1
    );
    fs::write(&path, text).unwrap();
    let source = location(&path);
    let target = scratch.path().join("t.mtx");
    let rows = Selection::ranges([long - 1..long, 1 << 33..(1 << 33) + 1]);
    let all = Selection::all();
    for order in [Order::Row, Order::Col] {
        let options = unsynced().order(order);
        nnz::slice(&source, location(&target), [&rows, &all], &options, &crate::common::sparing())
            .unwrap();
        let expected = vec![(0, long - 1, Number::Integer(9)), (1, 4, Number::Integer(8))];
        assert_eq!(stored(&target), ordered(expected, order));
        for axis in [Axis::Rows, Axis::Cols] {
            let both = [source.clone(), source.clone()];
            let how = ConcatOptions::default();
            nnz::concat(&both, location(&target), axis, &how, &options, &crate::common::sparing())
                .unwrap();
            let mut expected = Vec::new();
            for start in [0, long] {
                let (down, right) = if axis == Axis::Rows { (start, 0) } else { (0, start) };
                for (row, col, value) in [(0, 0, 7), (1 << 33, 4, 8), (long - 1, long - 1, 9)] {
                    expected.push((row + down, col + right, Number::Integer(value)));
                }
            }
            assert_eq!(stored(&target), ordered(expected, order));
        }
    }
    let both = vec![source.clone(); 2100];
    let done = nnz::concat(
        &both,
        location(&target),
        Axis::Rows,
        &ConcatOptions::default(),
        &unsynced(),
        &crate::common::sparing(),
    );
    assert!(done.unwrap_err().to_string().contains("more than 2^64 rows"));
}

#[test]
fn only_dense_matrices_are_concatenated_to_a_dense_one() {
    let scratch = tempfile::tempdir().unwrap();
    let array = "%%MatrixMarket matrix array real general\n2 2\n1.5\n0.0\n0.0\n-0.0\n";
    let sparse = "%%MatrixMarket matrix coordinate real general\n2 1 1\n2 1 0\n";
    let [dense, few] = [("d.mtx", array), ("s.mtx", sparse)].map(|(name, text)| {
        let path = scratch.path().join(name);
        fs::write(&path, text).unwrap();
        location(&path)
    });
    let target = scratch.path().join("t.mtx");
    let concat = |parts: &[Location], axis| {
        let how = ConcatOptions::default();
        nnz::concat(parts, location(&target), axis, &how, &unsynced(), &crate::common::sparing())
            .unwrap();
        fs::read_to_string(&target).unwrap()
    };
    let text = concat(&[dense.clone(), dense.clone()], Axis::Rows);
    let expected = "%%MatrixMarket matrix array real general\n4 2\n\
                    1.5\n0.0\n1.5\n0.0\n0.0\n-0.0\n0.0\n-0.0\n";
    assert_eq!(text, expected);
    let text = concat(&[dense.clone(), few], Axis::Cols);
    let expected = "%%MatrixMarket matrix coordinate real general\n2 3 3\n\
                    1 1 1.5\n2 2 -0.0\n2 3 0.0\n";
    assert_eq!(text, expected);
    let one = Selection::names(["1"]);
    nnz::slice(
        &dense,
        location(&target),
        [&one, &Selection::all()],
        &unsynced(),
        &crate::common::sparing(),
    )
    .unwrap();
    let text = fs::read_to_string(&target).unwrap();
    assert_eq!(text, "%%MatrixMarket matrix array real general\n1 2\n0.0\n-0.0\n");
}

#[test]
fn concatenations_have_a_common_or_the_requested_type() {
    let scratch = tempfile::tempdir().unwrap();
    let model = |field, value: Number| {
        let entries = vec![(0, 0, value)];
        Model { rows: 1, cols: 1, field, symmetry: "general", entries }
    };
    let half = model("real", Number::Real(0.5_f64.to_bits()));
    let five = model("integer", Number::Integer(5));
    let texts = [half.store(scratch.path(), "half", 0), five.store(scratch.path(), "five", 0)];
    let target = location(&scratch.path().join("t.bpcells"));
    let concat = |parts: &[Location], value_type| {
        let how = ConcatOptions::default();
        let options = unsynced().value_type(value_type);
        nnz::concat(parts, &target, Axis::Rows, &how, &options, &crate::common::sparing())
    };
    // Not all 64-bit integers are exact as floats.
    let message = concat(&texts, None).unwrap_err().to_string();
    assert!(message.contains("five.mtx: int64 values and float64 values of"), "{message}");
    assert!(message.contains("`value_type` selects a type"), "{message}");
    concat(&texts, Some(ValueType::F32)).unwrap();
    let opened = nnz::open(&target).and_then(nnz::Dataset::into_matrix).unwrap();
    assert_eq!(opened.header().value_type, ValueType::F32);
    let message = concat(&texts, Some(ValueType::U32)).unwrap_err().to_string();
    assert!(
        message.contains("half.mtx: entry (row 0, column 0): 0.5 cannot be stored exactly"),
        "{message}"
    );
    let stores = [half.store(scratch.path(), "half", 1), five.store(scratch.path(), "five", 1)];
    concat(&stores, None).unwrap();
    let opened = nnz::open(&target).and_then(nnz::Dataset::into_matrix).unwrap();
    assert_eq!(opened.header().value_type, ValueType::F64);
}
