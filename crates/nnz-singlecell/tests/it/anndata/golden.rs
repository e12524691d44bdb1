//! Files of anndata 0.5 to 0.13: every matrix, name and column, and errors.

use nnz_core::{Annotations as _, Axis, MatrixSource as _, Storage};
use nnz_singlecell::anndata::{DataFrame, Item};
use serde_json::Value;

use crate::anndata::common::{Golden, entries, entries_of, open, same};

/// Files with unsupported filters, which are errors with their name.
const UNHANDLED: [&str; 1] = ["0.12.19/h5ad/csr_blosc2_x_only"];

#[test]
fn every_matrix_has_the_expected_entries() {
    let golden = Golden::new();
    let mut seen = 0;
    for file in golden.valid() {
        let id = file["id"].as_str().unwrap();
        if UNHANDLED.contains(&id) {
            continue;
        }
        let opened = open(&golden.path(file)).unwrap_or_else(|error| panic!("{id}: {error}"));
        let matrices = file["matrices"].as_object().unwrap();
        let mut items: Vec<_> = opened.items().unwrap().iter().map(Item::to_string).collect();
        items.sort();
        let mut places: Vec<_> = matrices.keys().cloned().collect();
        places.sort();
        assert_eq!(items, places, "{id}");
        for (place, expected) in matrices {
            let source = opened.matrix(&place.parse().unwrap()).unwrap();
            check_matrix(&format!("{id}::{place}"), &source, expected);
            seen += 1;
        }
    }
    assert_eq!(seen, 691);
}

fn check_matrix(name: &str, source: &dyn nnz_core::MatrixSource, expected: &Value) {
    let header = source.header();
    let shape = &expected["shape"];
    assert_eq!(Some(header.shape.rows), shape[0].as_u64(), "{name}");
    assert_eq!(Some(header.shape.cols), shape[1].as_u64(), "{name}");
    let dense = expected["kind"] == "dense";
    assert_eq!(header.storage == Storage::Dense, dense, "{name}");
    let mut found = entries(source).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(Some(found.len() as u64), header.nnz, "{name}");
    let list = |key: &str| expected[key].as_array().cloned().unwrap_or_default();
    let wanted: Vec<[Value; 3]> = if list("values").is_empty() {
        // Zeros of dense matrices are left out.
        let zero = |value: nnz_core::Scalar| value.to_string().trim_start_matches('-') == "0.0";
        found.retain(|(.., value)| !dense || !zero(*value));
        let triple = |entry: Value| [entry[0].clone(), entry[1].clone(), entry[2].clone()];
        list("entries").into_iter().map(triple).collect()
    } else {
        let rows = list("values").into_iter().enumerate();
        rows.flat_map(|(row, values)| {
            let cols = values.as_array().unwrap().clone().into_iter().enumerate();
            cols.map(move |(col, value)| [row.into(), col.into(), value])
        })
        .collect()
    };
    assert_eq!(found.len(), wanted.len(), "{name}");
    for ((row, col, value), [r, c, v]) in found.iter().zip(&wanted) {
        assert_eq!((Some(*row), Some(*col)), (r.as_u64(), c.as_u64()), "{name}");
        assert!(same(*value, v), "{name}: {row} {col} {value} {v}");
    }
}

#[test]
fn any_range_of_majors_is_read() {
    let golden = Golden::new();
    for id in ["0.12.19/h5ad/full_csc", "0.12.19/zarr3/sharded", "0.12.19/zarr3/sharded_dense"] {
        let file = golden.valid().iter().find(|file| file["id"] == id).unwrap();
        let source = open(&golden.path(file)).unwrap().matrix(&Item::X).unwrap();
        let header = source.header();
        let all = entries(&source).unwrap();
        let majors = header.shape.major(header.order);
        for start in 0..=majors {
            for end in start..=majors {
                let major = |row: u64, col: u64| header.order.major_minor(row, col).0;
                let inside = |(row, col, _): &&_| (start..end).contains(&major(*row, *col));
                let expected: Vec<_> = all.iter().filter(inside).copied().collect();
                assert_eq!(entries_of(&source, start..end).unwrap(), expected, "{id}");
            }
            let before = source.stored_before(start).unwrap().unwrap();
            let expected =
                all.iter().filter(|(row, col, _)| header.order.major_minor(*row, *col).0 < start);
            assert_eq!(before, expected.count() as u64, "{id}");
        }
        assert!(source.units(0..majors + 1, nnz_core::Projection::ALL).is_err());
    }
}

