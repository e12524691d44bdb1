//! Columns and elements of AnnData, Loom and 10x files.

use std::path::Path;

use nnz_testing::command::{run, text};
use serde_json::Value;

use super::report;

/// The columns of a table as text: a header and a line for each row.
fn annotations(path: &str, axis: &str) -> Vec<String> {
    let printed = run(&["annotations", "-q", path, axis]).good();
    printed.lines().map(|line| line.replace('\t', ",")).collect()
}

/// Two columns of the annotations of cells, with a comma between them.
fn columns_of(path: &str, names: [&str; 2]) -> Vec<String> {
    let lines = annotations(path, "cells");
    let header: Vec<&str> = lines[0].split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let [first, second] = names.map(at);
    let row = |line: &String| {
        let fields: Vec<&str> = line.split(',').collect();
        format!("{},{}", fields[first], fields[second])
    };
    lines[1..].iter().map(row).collect()
}

/// Runs a command that has to succeed, and returns its messages.
#[track_caller]
fn done(arguments: &[&str]) -> String {
    let done = run(arguments);
    assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
    done.err
}

fn lost(name: &str) -> String {
    report(&format!("columns-lost-silently/{name}"))
}

fn in_directory(directory: &Path, name: &str) -> String {
    text(&directory.join(name)).to_owned()
}

/// The members of a file of some kind, with their types.
fn members(path: &str, kind: &str) -> Vec<(String, String)> {
    let info: Value = serde_json::from_str(&run(&["info", "--json", path]).good()).unwrap();
    let all = info["members"].as_array().unwrap().iter().filter(|member| member["kind"] == kind);
    let pair = |member: &Value| {
        [&member["path"], &member["type"]].map(|text| text.as_str().unwrap().to_owned()).into()
    };
    all.map(pair).collect()
}

/// `phase` is the factor G1, S, G2M and `flag` the logical vector TRUE, FALSE, NA, written by hdf5r.
#[test]
fn factors_and_logical_vectors_of_r_are_columns() {
    let directory = tempfile::tempdir().unwrap();
    let source = lost("r.h5ad");
    let check = |path: &str| {
        let found = columns_of(path, ["flag", "phase"]);
        assert_eq!(found, ["true,G1", "false,S", ",G2M"], "{path}");
    };
    check(&source);
    for (from, to) in [("", "whole.h5ad"), ("::X", "x.h5ad"), ("", "whole.zarr")] {
        let to = in_directory(directory.path(), to);
        done(&["convert", "--strict", &format!("{source}{from}"), &to]);
        check(&to);
    }
    let sliced = in_directory(directory.path(), "sliced.h5ad");
    done(&["slice", &source, &sliced, "--cells", "c,a", "--strict"]);
    let lines = annotations(&sliced, "cells");
    assert!(lines[1].contains("G2M") && lines[2].contains("G1"), "{lines:?}");
    // An integer that no member has.
    let broken = run(&["annotations", &lost("unnamed.h5ad"), "cells"]).refused();
    assert!(broken.contains("found 5, expected an integer of the enumeration"), "{broken}");
    assert!(broken.contains("--drop obs/w leaves it out"), "{broken}");
}

/// Members whose integers are not consecutive are in their order; 0 is a missing value of R if levels are 1, 2, ...
#[test]
fn enumerations_of_any_integers_are_categories() {
    let lines = annotations(&lost("kinds.h5ad"), "cells");
    let header: Vec<&str> = lines[0].split(',').skip(1).collect();
    assert_eq!(header, ["k", "factor", "na", "logical"]);
    let rows: Vec<String> =
        lines[1..].iter().map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
    assert_eq!(rows, ["1,late,S,true", "2,early,,false", "3,late,G1,true"]);
    let lines = annotations(&lost("short.loom").replace("short", "kinds"), "cells");
    assert!(lines[0].contains("phase"), "{lines:?}");
    assert!(lines[1].contains("G1") && lines[2].contains('S') && lines[3].contains("G2M"));
}

