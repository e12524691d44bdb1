//! Helpers for the tests of all formats.

use std::path::{Path, PathBuf};

use nnz_core::{Error, MatrixSource, Scalar, Shape};
use nnz_storage::Opened;
use serde_json::Value;

/// Row, column and value.
pub type Entry = (u64, u64, Scalar);

/// Returns the files of a format that other programs wrote.
pub fn testdata(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(format)
}

/// Returns the entries of the manifest of a format.
pub fn manifest(format: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(testdata(format).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["entries"].as_array().unwrap().clone()
}

pub fn opened(path: &Path) -> Opened {
    Opened::local(path).unwrap()
}

/// Writes a file and returns its path; it is removed with the directory.
pub fn written(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("text");
    std::fs::write(&path, text).unwrap();
    (directory, path)
}

/// Reads all entries.
pub fn entries(source: &dyn MatrixSource) -> Result<Vec<Entry>, Error> {
    source.entries()?.collect()
}

/// Returns a value as a float, to compare it with the manifest.
pub fn float(value: Scalar) -> f64 {
    match value {
        Scalar::I64(value) => value as f64,
        Scalar::U64(value) => value as f64,
        Scalar::F64(value) => value,
        Scalar::Bint8(value) => value.0.into(),
        other => panic!("{other:?}"),
    }
}

/// Parses a number of the manifest.
fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(other) => panic!("{other}"),
        None => value.as_f64().unwrap(),
    }
}

/// Checks shape and entries, in the order of the file.
pub fn assert_expected(source: &dyn MatrixSource, expected: &Value, name: &str) {
    let shape = Shape {
        rows: expected["shape"][0].as_u64().unwrap(),
        cols: expected["shape"][1].as_u64().unwrap(),
    };
    assert_eq!(source.header().shape, shape, "{name}");
    let read = entries(source).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(source.header().nnz, Some(read.len() as u64), "{name}");
    let wanted = expected["entries"].as_array().unwrap();
    assert_eq!(read.len(), wanted.len(), "{name}");
    for ((row, col, value), wanted) in read.into_iter().zip(wanted) {
        let place = (wanted[0].as_u64().unwrap(), wanted[1].as_u64().unwrap());
        assert_eq!((row, col), place, "{name}");
        let (found, wanted) = (float(value), number(&wanted[2]));
        // The manifest of one file rounds its values.
        let close = (found - wanted).abs() <= 1e-12 * wanted.abs();
        assert!(found.to_bits() == wanted.to_bits() || close, "{name}: {found} {wanted}");
    }
}
