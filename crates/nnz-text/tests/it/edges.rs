//! Edge lists.

use nnz_core::{At, Axis, MatrixSource, Order, Scalar, Structure, Triangle, ValueType};
use nnz_storage::{Opened, TaskContext};
use nnz_text::Base;
use nnz_text::edges::{EdgeListSource, ReadOptions, Weight, from_opened};

use crate::common::{assert_expected, entries, manifest, opened, testdata, written};

fn read(text: &str, options: &ReadOptions) -> Result<EdgeListSource, nnz_core::Error> {
    let (_directory, path) = written(text.as_bytes());
    from_opened(&opened(&path), options)
}

fn refused(text: &str, options: &ReadOptions) -> nnz_core::Error {
    let read = read(text, options).and_then(|source| entries(&source));
    read.expect_err(text)
}

/// The options that an ambiguous file requires.
fn options(name: &str) -> ReadOptions {
    let options = ReadOptions::default();
    match name {
        "one_based.el" => options.base(Some(Base::One)),
        "timestamps.tsv" => options.weight(Some(Weight::Field(3))),
        "bipartite_names.tsv" => options.bipartite(true),
        _ => options,
    }
}

#[test]
fn files_of_other_programs_are_read_as_expected() {
    let mut count = 0;
    for case in manifest("edges").iter().filter(|case| !case["expected"].is_null()) {
        let name = case["path"].as_str().unwrap();
        let source = from_opened(&opened(&testdata("edges").join(name)), &options(name));
        let source = source.unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = &case["expected"];
        if name == "igraph_ncol.ncol" {
            // igraph numbered the nodes before it wrote them; `c` follows `d` in the file.
            let names = source.names(Axis::Rows).unwrap().unwrap();
            assert_eq!(names.iter().collect::<Vec<_>>(), [b"a", b"b", b"d", b"c"]);
            let weights = [(0, 1, 1.0), (0, 2, 0.25), (1, 3, 2.5), (3, 0, 3.0)];
            let weights = weights.map(|(row, col, weight)| (row, col, Scalar::F64(weight)));
            assert_eq!(entries(&source).unwrap(), weights);
            continue;
        }
        assert_expected(&source, expected, name);
        for (axis, key) in [(Axis::Rows, "row_names"), (Axis::Cols, "col_names")] {
            let Some(wanted) = expected[key].as_array() else { continue };
            let names = source.names(axis).unwrap().unwrap();
            let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
            assert_eq!(names, wanted.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>());
        }
        count += 1;
    }
    assert_eq!(count, 23);
}