/// anndata opens compounds and columns of two dimensions; nnz does not, so it says so.
#[test]
fn columns_of_unsupported_types_are_listed_and_refused_with_strict() {
    let directory = tempfile::tempdir().unwrap();
    let source = lost("kinds.h5ad");
    let names = ["compound", "dict", "long", "opaque", "ref", "sparse", "two", "vlen"];
    let target = in_directory(directory.path(), "out.h5ad");
    for from in [source.clone(), format!("{source}::X")] {
        let refused = run(&["convert", "--strict", "--force", &from, &target]).refused();
        let listed = done(&["convert", "--force", &from, &target]);
        for name in names {
            assert!(refused.contains(&format!("obs column {name} (")), "{name}: {refused}");
            assert!(listed.contains(&format!("obs column {name} (")), "{name}: {listed}");
        }
        assert!(listed.contains("obs column two (float64 of shape [3, 2])"), "{listed}");
        assert!(listed.contains("obs column sparse (csr_matrix)"), "{listed}");
        assert!(annotations(&target, "cells")[0].ends_with("k,factor,na,logical"));
    }
    let to_loom = in_directory(directory.path(), "out.loom");
    let refused = run(&["convert", "--strict", &source, &to_loom]).refused();
    assert!(
        names.iter().all(|name| refused.contains(&format!("obs column {name} ("))),
        "{refused}"
    );
    let mut unsupported: Vec<String> =
        members(&source, "unsupported").into_iter().map(|(path, _)| path).collect();
    unsupported.sort();
    assert_eq!(unsupported, names.map(|name| format!("obs/{name}")));
    assert_eq!(run(&["validate", &source]).good(), "");
    let notes = run(&["validate", "--notes", &source]).good();
    assert!(names.iter().all(|name| notes.contains(&format!("column {name} ("))), "{notes}");
    let loom = run(&["convert", "--strict", &lost("kinds.loom"), &target, "--force"]).refused();
    assert!(loom.contains("col_attrs/compound (compound of a, b)"), "{loom}");
    let loom = format!("{}::matrix", lost("kinds.loom"));
    let loom = run(&["convert", "--strict", &loom, &target, "--force"]).refused();
    assert!(loom.contains("col_attrs/compound (compound of a, b)"), "{loom}");
}

#[test]
fn damaged_columns_are_errors_unless_they_are_left_out() {
    let directory = tempfile::tempdir().unwrap();
    for (file, part, drop) in [
        ("missing.h5ad", "", "obs/w"),
        ("missing.h5ad", "::X", "obs/w"),
        ("short.h5ad", "", "obs/w"),
        ("short.h5ad", "::X", "obs/w"),
        ("short.loom", "", "col_attrs/w"),
        ("short.loom", "::matrix", "col_attrs/w"),
    ] {
        let source = lost(file);
        let from = format!("{source}{part}");
        let to = in_directory(directory.path(), "out.h5ad");
        let refused = run(&["convert", &from, &to]).refused();
        assert!(refused.contains(&format!("--drop {drop} leaves it out")), "{from}: {refused}");
        done(&["convert", "--strict", "--drop", drop, &from, &to]);
        assert!(annotations(&to, "cells")[0].contains('k'), "{from}");
        assert!(!annotations(&to, "cells")[0].contains('w'), "{from}");
        std::fs::remove_file(&to).unwrap();
        assert_eq!(run(&["validate", &source]).code, Some(1), "{source}");
    }
    let source = lost("short.h5ad");
    for (name, why) in [
        ("obs/other", "cannot leave out \"obs/other\": there is no such"),
        ("obs/_index", "names of rows"),
        ("obs", "\"obs\" cannot be left out"),
    ] {
        let refused = run(&["info", "--drop", name, &source]);
        assert!(refused.code == Some(2) && refused.err.contains(why), "{refused:?}");
    }
}

/// Day 1 and 3 of 2020-01-01 and 1969-12-31 in seconds, and the batches 2020-01-01, 2021-06-05 in seconds.
#[test]
fn dates_are_integers_with_their_unit() {
    let directory = tempfile::tempdir().unwrap();
    let expected = ["1577836800,1", ",2", "-86400,3"];
    for file in ["dates2.zarr.zip", "dates3.zarr.zip"] {
        let source = lost(file);
        let types = members(&source, "column");
        let of = |name: &str| {
            let path = format!("obs/{name}");
            types.iter().find(|(found, _)| *found == path).unwrap().1.clone()
        };
        assert_eq!(of("day"), "datetime64[s]");
        assert_eq!(of("span"), "timedelta64[ms]");
        let rows = |path: &str| columns_of(path, ["day", "span"]);
        assert_eq!(rows(&source), expected);
        for (from, first, second) in
            [("", "a.h5ad", "a.zarr"), ("::X", "b.h5ad", "b.zarr"), ("::X", "c.zarr", "c.h5ad")]
        {
            let from = format!("{source}{from}");
            let [first, second] = [first, second].map(|name| in_directory(directory.path(), name));
            let to = |from: &str, to: &str| {
                done(&["convert", "--strict", "--force", "--to", "anndata", from, to]);
                assert_eq!(rows(to), expected, "{to}");
                assert!(members(to, "column").contains(&("obs/span".into(), of("span"))), "{to}");
            };
            to(&from, &first);
            to(&first, &second);
        }
        let dtype = directory.path().join("c.zarr/obs/span/.zarray");
        assert!(std::fs::read_to_string(dtype).unwrap().contains("\"<m8[ms]\""));
    }
}

