//! Requirements of R for its matrices.

use std::fs;
use std::path::{Path, PathBuf};

use nnz_container::rds::{Limits, RdsOptions};
use nnz_core::{
    Axis, Batch, Majors, MatrixSink as _, MatrixSource as _, Order, Projection, Result, Structure,
    Values,
};
use nnz_robjects::matrix::{self, RMatrixSource};
use nnz_storage::staging::WriteOptions;

const NONE: &str = "254";
const REAL: &str = "x 14 1 5";

/// Writes an object with 2 x 2 elements and one entry, like R in its ASCII format: some slots, names,
/// the class.
///
/// 1026 begins an attribute, 1 a symbol, 262153 a string with its length, 13 integers, 14 doubles,
/// 16 strings, 19 a list, 528 the class of an S4 object.
fn object(path: &Path, class: &str, slots: &[&str], uplo: &str, names: [&str; 3]) -> PathBuf {
    let slot = |slot: &&str| {
        let (name, value) = slot.split_once(' ').unwrap();
        format!("1026 1 262153 {} {name} {value}", name.len())
    };
    let slots: Vec<_> = slots.iter().map(slot).collect();
    let [rows, cols, titles] = names;
    let list = if titles.is_empty() { "19" } else { "531" };
    let titles = match titles {
        "" => String::new(),
        titles => format!("1026 1 262153 5 names {titles} 254"),
    };
    let words = format!(
        "A 3 262658 197888 5 UTF-8 66329 {} 1026 1 262153 3 Dim 13 2 2 2
         1026 1 262153 8 Dimnames {list} 2 {rows} {cols} {titles}
         1026 1 262153 4 uplo 16 1 262153 1 {uplo} 1026 1 262153 4 diag 16 1 262153 1 N
         1026 1 262153 7 factors 19 0 1026 1 262153 5 class 528 1 262153 9 {class}
         1026 1 262153 7 package 16 1 262153 6 Matrix 254 254",
        slots.join(" ")
    );
    let lines: String = words.split_whitespace().map(|word| format!("{word}\n")).collect();
    let path = path.join("object.rds");
    fs::write(&path, lines).unwrap();
    path
}

fn open(path: &Path) -> RMatrixSource {
    matrix::open(path, Limits::default()).unwrap()
}

fn read(matrix: &RMatrixSource) -> Result<Vec<(u64, u64)>> {
    let header = matrix.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = matrix.batches(0..2, Projection::ALL)?;
    let mut all = Vec::new();
    while reader.next_batch(&mut batch)? {
        all.extend((0..batch.entries()).map(|entry| batch.row_col(entry)));
    }
    Ok(all)
}

#[test]
fn an_entry_in_the_other_triangle_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let x = REAL;
    // The entry is in row 1 and column 0: below the diagonal.
    let by_col = ["i 13 1 1", "p 13 3 0 1 1", x];
    let by_row = ["j 13 1 0", "p 13 3 0 0 1", x];
    let triplet = ["i 13 1 1", "j 13 1 0", x];
    for (storage, slots) in [("C", by_col), ("R", by_row), ("T", triplet)] {
        for form in ["s", "t"] {
            for kind in ["d", "n"] {
                let slots = if kind == "n" { &slots[..2] } else { &slots };
                let class = format!("{kind}{form}{storage}Matrix");
                let none = [NONE, NONE, ""];
                let lower = open(&object(directory.path(), &class, slots, "L", none));
                assert_eq!(read(&lower).unwrap(), [(1, 0)], "{class}");
                assert_eq!(lower.header().structure != Structure::General, form == "s");
                let upper = open(&object(directory.path(), &class, slots, "U", none));
                let error = read(&upper).unwrap_err().to_string();
                for part in ["row 1, column 0", "below the diagonal", "the upper triangle"] {
                    assert!(error.contains(part), "{class}: {error}");
                }
            }
        }
    }
    let above = ["i 13 1 0", "p 13 3 0 0 1", x];
    let lower = object(directory.path(), "dsCMatrix", &above, "L", [NONE, NONE, ""]);
    let error = read(&open(&lower)).unwrap_err().to_string();
    assert!(error.contains("above the diagonal") && error.contains("lower"), "{error}");
}

