//! 10x folders, real ones and variants.

use std::path::{Path, PathBuf};

use nnz_core::{Axis, AxisKind, ErrorKind, MatrixSource, Order, Scalar};
use nnz_matrix_market::tenx_folder::{looks_like, open};
use nnz_storage::InputDirectory;

use crate::common::entries;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pbmc_10x_v3_mtx")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn names(source: &dyn MatrixSource, axis: Axis) -> Vec<String> {
    let names = source.names(axis).unwrap().unwrap();
    names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

const MATRIX: &str = "%%MatrixMarket matrix coordinate integer general\n2 1 1\n2 1 7\n";

#[test]
fn a_real_folder_is_a_matrix_with_names() {
    assert!(looks_like(&InputDirectory::open(&example()).unwrap()).unwrap());
    let source = open(&example()).unwrap();
    let header = source.header();
    assert_eq!(header.shape.to_string(), "507 x 1107");
    assert_eq!(header.nnz, Some(23_866));
    // Columns are sorted, rows inside them are not.
    assert_eq!((header.order, header.sorted_majors), (Order::Col, true));
    assert_eq!(header.axis_kinds, [AxisKind::Features, AxisKind::Cells]);
    let read = entries(&source).unwrap();
    assert_eq!(read.len(), 23_866);
    assert_eq!(read[0], (457, 0, Scalar::I64(3)));
    assert_eq!(read[1], (455, 0, Scalar::I64(1)));
    let (rows, cols) = (names(&source, Axis::Rows), names(&source, Axis::Cols));
    assert_eq!((rows.len(), cols.len()), (507, 1107));
    assert_eq!(rows[0], "ENSG00000279493");
    assert_eq!(cols[0], "AAACCCAAGGAGAGTA-1");
    assert_eq!(annotated(&source), ["name", "feature_type"]);
    assert!(source.notes().is_empty());
    let about = source.about().unwrap();
    assert_eq!(about.format, "10x directory");
    assert_eq!(about.dialect.as_deref(), Some("coordinate integer general"));
    assert_eq!(about.bytes, Some(6423 + 4774 + 73_946));
}

#[test]
fn older_folders_have_genes_and_any_line_ends() {
    let dir = folder(&[
        ("matrix.mtx", MATRIX),
        ("genes.tsv", "g1\tone\r\ng2\ttwo"),
        ("barcodes.tsv", "cell\r\n"),
    ]);
    let source = open(dir.path()).unwrap();
    assert_eq!(names(&source, Axis::Rows), ["g1", "g2"]);
    assert_eq!(names(&source, Axis::Cols), ["cell"]);
    assert_eq!(annotated(&source), ["name"]);
}

#[test]
fn a_wrong_number_of_names_is_an_error() {
    for (barcodes, found) in [("", 0), ("a\nb\n", 2), ("a\n\nb\n\n", 3)] {
        let dir = folder(&[
            ("matrix.mtx", MATRIX),
            ("features.tsv", "g1\ng2\n"),
            ("barcodes.tsv", barcodes),
        ]);
        let source = open(dir.path()).unwrap();
        assert!(source.extras().unwrap().is_empty());
        assert_eq!(names(&source, Axis::Rows), ["g1", "g2"]);
        let message = source.names(Axis::Cols).unwrap_err().to_string();
        let expected =
            format!("barcodes.tsv: found {found} names, expected 1, the number of columns");
        assert!(message.ends_with(&expected), "{message}");
        // Entries can be read without names.
        assert_eq!(entries(&source).unwrap().len(), 1);
    }
    let files = [("matrix.mtx", MATRIX), ("features.tsv", "g1\ng2\n"), ("barcodes.tsv", "a\n\n")];
    let dir = folder(&files);
    // Blank lines at the end are not names.
    assert_eq!(names(&open(dir.path()).unwrap(), Axis::Cols), ["a"]);
}

#[test]
fn an_empty_matrix_has_empty_name_files() {
    let dir = folder(&[
        ("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n0 0 0\n"),
        ("features.tsv", ""),
        ("barcodes.tsv", ""),
    ]);
    let source = open(dir.path()).unwrap();
    assert!(names(&source, Axis::Rows).is_empty());
    assert!(entries(&source).unwrap().is_empty());
}

#[test]
fn a_missing_file_is_an_error_with_its_names() {
    let dir = folder(&[("matrix.mtx", MATRIX), ("barcodes.tsv", "c\n")]);
    let error = open(dir.path()).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Missing));
    assert!(
        error
            .to_string()
            .contains("features.tsv or genes.tsv or peaks.bed (plain or .gz) is missing")
    );
    assert!(!looks_like(&InputDirectory::open(dir.path()).unwrap().inside("nowhere")).unwrap());
}

#[test]
fn the_uncompressed_file_is_preferred_with_a_note() {
    let dir = folder(&[
        ("matrix.mtx", MATRIX),
        ("features.tsv", "g1\ng2\n"),
        ("barcodes.tsv", "c\n"),
        ("barcodes.tsv.gz", "not even gzip"),
    ]);
    let source = open(dir.path()).unwrap();
    assert_eq!(names(&source, Axis::Cols), ["c"]);
    assert_eq!(source.notes(), ["barcodes.tsv.gz is ignored: barcodes.tsv is read"]);
}

/// The names of the columns that annotate rows.
fn annotated(source: &dyn MatrixSource) -> Vec<String> {
    let table = source.annotations(Axis::Rows).unwrap();
    let columns = table.iter().flat_map(|table| table.columns().to_vec());
    columns.map(|column| column.name).collect()
}
