//! Messages that once stated what is not so, or advised what does not help.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{command, finish, run, testdata, text};

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

/// Pointers for 2^33 columns were written for minutes, for three entries.
#[test]
fn pointers_that_take_far_more_than_the_entries_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = |name: &str| text(&folder.path().join(name)).to_owned();
    let wide = testdata().join("scipy/npz/scipy1.17.1/coo_wide_2_33_columns.npz");
    let wide = text(&wide);
    for (name, option, advised) in [
        ("m.bsp.h5", "--to", "COOC"),
        ("m.bsp", "--to", "COOC"),
        ("m.npz", "--sparse-format", "coo"),
    ] {
        let to = target(name);
        let says = run(&["convert", wide, &to]).refused();
        let expected =
            "pointers for all 8589934592 columns would take 34.3 GB or more for 3 entries";
        assert!(says.contains(expected), "{says}");
        assert!(says.contains(&format!("; {option} {advised} has none")), "{says}");
        assert!(!folder.path().join(name).exists());
        run(&["-q", "convert", wide, &to, option, advised]).good();
        run(&["diff", wide, &to]).good();
    }
}

#[test]
fn the_space_that_a_target_needs_is_stated_with_its_directory() {
    let folder = tempfile::tempdir().unwrap();
    let at = |side: u64| {
        let banner = "%%MatrixMarket matrix coordinate integer general";
        std::fs::write(folder.path().join("m.mtx"), format!("{banner}\n{side} {side} 1\n1 1 1\n"))
            .unwrap();
        let mut convert = command();
        convert.args(["convert", "m.mtx", "m.csv"]).current_dir(folder.path());
        finish(&mut convert).refused()
    };
    let directory = text(folder.path()).to_owned();
    for (side, needed) in
        [(1 << 32, "needs 2^64 bytes or more, "), (1 << 30, "needs at least 2305")]
    {
        let says = at(side);
        assert!(says.contains(&directory) && says.contains(needed), "{says}");
    }
}

#[test]
fn columns_with_flags_of_missing_values_are_nullable() {
    let study = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let info = run(&["info", "--json", text(&study)]).good();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    let members = info["members"].as_array().unwrap();
    let kind = |path: &str| {
        let member = members.iter().find(|member| member["path"] == path).unwrap();
        (member["kind"].as_str().unwrap().to_owned(), member["type"].as_str().unwrap().to_owned())
    };
    let of = |kind: &str, value: &str| (kind.to_owned(), value.to_owned());
    assert_eq!(kind("obs/opt_int"), of("nullable", "int64"));
    assert_eq!(kind("obs/opt_bool"), of("nullable", "bool"));
    assert_eq!(kind("obs/batch").0, "column");
}
