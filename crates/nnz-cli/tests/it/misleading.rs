//! Messages that once stated what is not so, or advised what does not help.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{run, testdata, text};

/// 11 cells and 7 features.
fn study() -> PathBuf {
    testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad")
}

/// The note was that rows are now features.
#[test]
fn a_matrix_that_is_not_transposed_is_not_noted_as_transposed() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (study(), scratch.path().join("t.h5ad"));
    let done = run(&["transpose", text(&source), text(&target), "--cell-axis", "rows"]);
    let note = "note: not transposed: rows are cells, columns are features\n";
    assert!(done.code == Some(0) && done.err.contains(note), "{done:?}");
    let matrix = format!("{}::X", text(&source));
    run(&["diff", &matrix, &format!("{}::X", text(&target))]).good();
}

/// The advice was to use `20:`, which is an error too.
#[test]
fn ranges_that_start_past_the_end_have_no_advice() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (study(), scratch.path().join("s.h5ad"));
    let slice = |cells| {
        let done = run(&["slice", text(&source), text(&target), "--cells", cells]);
        assert_eq!(done.code, Some(1), "{done:?}");
        done.err
    };
    let there = "ends after the last cell: the matrix has 11 cells, numbered from 0";
    assert!(slice("20:30").ends_with(&format!(": 20:30 {there}\n")));
    assert!(slice("5:30").ends_with("; use \"5:\" for all cells from 5 on\n"));
    assert!(slice(":30").ends_with("; use \":\" for all cells\n"));
}

/// The message was only that `layers/none` is missing, and Python raised the error of a damaged file.
#[test]
fn missing_layers_are_reported_like_other_groups() {
    let source = study();
    let file = text(&source);
    for group in ["layers/none", "obsm/none", "none"] {
        let place = format!("{file}::{group}");
        let done = run(&["cat", &place]);
        let start = format!("nnz: {place}: no such group; the file has X, ");
        assert!(done.code == Some(1) && done.err.starts_with(&start), "{done:?}");
    }
}

/// They had plurals, such as "1 rows".
#[test]
fn notes_on_one_row_are_in_the_singular() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = study();
    let names = run(&["names", text(&source), "cells"]).good();
    let mut table = "name,group\n".to_owned();
    for name in names.lines().skip(1) {
        table += &format!("{name},g\n");
    }
    fs::write(at("t.csv"), table + "none,g\n").unwrap();
    let grouped = at("g.h5ad");
    let done = run(&["convert", text(&source), &grouped, "--row-annotations", &at("t.csv")]);
    assert!(
        done.err.contains("note: 1 row is not in the table and has missing values\n"),
        "{done:?}"
    );
    assert!(done.err.contains("note: 1 row of the table matches no row\n"), "{done:?}");
    let done = run(&["split", &grouped, &at("parts"), "--by", "group"]);
    assert!(done.err.contains("note: 1 row without a value was not written\n"), "{done:?}");
}

/// Groups of a store without the metadata of its root were listed as matrices.
#[test]
fn groups_of_a_damaged_store_are_not_called_matrices() {
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("s.zarr");
    run(&["-q", "convert", text(&study()), text(&store)]).good();
    fs::remove_file(store.join(".zgroup")).unwrap();
    fs::remove_file(store.join(".zattrs")).unwrap();
    let done = run(&["info", text(&store)]);
    assert!(done.err.contains("several Zarr arrays or groups, but no metadata"), "{done:?}");
}

/// Commands of `nnz fragments` were not mentioned.
#[test]
fn help_on_an_unknown_command_states_what_is_expected() {
    for (topics, expected) in [
        (&["none"][..], "expected a command, formats or locations"),
        (&["fragments", "none"], "expected a command of nnz fragments"),
        (&["convert", "none"], "nnz convert has no commands"),
    ] {
        let done = run(&[&["help"], topics].concat());
        assert!(done.code == Some(2) && done.err.contains(expected), "{done:?}");
    }
}
