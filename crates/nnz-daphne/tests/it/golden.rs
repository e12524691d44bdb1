//! Every file of the test data has the content of its manifest, bit for bit.

use nnz_core::MatrixSource as _;
use nnz_daphne::{Dialect, MatrixSource, ReadOptions};

use crate::common::{Element, Golden, matrix_elements, valid_matrices};

fn open(golden: &Golden, dialect: Option<Dialect>) -> MatrixSource {
    let opened = MatrixSource::open(&golden.path(), &ReadOptions { dialect });
    opened.unwrap_or_else(|error| panic!("{}: {error}", golden.file))
}

#[test]
fn matrices_have_the_elements_of_the_manifest() {
    let mut count = 0;
    for golden in valid_matrices() {
        let matrix = open(&golden, Some(golden.dialect));
        let header = matrix.header();
        assert_eq!(header.shape, golden.shape, "{}", golden.file);
        assert_eq!(header.value_type, golden.value_types[0], "{}", golden.file);
        assert_eq!(matrix.data_type(), golden.data_type, "{}", golden.file);
        let found = matrix_elements(&matrix, 0..header.shape.rows);
        assert_eq!(Some(&found), golden.elements.as_ref(), "{}", golden.file);
        count += 1;
    }
    assert_eq!(count, 134);
}

#[test]
fn dialects_are_detected() {
    for golden in valid_matrices() {
        let matrix = open(&golden, None);
        if golden.shape.is_empty() && matrix.dialect() != golden.dialect {
            // Only the type of a matrix without elements is ambiguous.
            assert!(
                matrix.notes().iter().any(|note| note.contains("no elements")),
                "{}",
                golden.file
            );
        } else {
            assert_eq!(matrix.dialect(), golden.dialect, "{}", golden.file);
        }
    }
}

#[test]
fn ranges_of_rows_equal_slices_of_all_elements() {
    for golden in valid_matrices() {
        let Some(expected) = &golden.elements else { continue };
        let matrix = open(&golden, Some(golden.dialect));
        let rows = golden.shape.rows;
        for (first, last) in [(0, rows / 2), (rows / 2, rows), (rows / 3, rows - rows / 3)] {
            let found = matrix_elements(&matrix, first..last.max(first));
            let inside = |element: &&Element| (first..last).contains(&element.0);
            let expected: Vec<Element> = expected.iter().filter(inside).copied().collect();
            assert_eq!(found, expected, "{} rows {first} to {last}", golden.file);
        }
    }
}
