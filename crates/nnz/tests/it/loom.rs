//! Loom files: the matrices, names, attributes and graphs of the test data match their manifest, and broken files
//! give errors with a place.

use crate::common::manifest::{self, Entry};
use nnz::Context;
use nnz::error::{Finding, Severity};
use nnz::{Axis, Location, MatrixSource, ValidateOptions};
use serde_json::Value;

const AXES: [(Axis, &str); 2] = [(Axis::Rows, "row_attrs"), (Axis::Cols, "col_attrs")];

fn place(file: &str, group: Option<&str>) -> Location {
    let path = crate::common::root().join("testdata/loom").join(file);
    Location::Path { path, group: group.map(ToOwned::to_owned) }
}

fn findings(location: &Location) -> Vec<Finding> {
    let mut findings = Vec::new();
    nnz::validate(location.clone(), &ValidateOptions::default(), &Context::default(), &mut |f| {
        findings.push(f)
    })
    .unwrap();
    findings
}

fn faults(location: &Location) -> Vec<Finding> {
    let mut all = findings(location);
    all.retain(|finding| finding.severity == Severity::Fault);
    all
}

/// Returns the expected value of a string: the manifest has references of version 2 as they are stored.
fn decoded(value: &Value) -> String {
    value.as_str().unwrap().replace("&#233;", "é")
}

/// Compares the attributes of an axis: the names, the columns, and attributes of two dimensions.
fn compare_attributes(
    file: &str,
    matrix: &dyn MatrixSource,
    axis: Axis,
    group: &str,
    expected: &Value,
) -> Result<(), String> {
    let table = matrix.annotations(axis).unwrap().unwrap();
    let names = matrix.names(axis).unwrap();
    let names: Option<Vec<String>> = names
        .map(|names| names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect());
    let attributes = expected[group].as_object().unwrap();
    if expected[if axis == Axis::Rows { "row_names" } else { "col_names" }].is_null()
        != names.is_none()
    {
        return Err(format!("{group}: names {names:?}"));
    }
    let mut left = table.columns().len() + usize::from(names.is_some());
    for (name, values) in attributes {
        let values = values.as_array().unwrap();
        if values[0].is_array() {
            let extras = matrix.extras().unwrap();
            let path = format!("{group}/{name}");
            if !extras.contains(&path) {
                return Err(format!("{path} is not in {extras:?}"));
            }
            let wide = manifest::open(&place(file, Some(&path))).unwrap();
            let shape = [values.len(), values[0].as_array().unwrap().len()];
            let cells = serde_json::json!({ "shape": shape, "cells": values });
            manifest::compare(&*wide, &cells)?;
            continue;
        }
        left -= 1;
        let wanted = || values.iter().map(decoded).collect::<Vec<_>>();
        let Some(at) = table.columns().iter().position(|column| column.name == *name) else {
            match &names {
                Some(names) if *names == wanted() => continue,
                _ => return Err(format!("{group}/{name} is missing")),
            }
        };
        let column = table.read_column(at, 1 << 20).unwrap();
        for (row, wanted) in (0..).zip(values) {
            let mut text = Vec::new();
            column.write_text(row, &mut text);
            let text = String::from_utf8(text).unwrap();
            let same = match column.number(row) {
                Some(number) => manifest::same(number, wanted),
                None => text == decoded(wanted),
            };
            if !same {
                return Err(format!("{group}/{name} {row} is {text}, expected {wanted}"));
            }
        }
    }
    if left == 0 { Ok(()) } else { Err(format!("{left} more attributes in {group}")) }
}

fn compare(entry: &Entry, expected: &Value) -> Result<(), String> {
    // The file, as well as the main matrix in it.
    let mut locations = vec![entry.location()];
    if entry.text("place") == "::matrix" {
        locations.push(place(entry.text("path"), None));
    }
    for location in locations {
        let matrix = manifest::open(&location).map_err(|error| error.to_string())?;
        let kinds: Vec<String> =
            matrix.header().axis_kinds.iter().map(ToString::to_string).collect();
        if serde_json::json!(kinds) != expected["axes"] {
            return Err(format!("axes {kinds:?}"));
        }
        // float16 is read as float32.
        let found = matrix.header().value_type.to_string();
        let wanted = expected["dtype"].as_str().unwrap().replace("float16", "float32");
        if found != wanted {
            return Err(format!("type {found}, expected {wanted}"));
        }
        manifest::compare(&*matrix, expected)?;
        if location == place(entry.text("path"), None) {
            for (axis, group) in AXES {
                compare_attributes(entry.text("path"), &*matrix, axis, group, expected)?;
            }
        }
    }
    let faults = faults(&place(entry.text("path"), None));
    if faults.is_empty() { Ok(()) } else { Err(format!("{faults:?}")) }
}

