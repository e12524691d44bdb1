//! Files of many kinds, with their expected entries.

use nnz_core::{At, Bint8, Error, MatrixSource, Scalar, Storage};
use nnz_matrix_market::open;
use serde_json::Value;

use crate::common::{Entry, entries, exact, testdata};

fn manifest() -> Vec<Value> {
    let text = std::fs::read_to_string(testdata().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["entries"].as_array().unwrap().clone()
}

/// Parses a float of the manifest.
fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(other) => panic!("{other}"),
        None => value.as_f64().unwrap(),
    }
}

fn expected(field: &str, list: &Value) -> Vec<Entry> {
    let entry = |entry: &Value| {
        let value = match field {
            "integer" => Scalar::I64(entry[2].as_i64().unwrap()),
            "real" => Scalar::F64(float(&entry[2])),
            "complex" => Scalar::ComplexF64([float(&entry[2][0]), float(&entry[2][1])]),
            "pattern" => Scalar::Bint8(Bint8(1)),
            other => panic!("{other}"),
        };
        (entry[0].as_u64().unwrap(), entry[1].as_u64().unwrap(), value)
    };
    list.as_array().unwrap().iter().map(entry).collect()
}

#[test]
fn every_valid_file_is_read_as_expected() {
    let mut count = 0;
    for case in manifest().iter().filter(|case| case["malformed"] != true) {
        let source = open(&testdata().join(case["path"].as_str().unwrap())).unwrap();
        let read = entries(&source).unwrap();
        let header = source.header();
        assert_eq!(header.nnz, Some(read.len() as u64));
        assert_eq!(header.shape.rows, case["expected"]["shape"][0].as_u64().unwrap());
        assert_eq!(header.shape.cols, case["expected"]["shape"][1].as_u64().unwrap());
        assert_eq!(header.structure.to_string().split(' ').next(), case["symmetry"].as_str());
        assert_eq!(header.storage == Storage::Dense, case["mm_format"] == "array");
        // Two files have no expected entries, because their meaning is ambiguous; see below.
        if let Some(list) = case["expected"].get("entries") {
            let expected = expected(case["field"].as_str().unwrap(), list);
            assert_eq!(exact(&read), exact(&expected), "{}", case["id"]);
            count += 1;
        }
    }
    assert_eq!(count, 34);
}

#[test]
fn every_malformed_file_is_an_error_with_a_line() {
    let mut count = 0;
    for case in manifest().iter().filter(|case| case["malformed"] == true) {
        let path = testdata().join(case["path"].as_str().unwrap());
        let refused: Result<Vec<Entry>, Error> = open(&path).and_then(|source| entries(&source));
        let error = refused.unwrap_err();
        assert_eq!(error.place().path.as_deref(), Some(path.as_path()));
        assert!(matches!(error.place().at, Some(At::Line { line: 1.., column: 1.. })), "{error}");
        count += 1;
    }
    assert_eq!(count, 27);
}

#[test]
fn duplicates_are_read_and_located() {
    let source = open(&testdata().join("valid/duplicates.mtx")).unwrap();
    let read = entries(&source).unwrap();
    assert_eq!(
        read,
        [(0, 0, Scalar::F64(1.0)), (0, 0, Scalar::F64(2.0)), (1, 1, Scalar::F64(5.0))]
    );
    assert_eq!(
        source.locate(0, 0).unwrap(),
        [At::Line { line: 3, column: 1 }, At::Line { line: 4, column: 1 }]
    );
}

#[test]
fn entries_above_the_diagonal_are_read_and_noted() {
    let source = open(&testdata().join("valid/symmetric_upper_entries.mtx")).unwrap();
    assert!(source.notes().is_empty());
    let read = entries(&source).unwrap();
    assert_eq!(read, [(0, 0, Scalar::F64(1.0)), (0, 2, Scalar::F64(2.0))]);
    assert_eq!(
        source.notes(),
        ["1 entry above the diagonal, but a symmetric file stores the lower triangle; \
          the first is at line 4, column 1"]
    );
    // Its mirror image is the same entry.
    assert_eq!(source.locate(2, 0).unwrap(), [At::Line { line: 4, column: 1 }]);
}
