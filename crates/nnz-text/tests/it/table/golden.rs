//! Files that other programs wrote.

use std::path::PathBuf;

use nnz_core::{At, Axis, MatrixSource, Scalar};
use nnz_storage::Opened;
use nnz_text::table::{self, Decimal, ReadOptions};
use serde_json::Value;

use super::{cells, names, ways};

pub(crate) fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables")
}

pub(crate) fn entries() -> Vec<Value> {
    let manifest = std::fs::read(directory().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    manifest["entries"].as_array().unwrap().clone()
}

/// The options without which a file is ambiguous.
pub(crate) fn options(path: &str) -> ReadOptions {
    let na = match path {
        "pandas_special.csv" => Some(""),
        "pandas_na_rep.csv" | "r_doubles.txt" | "r_write_csv2.csv" => Some("NA"),
        _ => None,
    };
    let decimal = match path {
        "decimal_comma.csv" | "r_write_csv2.csv" => Decimal::Comma,
        _ => Decimal::Point,
    };
    let id_columns = (path == "two_id_columns.tsv").then_some(2);
    ReadOptions { na: na.map(str::to_owned), decimal, id_columns, ..ReadOptions::default() }
}

fn equal(found: Scalar, expected: &Value) -> bool {
    match found {
        Scalar::I64(value) => expected.as_i64() == Some(value),
        Scalar::U64(value) => expected.as_u64() == Some(value),
        Scalar::F64(value) => match expected.as_str() {
            Some("nan") => value.is_nan(),
            Some(word) => word.parse::<f64>().unwrap().to_bits() == value.to_bits(),
            None => expected.as_f64().unwrap().to_bits() == value.to_bits(),
        },
        _ => false,
    }
}

#[test]
fn golden_files_are_read_exactly() {
    let mut count = 0;
    for entry in entries() {
        let (path, expected) = (entry["path"].as_str().unwrap(), &entry["expected"]);
        if expected.is_null() {
            continue;
        }
        count += 1;
        for (options, context) in ways(&options(path)) {
            let opened = Opened::new(&context, &directory().join(path)).unwrap();
            let table = table::open(&opened, &options).unwrap();
            let header = table.header();
            assert_eq!(header.shape.rows, expected["shape"][0].as_u64().unwrap(), "{path}");
            assert_eq!(header.shape.cols, expected["shape"][1].as_u64().unwrap(), "{path}");
            assert_eq!(header.value_type.name(), expected["dtype"], "{path}");
            let wanted = expected["cells"].as_array().unwrap().iter();
            let wanted = wanted.flat_map(|row| row.as_array().unwrap());
            let found = cells(&table).unwrap();
            assert!(found.iter().zip(wanted).all(|(a, b)| equal(*a, b)), "{path}: {found:?}");
            for (axis, key) in [(Axis::Rows, "row_names"), (Axis::Cols, "col_names")] {
                let mut found = names(&table, axis).unwrap();
                if path == "spaces_around.csv" && axis == Axis::Cols {
                    // pandas keeps the blanks of names, too.
                    for name in &mut found {
                        *name = name.strip_prefix(' ').unwrap().to_owned();
                    }
                }
                let expected: Vec<&str> =
                    expected[key].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
                assert_eq!(found, expected, "{path}");
            }
        }
    }
    assert!(count > 38, "{count}");
}

#[test]
fn broken_files_are_refused_with_line_and_column() {
    let mut count = 0;
    for entry in entries() {
        let path = entry["path"].as_str().unwrap();
        let refused = entry["verdict"] == "must_reject"
            || ["bad_nul.csv", "bad_not_utf8.csv", "two_id_columns.tsv"].contains(&path);
        if !refused {
            continue;
        }
        count += 1;
        for (options, context) in ways(&ReadOptions::default()) {
            let opened = Opened::new(&context, &directory().join(path)).unwrap();
            let error = table::open(&opened, &options).unwrap_err();
            let place = error.place();
            assert!(place.path.is_some(), "{path}: {error}");
            // The position in damaged compressed data is not one of the text.
            let gzip = path.ends_with(".gz");
            assert!(gzip || matches!(place.at, Some(At::Line { .. })), "{path}: {error}");
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn what_a_file_does_not_state_has_to_be_given() {
    for path in ["pandas_special.csv", "pandas_na_rep.csv", "r_doubles.txt"] {
        let opened = Opened::local(&directory().join(path)).unwrap();
        let error = table::open(&opened, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.hint().map(|hint| hint.item), Some("na"), "{path}: {error}");
    }
    let opened = Opened::local(&directory().join("decimal_comma.csv")).unwrap();
    let error = table::open(&opened, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.hint().map(|hint| hint.item), Some("decimal"), "{error}");
    let opened = Opened::local(&directory().join("two_id_columns.tsv")).unwrap();
    let table = table::open(&opened, &options("two_id_columns.tsv")).unwrap();
    let ids: Vec<String> = (0..7).map(|id| format!("E{id}")).collect();
    assert_eq!(names(&table, Axis::Rows).unwrap(), ids);
    let symbols = table.annotations(Axis::Rows).unwrap().unwrap();
    assert_eq!(symbols.columns()[0].name, "symbol");
    let mut text = Vec::new();
    symbols.read_column(0, u64::MAX).unwrap().write_text(6, &mut text);
    assert_eq!(text, b"GENE6");
}
