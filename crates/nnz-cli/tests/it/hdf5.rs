//! Matrices in groups of HDF5 files.

use std::fs;
use std::path::Path;

use nnz_testing::command::{content, names_in, run, testdata, text};
use serde_json::Value;

/// The groups of the golden files with a matrix, and the directories with the same one.
fn groups() -> Vec<(String, String)> {
    let manifest = fs::read(testdata().join("bpcells/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let all = manifest["artifacts"].as_array().unwrap().iter();
    let groups: Vec<_> = all
        .filter(|a| a["backend"] == "hdf5" && a["kind"] == "matrix")
        .map(|a| {
            let field = |key: &str| a[key].as_str().unwrap().to_owned();
            let path = testdata().join("bpcells").join(field("path"));
            let directory = format!("bpcells/matrix_dir/{}.{}", field("case"), field("group"));
            let place = format!("{}::{}", text(&path), field("group"));
            (place, text(&testdata().join(directory)).to_owned())
        })
        .collect();
    assert_eq!(groups.len(), 48);
    groups
}

#[test]
fn golden_groups_equal_their_directories() {
    for (group, directory) in groups() {
        if !Path::new(&directory).exists() {
            continue;
        }
        assert_eq!(run(&["cat", &group]).good(), run(&["cat", &directory]).good(), "{group}");
        for axis in ["rows", "cols"] {
            let names = |place: &str| run(&["names", "-q", place, axis]).good();
            assert_eq!(names(&group), names(&directory), "{group}");
        }
        assert_eq!(run(&["validate", &group]).good(), "");
    }
}

#[test]
fn groups_and_directories_are_converted_to_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let (back, file) = (dir.path().join("back.bpcells"), dir.path().join("all.h5"));
    for (number, (group, directory)) in groups().into_iter().enumerate() {
        if !Path::new(&directory).exists() {
            continue;
        }
        let unpacked = if directory.contains(".unpacked.") { &["--unpacked"][..] } else { &[] };
        let version = if directory.contains(".v1.") { &["--format-version", "1"][..] } else { &[] };
        let convert = |from: &str, to: &str| {
            let start = ["convert", "-q", "--no-sync", "--to", "bpcells", from, to, "--force"];
            run(&[&start, unpacked, version].concat()).good();
        };
        convert(&group, text(&back));
        assert_eq!(content(&back), content(Path::new(&directory)), "{group}");
        // All into one file, and out again.
        let place = format!("{}::/made/by{number}", text(&file));
        convert(&directory, &place);
        convert(&place, text(&back));
        assert_eq!(content(&back), content(Path::new(&directory)), "{place}");
    }
    assert_eq!(names_in(dir.path()), ["all.h5", "back.bpcells"]);
}

#[test]
fn compressed_arrays_are_equal_and_smaller() {
    let dir = tempfile::tempdir().unwrap();
    let from = testdata().join("bpcells/matrix_dir/longcol_uint.unpacked.col");
    let [plain, gzip] = ["plain.h5", "gzip.h5"].map(|name| dir.path().join(name));
    let start = ["convert", "-q", "--to", "bpcells", "--unpacked", text(&from)];
    run(&[&start[..], &[text(&plain)]].concat()).good();
    run(&[&start[..], &[text(&gzip), "--compress", "gzip:6"]].concat()).good();
    run(&["diff", "--stored", text(&plain), text(&gzip)]).good();
    assert!(fs::metadata(&gzip).unwrap().len() < fs::metadata(&plain).unwrap().len());
    let target = dir.path().join("a.bpcells");
    let refused = run(&["convert", text(&plain), text(&target), "--compress", "gzip:6"]);
    assert_eq!(refused.code, Some(2));
}

#[test]
fn files_with_several_matrices_list_them() {
    let file = testdata().join("bpcells/matrix_h5/basic_uint.h5");
    let listed = run(&["info", text(&file)]).good();
    let message = run(&["cat", text(&file)]).refused();
    for group in ["packed.col", "packed.row", "unpacked.col", "unpacked.row"] {
        assert!(message.contains(&format!("{}::{group}", text(&file))), "{message}");
        assert!(listed.contains(&format!("\n{group} ")), "{listed}");
    }
    let nowhere = format!("{}::nowhere", text(&file));
    assert!(run(&["info", &nowhere]).refused().contains("nowhere"));
    let other = testdata().join("hdf5/filters.h5");
    assert!(run(&["info", text(&other)]).refused().contains("without a supported matrix"));
}

#[test]
fn groups_are_added_and_replaced_only_with_force() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("study.h5ad");
    fs::copy(testdata().join("bpcells/interop/basic_uint.h5ad"), &file).unwrap();
    let from = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    let group = format!("{}::bpcells/counts", text(&file));
    let convert = ["convert", "-q", "--to", "bpcells", text(&from), &group];
    run(&convert).good();
    run(&["diff", "--stored", text(&from), &group]).good();
    // AnnData itself is X.
    let x = "bpcells/interop/basic_uint.h5ad";
    let [x, own] = [testdata().join(x), file.clone()].map(|file| format!("{}::X", text(&file)));
    run(&["diff", "--stored", &x, &own]).good();
    let before = fs::read(&file).unwrap();
    assert!(run(&convert).refused().contains("--force"));
    assert_eq!(fs::read(&file).unwrap(), before);
    run(&[&convert[..], &["--force"]].concat()).good();
    run(&["validate", &group]).good();
    assert_eq!(names_in(dir.path()), ["study.h5ad"]);
}
