//! MAT-files and archives on the command line.

use nnz_testing::command::{run, testdata, text};
use nnz_testing::tar::pack_gzip;

fn mat(name: &str) -> String {
    text(&testdata().join("matlab").join(name)).to_owned()
}

#[test]
fn info_lists_variables() {
    for file in ["v5_struct_z.mat", "v73_struct.mat"] {
        let info = run(&["info", &mat(file)]).good();
        assert!(info.starts_with("format      matlab\nkind        file\n"), "{info}");
        for line in ["Problem/A", "sparse double", "Problem/aux/C", "cells", "cell", "2 x 3 x 4"] {
            assert!(info.contains(line), "{line}: {info}");
        }
        let one = run(&["info", &format!("{}::Problem/A", mat(file))]).good();
        assert!(one.starts_with("format      MATLAB MAT-file\n"), "{one}");
        assert!(one.contains("variant     sparse double\n") && one.contains("rows        7\n"));
        assert_eq!(one, run(&["info", &format!("{}::Problem.A", mat(file))]).good());
        let error = run(&["cat", &mat(file)]).refused();
        assert!(error.contains("select one:\n  ") && error.contains("::Problem/b"), "{error}");
    }
    let info = run(&["info", &mat("v4.mat")]).good();
    assert!(info.contains("version     4\n") && info.contains("variant     double\n"), "{info}");
    // Entries of version 4 may be in any order.
    let several = |name: &str| format!("{}::{name}", mat("v4_several.mat"));
    run(&["diff", &several("rows"), &several("real")]).good();
    assert!(run(&["cat", &mat("v4_twice.mat")]).refused().contains("duplicate entry"));
    let sum = run(&["cat", &mat("v4_twice.mat"), "--duplicates", "sum"]).good();
    assert_eq!(sum, "0\t0\t3.0\n");
}

#[test]
fn variables_are_converted_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let source = format!("{}::Problem/A", mat("v5_struct_z.mat"));
    run(&["-q", "convert", &source, &at("a.mat")]).good();
    run(&["diff", "--stored", &source, &at("a.mat")]).good();
    run(&["-q", "convert", &at("a.mat"), &at("a.bpcells")]).good();
    run(&["-q", "convert", &at("a.bpcells"), &format!("{}::counts", at("b.mat"))]).good();
    run(&["diff", &format!("{}::counts", at("b.mat")), &source]).good();
    let named = format!("{}::1x", at("c.mat"));
    for (arguments, message) in [
        (&["convert", &at("a.mat"), &named][..], "not a valid MATLAB variable name"),
        (&["convert", &at("a.bpcells"), &at("a.mat")], "--force"),
        (&["convert", &at("a.bpcells"), &at("d.mat"), "--compress", "zstd:3"], "gzip"),
    ] {
        let done = run(arguments);
        assert!(done.code != Some(0) && done.err.contains(message), "{done:?}");
    }
    // Rows and columns of the sparse matrix are selected without a conversion of the rest.
    run(&["-q", "slice", &source, &at("s.mat"), "--cols", "1:3"]).good();
    assert!(run(&["info", &at("s.mat")]).good().contains("cols        2\n"));
}

#[test]
fn archives_are_read_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tar.gz");
    let main = b"%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 7\n";
    std::fs::write(&path, pack_gzip(&[("x/x.mtx", main), ("x/x_b.mtx", main)])).unwrap();
    assert_eq!(run(&["cat", text(&path)]).good(), "1\t0\t7\n");
    let info = run(&["info", text(&path)]).good();
    assert!(info.contains("container   tar archive\n") && info.contains("x/x_b.mtx"), "{info}");
    assert_eq!(run(&["cat", &format!("{}::x_b.mtx", text(&path))]).good(), "1\t0\t7\n");
    run(&["-q", "convert", text(&path), text(&folder.path().join("y.bpcells"))]).good();
    run(&["validate", text(&path)]).good();
}