#[test]
fn dates_in_uns_do_not_block_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let source = report("one-bad-column-blocks/uns_dates.zarr");
    let [hdf5, zarr] = ["o.h5ad", "o.zarr"].map(|name| in_directory(directory.path(), name));
    done(&["convert", "--strict", &source, &hdf5]);
    done(&["convert", "--strict", &hdf5, &zarr]);
    done(&["convert", "--strict", "--force", &source, &zarr]);
    run(&["diff", &source, &zarr]).good();
    done(&["convert", "--strict", "--force", "--drop", "uns/when", &source, &zarr]);
    let different = run(&["diff", &source, &zarr]);
    assert!(different.code == Some(1) && different.out.contains("uns/when"), "{different:?}");
    assert_eq!(run(&["diff", "--drop", "uns/when", &source, &zarr]).good(), "");
}

/// Categories of `obs` that were overwritten by categories of `var`, as anndata 0.6 did.
#[test]
fn one_bad_column_does_not_block_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let source = report("one-bad-column-blocks/same.h5ad");
    let to = in_directory(directory.path(), "o.h5ad");
    let x = format!("{source}::X");
    let commands: [&[&str]; 6] = [
        &["convert", &source, &to],
        &["convert", &x, &to],
        &["slice", &source, &to, "--cells", "a"],
        &["filter", &source, &to, "--cells", "nnz>=0"],
        &["sample", &source, &to, "--cells", "2"],
        &["repair", &source, &to],
    ];
    for command in commands {
        let refused = run(command).refused();
        assert!(refused.contains("--drop obs/cat leaves it out"), "{command:?}: {refused}");
        let command = [command, &["--drop", "obs/cat"]].concat();
        done(&command);
        assert!(annotations(&to, "cells")[0].contains("x"), "{command:?}");
        std::fs::remove_file(&to).unwrap();
    }
    done(&["concat", &source, &source, &to, "--axis", "cells", "--drop", "obs/cat"]);
    assert_eq!(run(&["names", "-q", &to, "cells"]).good().lines().count(), 8);
    let parts = in_directory(directory.path(), "parts");
    done(&["split", &source, &parts, "--by", "x", "--drop", "obs/cat"]);
    assert_eq!(std::fs::read_dir(&parts).unwrap().count(), 4);
}

#[test]
fn columns_with_a_reserved_name_are_left_out_and_listed() {
    let directory = tempfile::tempdir().unwrap();
    let source = report("reserved-index-column/sd.h5ad");
    let raw = format!("{source}::raw/X");
    let to = in_directory(directory.path(), "o.h5ad");
    for from in [&source, &raw] {
        let refused = run(&["convert", "--strict", from, &to]).refused();
        assert!(refused.contains("a reserved name in AnnData"), "{refused}");
        let listed = done(&["convert", from, &to]);
        assert!(listed.contains("a reserved name in AnnData"), "{listed}");
        std::fs::remove_file(&to).unwrap();
        let strict = ["convert", "--strict", "--drop", "raw/var/_index", from, &to];
        done(&strict);
        std::fs::remove_file(&to).unwrap();
    }
    let notes = run(&["validate", "--notes", &source]).good();
    assert!(notes.contains("_index has a reserved name"), "{notes}");
    // Other targets take the name.
    let columns = annotations(&raw, "cols");
    assert!(columns[0].contains("_index"), "{columns:?}");
}

/// Damage in tables of `obsm` and in `uns`, with which anndata does not open a file.
#[test]
fn validate_finds_damage_in_tables_and_in_uns() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| report(&format!("tables-and-uns/{name}.h5ad"));
    let to = in_directory(directory.path(), "o.h5ad");
    assert_eq!(run(&["validate", "--notes", &file("sound")]).good(), "");
    for (name, drop, found) in [
        ("short", "obsm/df/q", "found an array of shape [3], expected 4 elements"),
        ("code", "obsm/df/c", "found 9, expected -1, or less than 2"),
        ("missing", "obsm/df/q", "q is missing"),
        ("uns_code", "uns/cat", "found 7, expected -1, or less than 2"),
        ("uns_chunk", "uns/u", "u, element 0: found a damaged chunk"),
    ] {
        let source = file(name);
        let checked = run(&["validate", &source]);
        assert_eq!(checked.code, Some(1), "{name}: {checked:?}");
        assert!(checked.out.contains(found), "{name}: {checked:?}");
        assert_eq!(checked.out.lines().count(), 1, "{checked:?}");
        let convert: &[&str] = &["convert", &source, &to];
        let slice: &[&str] = &["slice", &source, &to, "--cells", "y,w"];
        let concat: &[&str] = &["concat", &source, &source, &to, "--axis", "cells"];
        for command in [convert, slice, concat] {
            // Everything in uns is dropped by concat.
            if command != concat || name == "short" || name == "code" || name == "missing" {
                let refused = run(command).refused();
                assert!(refused.contains(&format!("--drop {drop} leaves it out")), "{refused}");
                assert!(!Path::new(&to).exists());
            }
            done(&[command, &["--drop", drop]].concat());
            assert_eq!(run(&["validate", &to]).good(), "", "{command:?}");
            std::fs::remove_file(&to).unwrap();
        }
    }
}
