//! `nnz convert --reorder` and `nnz diff --by-name`.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};

/// Copies a file of AnnData to a scratch directory.
fn full(scratch: &Path) -> String {
    let to = scratch.join("full.h5ad");
    fs::copy(testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad"), &to).unwrap();
    text(&to).to_owned()
}

#[test]
fn original_positions_are_kept_and_undo_the_order() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = full(scratch.path());
    run(&["-q", "convert", &format!("{source}::X"), &at("x.bpcells"), "--lossy"]).good();
    for (from, name) in [(at("x.bpcells"), "b"), (source, "a")] {
        let extension = if name == "b" { "bpcells" } else { "h5ad" };
        let (to, back) = (at(&format!("{name}.{extension}")), at(&format!("{name}2.{extension}")));
        let orders = ["--reorder", "features=frequency", "--reorder", "cells=frequency"];
        run(&[&["-q", "convert", &from, &to], &orders[..]].concat()).good();
        run(&["validate", &to]).good();
        run(&["diff", &from, &to, "--by-name"]).good();
        assert_eq!(run(&["diff", &from, &to]).code, Some(1));
        let header = run(&["annotations", &to, "features"]).good();
        assert!(header.lines().next().unwrap().contains("original_position"), "{header}");
        let counts = run(&["stats", &to, "--axis", "features", "--csv"]).good();
        let counts: Vec<u64> =
            counts.lines().skip(1).map(|line| field(&counts, line, "nnz")).collect();
        assert!(counts.is_sorted_by(|one, next| one >= next), "{counts:?}");
        // Reordered twice, the first positions are kept.
        let again = at(&format!("{name}3.{extension}"));
        let names = run(&["names", &to, "features"]).good();
        let mut names: Vec<&str> = names.lines().collect();
        names.reverse();
        fs::write(scratch.path().join("names.txt"), names.join("\n")).unwrap();
        let list = format!("features=@{}", at("names.txt"));
        run(&["-q", "convert", &to, &again, "--reorder", &list]).good();
        let orders = ["--reorder", "features=original", "--reorder", "cells=original"];
        run(&[&["-q", "convert", &again, &back], &orders[..]].concat()).good();
        run(&["diff", &from, &back]).good();
    }
}

/// Returns a number of a line of CSV with a header.
fn field(table: &str, line: &str, column: &str) -> u64 {
    let header = table.lines().next().unwrap();
    let at = header.split(',').position(|name| name == column).unwrap();
    line.split(',').nth(at).unwrap().parse().unwrap()
}

#[test]
fn positions_that_a_format_does_not_store_are_listed() {
    let scratch = tempfile::tempdir().unwrap();
    let source = full(scratch.path());
    let target = scratch.path().join("m.mtx");
    let reorder = ["--reorder", "cols=frequency"];
    let from = format!("{source}::X");
    let done = run(&[&["convert", &from, text(&target)], &reorder[..]].concat());
    assert!(done.err.contains("original_position"), "{}", done.err);
}

#[test]
fn wrong_orders_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = full(scratch.path());
    let target = text(&scratch.path().join("t.bpcells")).to_owned();
    let convert = ["convert", &source, &target, "--reorder"];
    for (order, expected) in [
        ("rows", "expected rows=, cols=, cells= or features=, and frequency"),
        ("peaks=frequency", "expected rows=, cols=, cells= or features="),
        ("rows=", "expected A:B, positions, names"),
    ] {
        let says = run(&[&convert[..], &[order]].concat()).refused_by("diff");
        assert!(says.contains(expected), "{order}: {says}");
    }
    for (order, expected) in [
        ("rows=0:1", "the new order lists 1 of"),
        ("rows=original", "the original order of the rows is unknown"),
        ("rows=nothing", "no row is named"),
    ] {
        let says = run(&[&convert[..], &[order]].concat()).refused();
        assert!(says.contains(expected), "{order}: {says}");
    }
    let twice = [&convert[..], &["rows=frequency", "--reorder", "cells=frequency"]].concat();
    assert!(run(&twice).refused_by("diff").contains("--reorder is given twice for the rows"));
    assert!(!Path::new(&target).exists());
}

#[test]
fn matrices_without_names_are_not_compared_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("m.mtx");
    fs::write(&file, "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n").unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    for (axis, target) in [("row", "rows.bpcells"), ("col", "cols.bpcells")] {
        run(&["-q", "convert", text(&file), &at(target)]).good();
        fs::write(Path::new(&at(target)).join(format!("{axis}_names")), "a\nb\n").unwrap();
    }
    let message = "cannot match by name: neither rows nor columns have names in both matrices";
    // The axis with names is not the same in the last pair.
    for [one, other] in
        [["m.mtx", "m.mtx"], ["m.mtx", "rows.bpcells"], ["rows.bpcells", "cols.bpcells"]]
    {
        let done = run(&["diff", &at(one), &at(other), "--by-name"]);
        assert!(done.code == Some(2) && done.err.contains(message), "{done:?}");
    }
    run(&["diff", &at("rows.bpcells"), &at("rows.bpcells"), "--by-name"]).good();
}

#[test]
fn names_that_only_one_matrix_has_are_listed() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("m.mtx");
    fs::write(&file, "%%MatrixMarket matrix coordinate integer general\n3 2 1\n1 1 5\n").unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    for (target, names) in [("a.bpcells", "x\ny\nz\n"), ("b.bpcells", "w\nz\nx\n")] {
        run(&["-q", "convert", text(&file), &at(target)]).good();
        fs::write(Path::new(&at(target)).join("row_names"), names).unwrap();
    }
    let done = run(&["diff", &at("a.bpcells"), &at("b.bpcells"), "--by-name"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(done.out, "row\tonly in the first\ty\nrow\tonly in the second\tw\n");
    // Also if one has fewer rows.
    run(&["-q", "slice", &at("b.bpcells"), &at("c.bpcells"), "--rows", "1:"]).good();
    let done = run(&["diff", &at("a.bpcells"), &at("c.bpcells"), "--by-name", "--json"]);
    for part in
        ["\"kind\": \"shape\"", "\"kind\": \"name\"", "\"axis\": \"rows\"", "\"first\": \"y\""]
    {
        assert!(done.out.contains(part), "{done:?}");
    }
    let done = run(&["diff", &at("a.bpcells"), &at("b.bpcells"), "--by-name", "--max-diffs", "1"]);
    assert_eq!(done.out.lines().count(), 2, "{done:?}");
    let full = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    run(&["-q", "slice", text(&full), &at("some.h5ad"), "--cells", "1:"]).good();
    let first = run(&["names", text(&full), "cells"]).good();
    let first = first.lines().next().unwrap();
    let done = run(&["diff", text(&full), &at("some.h5ad"), "--by-name"]);
    assert_eq!(done.out, format!("row\tonly in the first\t{first}\n"));
}

#[test]
fn targets_without_positions_are_mentioned() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    fs::write(
        at("m.mtx"),
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n2 2 5\n",
    )
    .unwrap();
    let note = "so the order cannot be undone";
    for (target, is_noted) in [("m.npz", true), ("m.bpcells", false)] {
        let done = run(&["convert", &at("m.mtx"), &at(target), "--reorder", "rows=1,0"]);
        assert!(done.code == Some(0) && done.err.contains(note) == is_noted, "{done:?}");
    }
}