#[test]
fn names_and_columns_are_as_expected() {
    let golden = Golden::new();
    for file in golden.valid() {
        let id = file["id"].as_str().unwrap();
        let opened = open(&golden.path(file)).unwrap();
        let (obs, var) = (opened.obs().unwrap(), opened.var().unwrap());
        check_frame(&format!("{id} obs"), &obs, &file["obs_names"], &file["obs_columns"]);
        check_frame(&format!("{id} var"), &var, &file["var_names"], &file["var_columns"]);
        if let Some(names) = file["raw_var_names"].as_array() {
            let raw = opened.raw_var().unwrap();
            check_frame(&format!("{id} raw/var"), &raw, &names.clone().into(), &Value::Null);
        }
    }
}

fn check_frame(name: &str, frame: &DataFrame, names: &Value, columns: &Value) {
    let found = frame.names().unwrap().list().unwrap();
    let found: Vec<_> = found.iter().map(|name| std::str::from_utf8(name).unwrap()).collect();
    let expected: Vec<_> = names.as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert_eq!(found, expected, "{name}");
    assert_eq!(frame.len(), expected.len() as u64, "{name}");
    assert_eq!(frame.unread_columns(), [], "{name}");
    if let Err(error) = frame.check_columns() {
        panic!("{name}: {error}");
    }
    let Some(columns) = columns.as_object() else { return };
    let mut found: Vec<_> = frame.columns().iter().map(|column| column.name.clone()).collect();
    found.sort();
    let mut expected: Vec<_> = columns.keys().cloned().collect();
    expected.sort();
    assert_eq!(found, expected, "{name}");
    for (number, info) in frame.columns().iter().enumerate() {
        let name = format!("{name} {}", info.name);
        let column = frame.read_column(number, 1 << 20).unwrap();
        assert_eq!(column.column_type(), info.column_type, "{name}");
        let values = columns[&info.name].as_array().unwrap();
        assert_eq!(column.len(), values.len() as u64, "{name}");
        for (row, value) in (0..).zip(values) {
            let mut text = Vec::new();
            column.write_text(row, &mut text);
            let text = String::from_utf8(text).unwrap();
            assert_eq!(column.is_missing(row), value.is_null(), "{name} {row}");
            match value {
                Value::Null => assert_eq!(text, "", "{name} {row}"),
                Value::String(value) => assert_eq!(&text, value, "{name} {row}"),
                Value::Number(value) => {
                    let (found, value): (f64, _) = (text.parse().unwrap(), value.as_f64().unwrap());
                    #[expect(clippy::cast_possible_truncation, reason = "the stored type")]
                    let narrow = found as f32 == value as f32 && text.len() < 12;
                    assert!(found == value || narrow, "{name} {row}: {found} {value}");
                }
                other => assert_eq!(text, other.to_string(), "{name} {row}"),
            }
        }
    }
}

#[test]
fn malformed_files_are_errors_with_a_location() {
    let golden = Golden::new();
    let mut accepted = Vec::new();
    for file in golden.malformed() {
        let path = golden.path(file);
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut faults = Vec::new();
        match open(&path) {
            Err(error) => faults.push(error.to_string()),
            Ok(opened) => {
                let each = &mut |finding: nnz_core::Finding| {
                    if finding.severity == nnz_core::Severity::Fault {
                        faults.push(finding.to_string());
                    }
                };
                opened.validate_tables(1 << 20, each).unwrap();
                for item in opened.items().unwrap() {
                    let read = opened.matrix(&item).and_then(|source| entries(&source).map(drop));
                    faults.extend(read.err().map(|error| error.to_string()));
                }
            }
        }
        if file["verdict"] == "must_reject" {
            assert!(!faults.is_empty(), "{name}: {}", file["reason"]);
            assert!(faults.iter().all(|fault| fault.contains(name)), "{faults:?}");
        } else if faults.is_empty() {
            accepted.push(name.to_owned());
        }
        if let Some(id) = file["accept_as"].as_str() {
            let same = golden.valid().iter().find(|file| file["id"] == id).unwrap();
            let source = open(&path).unwrap().matrix(&Item::X).unwrap();
            check_matrix(name, &source, &same["matrices"]["X"]);
            for (axis, key) in [(Axis::Rows, "obs_names"), (Axis::Cols, "var_names")] {
                let names = source.names(axis).unwrap().unwrap();
                let expected = same[key].as_array().unwrap().iter();
                assert!(names.iter().eq(expected.map(|name| name.as_str().unwrap().as_bytes())));
            }
        }
    }
    let expected = [
        "shape_float.h5ad",
        "shape_u32.h5ad",
        "root_encoding_missing.h5ad",
        "obs_names_not_utf8.h5ad",
        "obs_names_fixed.h5ad",
        "obs_names_duplicate.h5ad",
        "obs_column_not_listed.h5ad",
        "x_soft_link.h5ad",
        // In Zarr, a missing chunk has the fill value.
        "zarr2_chunk_missing.zarr",
        "zarr3_chunk_missing.zarr",
    ];
    assert_eq!(accepted, expected);
}