#[test]
fn broken_files_are_errors_with_line_and_column() {
    let mut count = 0;
    for case in manifest("edges") {
        let name = case["path"].as_str().unwrap();
        if !name.starts_with("bad_") {
            continue;
        }
        let path = testdata("edges").join(name);
        let read = from_opened(&opened(&path), &ReadOptions::default());
        let error = read.and_then(|source| entries(&source)).expect_err(name);
        assert_eq!(error.place().path.as_deref(), Some(path.as_path()));
        assert!(matches!(error.place().at, Some(At::Line { line: 1.., column: 1.. })), "{error}");
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn errors_name_what_was_found_and_expected() {
    let default = ReadOptions::default();
    for (text, line, column, expected) in [
        ("0 1\n2\n", 2, 2, "a second node"),
        ("0 1\n1 x\n", 2, 3, "a node, an integer"),
        ("0 1 2\n1 2\n", 2, 4, "a weight, as in the first edge"),
        ("0 1\n1 2 3\n", 2, 5, "the end of the line"),
        ("0 1 2 3\n", 1, 7, "two nodes and a weight"),
        ("0 1 {}\n1 2 {'weight': 3}\n", 2, 5, "as in the first edge"),
        ("0 1 {'color': 3}\n", 1, 5, "the only attribute"),
        ("0 1 {'weight': 3, 'color': 4}\n", 1, 17, "the only attribute"),
        ("0,1,2\n1 2 3\n", 2, 2, "a second node"),
        ("0 1 9007199254740993\n1 0 0.5\n", 1, 5, "an integer that float64 holds exactly"),
    ] {
        let error = refused(text, &default);
        assert_eq!(error.place().at, Some(At::Line { line, column }), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let error = refused("0 1 2\n", &default.weight(Some(Weight::Field(4))));
    assert!(error.to_string().contains("the weights in field 4"), "{error}");
    let error = refused("0 1\n", &default.base(Some(Base::One)));
    assert_eq!(error.place().at, Some(At::Line { line: 1, column: 1 }), "{error}");
    let error = refused("0 1\n5 2\n", &default.size("5".parse().unwrap()));
    assert_eq!(error.place().at, Some(At::Line { line: 2, column: 1 }), "{error}");
    assert!(error.to_string().contains("a node from 0 to 4"), "{error}");
}

#[test]
fn edges_without_a_direction_are_a_symmetric_matrix() {
    let source = read("0 1 5\n2 1 7\n", &ReadOptions::default().undirected(true)).unwrap();
    assert_eq!(source.header().structure, Structure::Symmetric(Triangle::Lower));
    assert_eq!(entries(&source).unwrap(), [(1, 0, Scalar::I64(5)), (2, 1, Scalar::I64(7))]);
    // Both directions are the same edge.
    let source = read("0 1\n1 0\n", &ReadOptions::default().undirected(true)).unwrap();
    assert_eq!(source.locate(1, 0).unwrap().len(), 2);
}

#[test]
fn headers_of_konect_state_base_direction_and_sizes() {
    let source = read("% sym unweighted\n% 2 9 9\n1 2\n2 3\n", &ReadOptions::default()).unwrap();
    assert_eq!(source.header().shape.to_string(), "9 x 9");
    assert_eq!(source.header().structure, Structure::Symmetric(Triangle::Lower));
    assert_eq!(source.notes().len(), 1);
    let source = read("% bip weighted\n% 1 3 5\n1 2 0.5\n", &ReadOptions::default()).unwrap();
    assert_eq!(source.header().shape.to_string(), "3 x 5");
    assert_eq!(entries(&source).unwrap(), [(0, 1, Scalar::F64(0.5))]);
}

/// The mark became a part of the name of the first node.
#[test]
fn a_byte_order_mark_is_skipped() {
    for start in ["", "# comment\n", "% sym unweighted\n% 2 9 9\n"] {
        let text = format!("{start}5 1\n1 2\n");
        let plain = read(&text, &ReadOptions::default()).unwrap();
        let marked = read(&format!("\u{feff}{text}"), &ReadOptions::default()).unwrap();
        assert_eq!(plain.header(), marked.header());
        assert_eq!(entries(&plain).unwrap(), entries(&marked).unwrap());
        assert!(marked.read_names(Axis::Rows).unwrap().is_none());
    }
}

#[test]
fn the_order_is_that_of_the_file() {
    let order = |text: &str| {
        let source = read(text, &ReadOptions::default()).unwrap();
        let header = source.header();
        (header.order, header.sorted_majors)
    };
    assert_eq!(order("0 5\n0 3\n2 1\n"), (Order::Row, true));
    assert_eq!(order("5 0\n3 0\n1 2\n"), (Order::Col, true));
    assert_eq!(order("5 3\n3 7\n4 2\n"), (Order::Row, false));
}

#[test]
fn weights_have_the_type_that_holds_all() {
    let kind = |text: &str| {
        let source = read(text, &ReadOptions::default()).unwrap();
        entries(&source).unwrap();
        source.header().value_type
    };
    assert_eq!(kind("0 1 9007199254740993\n"), ValueType::I64);
    assert_eq!(kind("0 1 18446744073709551615\n"), ValueType::U64);
    assert_eq!(kind("0 1 1\n1 2 0.5\n"), ValueType::F64);
    assert_eq!(kind("0 1\n"), ValueType::Bint8);
    assert_eq!(kind("0 1 {}\n1 2 {}\n"), ValueType::Bint8);
}

#[test]
fn edges_in_many_blocks_are_read_in_order() {
    let mut random = nnz_testing::random::Random::new(5);
    let (mut text, mut expected) = (String::new(), Vec::new());
    for _ in 0..150_000 {
        let (row, col, value) = (random.below(5000), random.below(70_000), random.below(99));
        text += &format!("{row}\t{col} {value}\n");
        expected.push((row as u64, col as u64, Scalar::I64(value as i64)));
    }
    assert!(text.len() > 1 << 20);
    let source = read(&text, &ReadOptions::default()).unwrap();
    assert!(entries(&source).unwrap() == expected);
    let mut names = String::new();
    for (row, col, _) in &expected {
        names += &format!("n{row} n{col}\n");
    }
    let source = read(&names, &ReadOptions::default()).unwrap();
    let list = source.names(Axis::Rows).unwrap().unwrap();
    assert_eq!(list.len(), source.header().shape.rows);
    let name = |number: u64| String::from_utf8_lossy(list.get(number).unwrap()).into_owned();
    for ((row, col, _), wanted) in entries(&source).unwrap().into_iter().zip(&expected) {
        assert_eq!((name(row), name(col)), (format!("n{}", wanted.0), format!("n{}", wanted.1)));
    }
}

#[test]
fn names_need_no_more_memory_than_allowed() {
    let (_directory, path) = written(b"a b\nc d\n");
    let context = TaskContext::default().with_memory(100);
    let source = from_opened(&Opened::new(&context, &path).unwrap(), &ReadOptions::default());
    assert!(source.is_err_and(|error| error.to_string().contains("memory")));
}

#[test]
fn damaged_files_are_read_or_refused() {
    use nnz_testing::mutations::{mutate, rounds};
    let mut random = nnz_testing::random::Random::new(12);
    for case in manifest("edges") {
        let name = case["path"].as_str().unwrap();
        let bytes = std::fs::read(testdata("edges").join(name)).unwrap();
        if bytes.is_empty() {
            continue;
        }
        for _ in 0..rounds() {
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut random);
            let (_directory, path) = written(&bytes);
            if let Ok(source) = from_opened(&opened(&path), &options(name))
                && let Ok(read) = entries(&source)
            {
                assert_eq!(source.header().nnz, Some(read.len() as u64));
            }
        }
    }
}
