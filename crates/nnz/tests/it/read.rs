//! Reading whole matrices into memory.

use nnz::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nnz::{
    Batch, CsMatrix, ErrorKind, Location, Order, Projection, ReadOptions, Values, matrix::Minors,
};

fn testdata(name: &str) -> Location {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells");
    at(root.join(name))
}

fn at(path: PathBuf) -> Location {
    Location::Path { path, group: None }
}

/// The text of each value by row and column, as returned by the source.
fn stored(location: &Location) -> BTreeMap<(u64, u64), String> {
    let source = nnz::open(location).and_then(nnz::Dataset::into_matrix).unwrap();
    let header = source.header();
    let mut all = BTreeMap::new();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL).unwrap();
    while reader.next_batch(&mut batch).unwrap() {
        let visit = |entry, major, minor| {
            let value = format!("{:?}", batch.values.get(entry).unwrap());
            let before = all.insert(header.order.row_col(major, minor), value);
            if before.is_some() { Err("two entries at one place") } else { Ok(()) }
        };
        batch.try_for_each(visit).unwrap();
    }
    all
}

fn entries(matrix: &CsMatrix) -> BTreeMap<(u64, u64), String> {
    let minors: Vec<u64> = match matrix.indices() {
        Minors::U32(list) => list.iter().copied().map(u64::from).collect(),
        Minors::U64(list) => list.clone(),
        Minors::Spans(_) => panic!("spans"),
    };
    let majors = matrix.shape().major(matrix.order());
    assert_eq!(matrix.indptr().len() as u64, majors + 1);
    assert_eq!((matrix.indptr()[0], *matrix.indptr().last().unwrap()), (0, minors.len() as u64));
    assert_eq!(matrix.values().len(), Some(minors.len()));
    let mut all = BTreeMap::new();
    for (major, ends) in (0..).zip(matrix.indptr().windows(2)) {
        let run = usize::try_from(ends[0]).unwrap()..usize::try_from(ends[1]).unwrap();
        assert!(minors[run.clone()].is_sorted(), "{major}");
        for entry in run {
            let value = format!("{:?}", matrix.values().get(entry).unwrap());
            all.insert(matrix.order().row_col(major, minors[entry]), value);
        }
    }
    assert_eq!(all.len(), minors.len());
    all
}

#[test]
fn stores_are_read_in_any_order_by_any_number_of_threads() {
    for name in [
        "matrix_dir/basic_uint.packed.col",
        "matrix_dir/basic_uint.unpacked.row",
        "matrix_dir/basic_float.packed.row",
        "matrix_dir/basic_double.packed.col",
        "matrix_dir/longcol_uint.packed.col",
        "matrix_dir/emptycols_uint.packed.col",
        "matrix_dir/zerocols_uint.packed.col",
        "matrix_dir/explicit_zero_uint.packed.col",
        "handmade/unsorted_rows.packed",
        "handmade/unsorted_rows.unpacked",
    ] {
        let location = testdata(name);
        let expected = stored(&location);
        for order in [None, Some(Order::Row), Some(Order::Col)] {
            for threads in [1, 3] {
                let context = Context::default().with_threads(threads);
                let options = ReadOptions::default().order(order);
                let matrix = nnz::read(&location, &options, &context).unwrap();
                assert!(order.is_none_or(|order| order == matrix.order()));
                assert_eq!(entries(&matrix), expected, "{name} {order:?} {threads}");
            }
        }
    }
}

#[test]
fn binsparse_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/binsparse/valid/c");
    let mut read = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let location = at(file.unwrap().path());
        let Ok(opened) = nnz::open(&location).and_then(nnz::Dataset::into_matrix) else { continue };
        let header = opened.header();
        let sparse = header.storage == nnz::matrix::Storage::Sparse;
        if !sparse || header.structure != nnz::matrix::Structure::General || header.fill.is_some() {
            continue;
        }
        let expected = stored(&location);
        for threads in [1, 2] {
            let context = Context::default().with_threads(threads);
            let options = ReadOptions::default();
            let matrix = nnz::read(&location, &options, &context).unwrap();
            assert_eq!(matrix.values().value_type(), header.value_type);
            assert_eq!(entries(&matrix), expected, "{location}");
        }
        read += 1;
    }
    assert!(read > 30, "{read}");
}

#[test]
fn fill_values_other_than_zero_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/binsparse/valid");
    let mut refused = 0;
    for by in ["c", "hand", "py"] {
        for file in std::fs::read_dir(folder.join(by)).unwrap() {
            let location = at(file.unwrap().path());
            let Ok(opened) = nnz::open(&location).and_then(nnz::Dataset::into_matrix) else {
                continue;
            };
            if opened.header().fill.is_some() {
                nnz::read(&location, &ReadOptions::default(), &Context::default()).unwrap_err();
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn duplicates_are_refused_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let [text, store] = ["m.mtx", "m.bpcells"].map(|name| dir.path().join(name));
    let lines = "coordinate integer general\n3 3 3\n1 1 7\n2 1 5\n2 1 4\n";
    std::fs::write(&text, format!("%%MatrixMarket matrix {lines}")).unwrap();
    let keep = Some(nnz::output::DuplicatePolicy::Keep);
    let options = nnz::ConvertOptions::default().duplicates(keep);
    nnz::convert(at(text), at(store.clone()), &options, &crate::common::sparing()).unwrap();
    let read = |duplicates| {
        nnz::read(
            at(store.clone()),
            &ReadOptions::default().duplicates(duplicates),
            &Context::default(),
        )
    };
    assert_eq!(read(None).unwrap().indptr(), [0, 3, 3, 3]);
    let error = read(Some(nnz::output::DuplicatePolicy::Refuse)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Duplicate { .. }), "{error}");
    assert_eq!(read(Some(nnz::output::DuplicatePolicy::Sum)).unwrap().indptr(), [0, 2, 2, 2]);
}

#[test]
fn texts_are_sorted_and_expanded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    let text = "coordinate integer symmetric\n3 3 3\n3 1 7\n2 2 5\n2 1 -4\n";
    std::fs::write(&path, format!("%%MatrixMarket matrix {text}")).unwrap();
    let matrix = nnz::read(at(path), &ReadOptions::default(), &Context::default()).unwrap();
    assert_eq!(matrix.order(), Order::Col);
    assert_eq!(matrix.indptr(), [0, 2, 4, 5]);
    assert_eq!(*matrix.indices(), Minors::U32(vec![1, 2, 0, 1, 0]));
    assert_eq!(*matrix.values(), Values::I64(vec![-4, 7, -4, 5, 7]));
}

#[test]
fn matrices_above_the_memory_limit_are_refused() {
    for order in [Order::Col, Order::Row] {
        let context = Context::default().with_memory(1000);
        let options = ReadOptions::default().order(order);
        let location = testdata("matrix_dir/basic_uint.packed.col");
        let error = nnz::read(&location, &options, &context).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Memory { allowed: 1000, .. }), "{error}");
    }
}
