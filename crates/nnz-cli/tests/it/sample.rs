//! `nnz sample` and `nnz head`.

use std::fs;

use nnz_testing::command::{run, testdata, text};

/// Returns the numbers of rows and columns that `nnz info` prints.
fn shape(path: &str) -> Vec<String> {
    let info = run(&["info", path]).good();
    let lines = info.lines().filter(|line| line.starts_with("rows") || line.starts_with("cols"));
    lines.map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect()
}

#[test]
fn samples_depend_on_the_seed_and_not_on_the_format() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("m.mtx");
    let mut lines = "%%MatrixMarket matrix coordinate integer general\n40 30 40\n".to_owned();
    (1..=40).for_each(|row| lines += &format!("{row} {} {row}\n", row % 30 + 1));
    fs::write(&source, lines).unwrap();
    let source = text(&source);
    let stored = scratch.path().join("m.bpcells");
    run(&["-q", "convert", source, text(&stored)]).good();
    let sample = |from: &str, seed: &str, name: &str| {
        let target = scratch.path().join(name);
        let target = text(&target);
        run(&["-q", "sample", from, target, "--rows", "20", "--cols", "25", "--seed", seed]).good();
        assert_eq!(shape(target), ["20", "25"]);
        run(&["cat", target]).good()
    };
    let first = sample(source, "1", "a.mtx");
    let mut again: Vec<String> =
        sample(text(&stored), "1", "b.npz").lines().map(str::to_owned).collect();
    let mut first: Vec<String> = first.lines().map(str::to_owned).collect();
    first.sort();
    again.sort();
    assert_eq!(first, again);
    assert_ne!(first.join("\n"), sample(source, "2", "c.mtx").trim_end());
}

#[test]
fn samples_of_whole_files_are_slices() {
    let scratch = tempfile::tempdir().unwrap();
    let full = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let [sample, slice] = ["sample.h5ad", "slice.h5ad"].map(|name| scratch.path().join(name));
    run(&["-q", "sample", text(&full), text(&sample), "--cells", "3", "--seed", "5"]).good();
    let kept = run(&["names", text(&sample), "cells"]).good();
    assert_eq!(kept.lines().count(), 3);
    run(&[
        "-q",
        "slice",
        text(&full),
        text(&slice),
        "--cells",
        &kept.trim_end().replace('\n', ","),
    ])
    .good();
    run(&["diff", text(&sample), text(&slice)]).good();
}

#[test]
fn samples_that_do_not_exist_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("m.mtx");
    fs::write(&source, "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1\n").unwrap();
    let target = scratch.path().join("t.mtx");
    let (source, target) = (text(&source), text(&target));
    let says = run(&["sample", source, target, "--rows", "3"]).refused();
    assert!(says.contains("cannot sample 3 rows of 2"), "{says}");
    let says = run(&["sample", source, target, "--cells", "1"]).refused();
    assert!(says.contains("does not state which axis has cells"), "{says}");
    let says = run(&["sample", source, target]).refused_by("diff");
    assert!(says.contains("nothing is sampled"), "{says}");
    for arguments in [["--rows", "-1"], ["--rows", "x"], ["--seed", "1.5"]] {
        let says = run(&[&["sample", source, target], &arguments[..]].concat()).refused_by("diff");
        assert!(says.contains("invalid value") || says.contains("unexpected"), "{says}");
    }
    run(&["-q", "sample", source, target, "--rows", "0", "--allow-empty"]).good();
    assert_eq!(shape(target), ["0", "2"]);
}

#[test]
fn the_first_rows_and_columns_are_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("pbmc");
    fs::create_dir(&folder).unwrap();
    let matrix =
        "%%MatrixMarket matrix coordinate integer general\n3 4 4\n1 1 1\n3 1 300\n1 3 4\n2 4 5\n";
    fs::write(folder.join("matrix.mtx"), matrix).unwrap();
    fs::write(folder.join("genes.tsv"), "ENSG1\tCD3E\nENSG2\tCD8A\nENSG3\tMS4A1\n").unwrap();
    fs::write(folder.join("barcodes.tsv"), "AAA\nCCC\nGGG\nTTT\n").unwrap();
    let expected = "       AAA  CCC  GGG\nENSG1    1    .    4\nENSG2    .    .    .\n... 1 more row, 1 more column\n";
    assert_eq!(run(&["head", text(&folder), "--rows", "2", "--cols", "3"]).good(), expected);
    let whole = "       AAA  CCC  GGG  TTT\nENSG1    1    .    4    .\nENSG2    .    .    .    5\nENSG3  300    .    .    .\n";
    assert_eq!(run(&["head", text(&folder)]).good(), whole);
    assert_eq!(
        run(&["head", text(&folder), "--rows", "0", "--cols", "0"]).good(),
        "... 3 more rows, 4 more columns\n"
    );
}

#[test]
fn several_entries_and_symmetric_ones_are_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("m.mtx");
    fs::write(&source, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 0.5\n2 1 -3\n")
        .unwrap();
    assert_eq!(
        run(&["head", text(&source)]).good(),
        "      0     1\n0   0.5  -3.0\n1  -3.0     .\n"
    );
    fs::write(&source, "%%MatrixMarket matrix coordinate integer general\n1 1 2\n1 1 1\n1 1 2\n")
        .unwrap();
    assert_eq!(run(&["head", text(&source)]).good(), "     0\n0  1+2\n");
}

#[test]
fn two_numbers_of_one_axis_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("m.h5ad");
    let full = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let done = run(&["sample", text(&full), text(&target), "--cells", "2", "--rows", "3"]);
    assert!(done.code == Some(2) && done.err.contains("two numbers of rows are given"), "{done:?}");
    assert!(!target.exists());
    for (option, value, says) in [
        ("--cells", "0.1", "expected a count, such as 1000"),
        ("--rows", "10%", "expected a count, such as 1000"),
        ("--seed", "abc", "expected a number from 0 to"),
        ("--seed", "-1", "expected a number from 0 to"),
    ] {
        let done = run(&["sample", text(&full), text(&target), option, value]);
        assert!(done.code == Some(2) && done.err.contains(says), "{done:?}");
    }
}
