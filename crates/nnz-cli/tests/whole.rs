//! Whole AnnData files: what goes along, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test stops where it fails, and uses what it needs of what tests share"
)]

mod common;

use std::path::{Path, PathBuf};

use common::{run, testdata, text};

fn study() -> PathBuf {
    testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad")
}

/// Lists the matrices and columns of a file.
fn members(path: &Path) -> Vec<String> {
    let info = run(&["info", "--json", text(path)]).good();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    let members = info["members"].as_array().unwrap();
    members.iter().map(|member| member["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn everything_goes_from_file_to_store_and_back() {
    let scratch = tempfile::tempdir().unwrap();
    let (store, back) = (scratch.path().join("s.zarr"), scratch.path().join("b.h5ad"));
    run(&["-q", "convert", text(&study()), text(&store)]).good();
    run(&["-q", "convert", text(&store), text(&back), "--compress", "gzip:1"]).good();
    for copy in [&store, &back] {
        assert_eq!(members(copy), members(&study()));
        run(&["validate", text(copy)]).good();
        for member in members(&study()) {
            if member.starts_with("obs/") || member.starts_with("var/") {
                continue;
            }
            let [a, b] = [&study(), copy].map(|path| format!("{}::{member}", text(path)));
            run(&["diff", "--stored", &a, &b]).good();
        }
    }
}

#[test]
fn a_matrix_that_is_named_goes_with_its_tables_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    let x = format!("{}::X", text(&study()));
    for verb in [&["convert"][..], &["slice", "--rows", "1:3"]] {
        let arguments = [verb, &["-q", "--force", "--strict", &x, text(&target)]].concat();
        run(&arguments).good();
        assert!(!members(&target).iter().any(|name| name.contains("layers")));
    }
}

#[test]
fn a_target_of_one_matrix_names_all_else() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.npz");
    let source = study();
    let run_it = |flags: &[&str]| {
        let arguments = [&["convert", text(&source), text(&target)], flags].concat();
        run(&arguments)
    };
    let done = run_it(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for name in ["layers/counts", "obsm/X_pca", "obsp/distances", "varm/PCs", "raw", "uns/pca"] {
        assert!(done.err.contains(name), "{name}: {}", done.err);
    }
    let refused = run_it(&["--force", "--strict"]).refused();
    assert!(refused.contains("layers/counts"), "{refused}");
}

#[test]
fn options_of_one_matrix_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    let source = study();
    for flags in [&["--order", "col"], &["--type", "double"], &["--cell-axis", "cols"]] {
        let arguments = [&["convert", text(&source), text(&target)][..], flags].concat();
        let refused = run(&arguments).refused();
        assert!(refused.contains("name a matrix, as in FILE.h5ad::X"), "{refused}");
        assert!(!target.exists());
    }
    let options = ["concat", text(&source), text(&target), "--axis", "cols", "--join", "inner"];
    let done = run(&options);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.err.contains("--join"), "{}", done.err);
}

#[test]
fn a_file_that_is_there_is_replaced_with_force_only() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    run(&["-q", "convert", text(&study()), text(&target)]).good();
    let before = std::fs::read(&target).unwrap();
    run(&["convert", text(&study()), text(&target)]).refused();
    // A cell that is not there shows before anything is replaced.
    run(&["slice", "--force", "--rows", "99", text(&study()), text(&target)]).refused();
    assert_eq!(std::fs::read(&target).unwrap(), before);
    run(&["-q", "slice", "--force", "--rows", "0", text(&target), text(&target)]).good();
    assert_eq!(run(&["names", text(&target), "rows"]).good().lines().count(), 1);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[test]
fn broken_files_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = testdata().join("anndata/malformed");
    let mut refused = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "h5ad") {
            continue;
        }
        let target = scratch.path().join("x.h5ad");
        let done = run(&["-q", "convert", text(&path), text(&target), "--force"]);
        let valid = run(&["validate", text(&path)]);
        match done.code {
            Some(0) => run(&["validate", text(&target)]).good(),
            Some(1) => {
                assert_ne!(valid.code, Some(0), "{}: {}", path.display(), done.err);
                refused += 1;
                continue;
            }
            _ => panic!("{}: {done:?}", path.display()),
        };
        std::fs::remove_file(&target).unwrap();
    }
    assert!(refused > 20, "{refused}");
}

/// The summary of a slice with a dense X once reported the entries of the whole file.
#[test]
fn the_summary_of_a_dense_slice_counts_its_own_entries() {
    let scratch = tempfile::tempdir().unwrap();
    let dense = testdata().join("anndata/valid/0.12.19/h5ad/full_dense.h5ad");
    let target = scratch.path().join("x.h5ad");
    let done = run(&["slice", text(&dense), text(&target), "--rows", "1:3", "--cols", "0:4"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("2 rows, 4 columns, 8 entries"), "{done:?}");
}

/// With --force, a part once replaced the file that was being split.
#[test]
fn a_file_is_not_split_into_itself() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("T.h5ad");
    std::fs::copy(study(), &source).unwrap();
    let store = scratch.path().join("NK.zarr");
    run(&["-q", "convert", text(&study()), text(&store)]).good();
    let before = [common::content(&source), common::content(&store)];
    for (from, extension) in [(&source, "h5ad"), (&store, "zarr")] {
        let by = ["--by", "cell_type", "--extension", extension, "--force"];
        let done = run(&[&["split", text(from), text(scratch.path())], &by[..]].concat());
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.err.contains("would replace what is split"), "{done:?}");
    }
    assert_eq!([common::content(&source), common::content(&store)], before);
    assert_eq!(common::names_in(scratch.path()).len(), 2);
}

/// A few cells once took a megabyte for each array whose length is counted as it is written.
#[test]
fn a_small_part_takes_little_space() {
    let scratch = tempfile::tempdir().unwrap();
    for target in ["x.h5ad", "x.zarr"] {
        let target = scratch.path().join(target);
        run(&["-q", "slice", text(&study()), text(&target), "--rows", "1:3"]).good();
        let bytes: usize = common::content(&target).iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 200_000, "{bytes}");
    }
}