#[test]
fn matrices_match_their_manifest() {
    let mut wrong = Vec::new();
    let (mut read, mut refused) = (0, 0);
    for entry in manifest::entries("loom") {
        let name = entry.text("path").to_owned();
        if entry.text("verdict") == "must_reject" {
            refused += 1;
            let faults = faults(&entry.location());
            let in_file =
                |fault: &Finding| fault.to_string().starts_with(&*entry.path().to_string_lossy());
            if faults.is_empty() || !faults.iter().all(in_file) {
                wrong.push(format!("{name}: {faults:?}"));
            }
            continue;
        }
        read += 1;
        if let Some(expected) = entry.expected() {
            let compared = compare(&entry, expected);
            wrong.extend(compared.err().map(|what| format!("{}: {what}", entry.name())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 20 && refused > 5, "{read} read, {refused} refused");
}

#[test]
fn graphs_are_square_matrices() {
    for entry in manifest::entries("loom") {
        let Some(expected) = entry.expected() else { continue };
        let graphs = expected["graphs"].as_object().unwrap().clone();
        for (group, graphs) in graphs {
            for (name, graph) in graphs.as_object().unwrap() {
                let path = format!("{group}/{name}");
                let matrix = manifest::open(&place(entry.text("path"), Some(&path))).unwrap();
                let (axis, names) = match &*group {
                    "row_graphs" => (0, "row_names"),
                    _ => (1, "col_names"),
                };
                let len = expected["shape"][axis].as_u64().unwrap();
                let shape = matrix.header().shape;
                assert_eq!([shape.rows, shape.cols], [len; 2], "{path}");
                let found: Vec<Value> = matrix
                    .entries()
                    .unwrap()
                    .map(|entry| {
                        let (row, col, weight) = entry.unwrap();
                        serde_json::json!([row, col, weight.to_f64().unwrap()])
                    })
                    .collect();
                let list = |key: &str| graph[key].as_array().unwrap().clone();
                let wanted: Vec<Value> = list("a")
                    .into_iter()
                    .zip(list("b"))
                    .zip(list("w"))
                    .map(|((a, b), w)| serde_json::json!([a, b, w]))
                    .collect();
                assert_eq!(found, wanted, "{path}");
                for axis in [Axis::Rows, Axis::Cols] {
                    let list = matrix.names(axis).unwrap().unwrap();
                    let list: Vec<_> =
                        list.iter().map(|name| String::from_utf8_lossy(name)).collect();
                    assert_eq!(serde_json::json!(list), expected[names], "{path}");
                }
            }
        }
    }
}

fn error(file: &str, group: Option<&str>) -> String {
    let location = place(file, group);
    match manifest::read_whole(&location) {
        Ok(()) => panic!("{file} is read"),
        Err(error) => {
            assert!(manifest::has_place(&error, &location_path(&location)), "{error}");
            error.to_string()
        }
    }
}

fn location_path(location: &Location) -> std::path::PathBuf {
    match location {
        Location::Path { path, .. } => path.clone(),
        _ => panic!("a file"),
    }
}

#[test]
fn errors_name_what_is_broken() {
    for (file, group, expected) in [
        ("bad_no_matrix.loom", None, "matrix is missing"),
        ("bad_matrix_1d.loom", None, "matrix: found 1 dimensions, expected two dimensions"),
        ("bad_matrix_strings.loom", None, "matrix: found elements of type string"),
        ("bad_no_row_attrs.loom", None, "row_attrs is missing"),
        ("bad_gene_short.loom", None, "Gene: found an attribute of shape [12]"),
        ("bad_layer_shape.loom", Some("layers/x"), "layers/x: found an array of shape 2 x 2"),
        ("bad_graph_past_end.loom", Some("row_graphs/g"), "row_graphs/g"),
        ("layers.loom", Some("layers/none"), "no such group; the file has matrix, layers/"),
        ("layers.loom", Some("row_attrs"), "a table, not a matrix"),
    ] {
        let error = error(file, group);
        assert!(error.contains(expected), "{file}: {error}");
    }
}

#[test]
fn what_is_read_only_with_a_layer_or_graph_does_not_concern_the_main_matrix() {
    for file in ["bad_layer_shape.loom", "bad_graph_past_end.loom", "bad_no_spec_version.loom"] {
        manifest::read_whole(&place(file, None)).unwrap();
    }
}

#[test]
fn names_are_strings() {
    // Gene has numbers, which stay an annotation.
    let matrix = manifest::open(&place("bad_gene_numbers.loom", None)).unwrap();
    let names = matrix.names(Axis::Rows).unwrap().unwrap();
    assert_eq!(names.get(0), Some(&b"ENSG0"[..]));
    let table = matrix.annotations(Axis::Rows).unwrap().unwrap();
    assert!(table.columns().iter().any(|column| column.name == "Gene"));
}

#[test]
fn other_readers_refuse_some_valid_files() {
    let notes =
        |file| findings(&place(file, None)).iter().map(ToString::to_string).collect::<Vec<_>>();
    let found = notes("bad_no_spec_version.loom");
    assert!(found.iter().any(|note| note.contains("LOOM_SPEC_VERSION")), "{found:?}");
    assert_eq!(notes("matrix_int8.loom"), Vec::<String>::new());
}