const DIAGONAL: [&str; 3] = ["i 13 1 1", "p 13 3 0 0 1", REAL];
const AB: &str = "16 2 262153 1 a 262153 1 b";
const CD: &str = "16 2 262153 1 c 262153 1 d";

fn names(matrix: &RMatrixSource) -> [Option<Vec<String>>; 2] {
    [Axis::Rows, Axis::Cols].map(|axis| {
        let list = matrix.names(axis).unwrap()?;
        Some(list.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect())
    })
}

#[test]
fn a_symmetric_matrix_with_different_names_uses_those_of_the_columns() {
    let directory = tempfile::tempdir().unwrap();
    for (rows, cols, expected) in [
        (AB, CD, Some(["c", "d"])),
        (AB, NONE, Some(["a", "b"])),
        (NONE, CD, Some(["c", "d"])),
        (AB, "16 0", Some(["a", "b"])),
        (NONE, NONE, None),
    ] {
        let path = object(directory.path(), "dsCMatrix", &DIAGONAL, "U", [rows, cols, ""]);
        let expected = expected.map(|names| names.map(str::to_owned).to_vec());
        assert_eq!(names(&open(&path)), [expected.clone(), expected], "{rows} {cols}");
    }
    // In other matrices each axis has its own names.
    let path = object(directory.path(), "dgCMatrix", &DIAGONAL, "U", [AB, CD, ""]);
    let own = [["a", "b"], ["c", "d"]].map(|names| Some(names.map(str::to_owned).to_vec()));
    assert_eq!(names(&open(&path)), own);
}

#[test]
fn names_of_dimnames_are_reported_as_extras() {
    let directory = tempfile::tempdir().unwrap();
    let extras_of = |titles| {
        let path = object(directory.path(), "dgCMatrix", &DIAGONAL, "U", [AB, NONE, titles]);
        open(&path).extras().unwrap()
    };
    let both = extras_of("16 2 262153 5 Genes 262153 5 Cells");
    assert_eq!(both, ["the names of dimnames (\"Genes\", \"Cells\")"]);
    let one = extras_of("16 2 262153 0 262153 5 Cells");
    assert_eq!(one, ["the names of dimnames (\"Cells\")"]);
    assert_eq!(extras_of("16 2 262153 0 262153 0"), Vec::<String>::new());
    assert_eq!(extras_of(""), Vec::<String>::new());
}

#[test]
fn duplicate_and_unsorted_entries_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let from = object(directory.path(), "dgCMatrix", &DIAGONAL, "U", [NONE, NONE, ""]);
    let header = open(&from).header().clone();
    let target = directory.path().join("made.rds");
    // Rows in one column, in one batch and in two.
    for (batches, message) in [
        (vec![vec![0, 1]], ""),
        (vec![vec![0], vec![1]], ""),
        (vec![vec![1, 1]], "two entries at the same position"),
        (vec![vec![1], vec![1]], "two entries at the same position"),
        (vec![vec![1, 0]], "out of order"),
        (vec![vec![1], vec![0]], "out of order"),
    ] {
        let write = WriteOptions::default().overwrite(true).sync(false);
        let made = matrix::create(&target, &header, [None, None], write, RdsOptions::default());
        let mut sink = made.unwrap();
        let written = batches.iter().try_for_each(|rows| {
            let mut batch = Batch::new(Order::Col, Values::F64(vec![1.0; rows.len()]));
            batch.majors = Majors::Consecutive(1);
            batch.offsets = vec![0, rows.len()];
            *batch.minors.u32_mut() = rows.clone();
            sink.write(&batch)
        });
        match written {
            Ok(()) => assert_eq!(message, ""),
            Err(error) => {
                let error = error.to_string();
                assert!(!message.is_empty() && error.contains(message), "{error}");
                assert!(error.contains("column 1"), "{error}");
            }
        }
    }
}
