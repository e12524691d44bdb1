//! The tools of the Binsparse suite, compared with the reference.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops where it fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnz_testing::command::{Run, finish, names_in, run, testdata, text};
use nnz_testing::npy::npy;
use serde_json::{Value, json};

macro_rules! tools {
    ($($name:ident $file:literal)*) => {
        $(fn $name(arguments: &[&str]) -> Run {
            finish(Command::new(env!(concat!("CARGO_BIN_EXE_", $file))).args(arguments))
        })*
        const ALL: &[(&str, fn(&[&str]) -> Run)] = &[$(($file, $name)),*];
    };
}

tools! {
    mtx2bsp "mtx2bsp"
    bsp2mtx "bsp2mtx"
    bsp_ls "bsp-ls"
    check_equivalence "check_equivalence"
    npy_to_binsparse "npy_to_binsparse"
    binsparse_to_npy "binsparse_to_npy"
    binsparse_to_binsparse "binsparse_to_binsparse"
}

fn golden(path: &str) -> String {
    text(&testdata().join("binsparse").join(path)).to_owned()
}

/// The descriptor and the user keys of a directory of arrays.
fn described(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("binsparse.json")).unwrap()).unwrap()
}

#[test]
fn help_version_and_usage_errors() {
    for (name, tool) in ALL {
        assert!(tool(&["--help"]).good().contains("Usage:"), "{name}");
        assert!(tool(&["--version"]).good().starts_with(name), "{name}");
        let usage = tool(&[]);
        assert_eq!(usage.code, Some(2), "{name}: {usage:?}");
        let absent = ["/nowhere/a.bsp"; 5];
        let arguments = match *name {
            "bsp-ls" => 1,
            "npy_to_binsparse" => 5,
            "binsparse_to_npy" => 4,
            _ => 2,
        };
        let refused = tool(&absent[..arguments]);
        assert_eq!((refused.code, &*refused.out), (Some(1), ""), "{name}: {refused:?}");
        assert!(refused.err.starts_with(&format!("{name}: ")), "{refused:?}");
    }
}

/// Types, structure, comment and entries of converted Matrix Market files are the same as with the
/// reference tools.
#[test]
fn mtx2bsp_agrees_with_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = fs::read(testdata().join("binsparse/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let mut seen = 0;
    for entry in manifest["entries"].as_array().unwrap() {
        let Some(theirs) = entry["mtx2bsp"].get("COO").filter(|made| made["path"].is_string())
        else {
            continue;
        };
        let source = golden(entry["path"].as_str().unwrap());
        let target = folder.path().join("a.bsp");
        let made = mtx2bsp(&["--no-sync", &source, text(&target)]);
        let theirs_at = golden(theirs["path"].as_str().unwrap());
        if made.code != Some(0) {
            // It has duplicate entries, which the reference keeps.
            assert!(made.err.contains("twice") || made.err.contains("same"), "{source}: {made:?}");
            continue;
        }
        let ours = described(&target);
        let expected = &theirs["descriptor"];
        for key in ["shape", "structure", "number_of_stored_values"] {
            assert_eq!(ours["binsparse"][key], expected["binsparse"][key], "{source} {key}");
        }
        assert_eq!(ours["binsparse"]["format"], "COOR");
        assert_eq!(ours["comment"], expected["comment"], "{source}");
        let same = check_equivalence(&[text(&target), &theirs_at]);
        assert_eq!(same.code, Some(0), "{source}: {same:?}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn mtx2bsp_uses_the_smallest_types() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.mtx");
    let target = folder.path().join("a.bsp");
    let cases = [
        ("real general", "1 1 0.5\n3 2 -2\n", "float32"),
        ("real general", "1 1 0.1\n3 2 -2\n", "float64"),
        ("integer general", "1 1 0\n3 2 255\n", "uint8"),
        ("integer general", "1 1 -1\n3 2 255\n", "int16"),
        ("integer general", "1 1 -1\n3 2 9223372036854775807\n", "int64"),
        ("complex general", "1 1 0.5 0\n3 2 1 -1\n", "complex[float32]"),
        ("pattern general", "1 1\n3 2\n", "iso[bint8]"),
        // The mirrored entries are negative.
        ("integer skew-symmetric", "2 1 7\n3 2 255\n", "int16"),
    ];
    for (kind, entries, value_type) in cases {
        let banner = format!("%%MatrixMarket matrix coordinate {kind}\n% one\n%two\n3 3 2\n");
        fs::write(&source, banner + entries).unwrap();
        mtx2bsp(&[text(&source), text(&target), "csr"]).good();
        let found = described(&target);
        let types = &found["binsparse"]["data_types"];
        let expected =
            json!({"pointers_to_1": "uint8", "indices_1": "uint8", "values": value_type});
        assert_eq!(types, &expected, "{kind} {entries}");
        assert_eq!(found["comment"], "% one\n%two");
        assert_eq!(check_equivalence(&[text(&source), text(&target)]).code, Some(0));
    }
    mtx2bsp(&[text(&source), text(&target), "DMAT"]).good();
    assert_eq!(described(&target)["binsparse"]["data_types"]["values"], "int16");
    assert_eq!(check_equivalence(&[text(&source), text(&target)]).code, Some(0));
}

#[test]
fn mtx2bsp_writes_any_group_level_and_container() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| text(&folder.path().join(name)).to_owned();
    let source = golden("mtx/coord_real_general.mtx");
    let array = golden("mtx/array_real_general.mtx");
    let file = place("a.h5");
    mtx2bsp(&[&source, &format!("{file}:one"), "CSC", "9"]).good();
    mtx2bsp(&[&array, &format!("{file}::two/three")]).good();
    // Once more, to replace it.
    mtx2bsp(&[&source, &format!("{file}:one"), "DCSR", "0"]).good();
    let listed = bsp_ls(&[&file]).good();
    let lines: Vec<Vec<&str>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert_eq!(lines[0][..3], ["/one", "DCSR", "7 x 10"]);
    assert_eq!(lines[1][..4], ["/two/three", "DMATR", "7 x 10", "70"]);
    for target in ["a.hdf5", "a.npz", "a.zarr", "a.nc"] {
        let target = place(target);
        mtx2bsp(&[&source, &target, "COOC", "1"]).good();
        assert!(bsp_ls(&[&target]).good().starts_with("/\tCOOC\t7 x 10\t35\t"), "{target}");
        let same = check_equivalence(&[&target, &format!("{file}:one")]);
        assert_eq!(same.code, Some(0), "{same:?}");
        let back = place("back.mtx");
        let made = bsp2mtx(&[&target, &back]);
        assert_eq!(made.code, Some(0), "{made:?}");
        assert_eq!(run(&["diff", &back, &source]).good(), "");
    }
    let differ = check_equivalence(&[&format!("{file}:one"), &format!("{file}:two/three")]);
    assert_eq!(differ.code, Some(1));
    assert!(differ.out.contains("differ"), "{differ:?}");
    for wrong in [&[&*source, "a.h5", "CSX"][..], &[&source, "a.h5", "CSR", "10"]] {
        assert_eq!(mtx2bsp(wrong).code, Some(2));
    }
}

#[test]
fn an_error_keeps_the_existing_target() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.npz");
    mtx2bsp(&[&golden("mtx/coord_real_general.mtx"), text(&target)]).good();
    let before = fs::read(&target).unwrap();
    let broken = folder.path().join("b.mtx");
    fs::write(&broken, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n").unwrap();
    assert_eq!(mtx2bsp(&[text(&broken), text(&target)]).code, Some(1));
    assert_eq!(fs::read(&target).unwrap(), before);
    assert_eq!(names_in(folder.path()), ["a.npz", "b.mtx"]);
}

/// A matrix of 2 x 3 with three stored elements, as arrays: rows 10 11 12 and 20 21 22.
fn matrix(folder: &Path, fortran: bool) -> [String; 3] {
    let elements = if fortran { [10, 20, 11, 21, 12, 22] } else { [10_i16, 11, 12, 20, 21, 22] };
    let elements: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    let stored = [1, 0, 1, 0, 1, 0];
    let fill = 7_i16.to_le_bytes();
    [
        npy(&folder.join("t.npy"), "<i2", "(2, 3)", fortran, &elements),
        npy(&folder.join("p.npy"), "|b1", "(2, 3)", false, &stored),
        npy(&folder.join("f.npy"), "<i2", "()", false, &fill),
    ]
}

#[test]
fn npy_to_binsparse_follows_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("h.json");
    let target = folder.path().join("a.bsp");
    for fortran in [false, true] {
        let [tensor, pattern, fill] = matrix(folder.path(), fortran);
        let given = json!({
            "version": "0.1.0", "format": "custom", "fill": true,
            "custom": {"level": {"level_desc": "sparse", "rank": 2,
                "level": {"level_desc": "element"}}, "transpose": [0, 1]},
            "data_types": {"values": "int8", "indices_0": "uint64"},
        });
        fs::write(&header, given.to_string()).unwrap();
        npy_to_binsparse(&[&tensor, &pattern, &fill, text(&header), text(&target)]).good();
        let mut expected = given.clone();
        expected["shape"] = json!([2, 3]);
        expected["number_of_stored_values"] = json!(3);
        expected["data_types"]["indices_1"] = json!("int64");
        expected["data_types"]["fill_value"] = json!("int16");
        assert_eq!(described(&target)["binsparse"], expected);
        assert_eq!(run(&["cat", text(&target)]).good(), "0\t0\t10\n0\t2\t12\n1\t1\t21\n");
        let made: Vec<PathBuf> =
            ["t", "p", "f"].map(|n| folder.path().join(n).with_extension("out")).to_vec();
        let made: Vec<&str> = made.iter().map(|path| text(path)).collect();
        binsparse_to_npy(&[text(&target), made[0], made[1], made[2]]).good();
        // Elements that are not stored have the fill value; int8 and int16 are combined to int16.
        let elements = fs::read(made[0]).unwrap();
        let expected: Vec<u8> =
            [10_i16, 7, 12, 7, 21, 7].iter().flat_map(|c| c.to_le_bytes()).collect();
        assert_eq!(elements[128..], expected);
        assert!(
            elements[10..]
                .starts_with(b"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }")
        );
        assert_eq!(fs::read(made[1]).unwrap()[128..], [1, 0, 1, 0, 1, 0]);
        assert_eq!(fs::read(made[2]).unwrap()[128..], [7, 0]);
    }
}

/// Types are promoted like in NumPy if the type of the values cannot represent the fill value.
#[test]
fn values_are_promoted_to_fit_the_fill_value() {
    let folder = tempfile::tempdir().unwrap();
    let [tensor, pattern, _] = matrix(folder.path(), false);
    let (header, target) = (folder.path().join("h.json"), folder.path().join("a.bsp"));
    fs::write(&header, r#"{"format": "CSR"}"#).unwrap();
    let large = (1_i64 << 60) + 1;
    for (descr, bytes, value_type) in [
        ("<f8", 7.5_f64.to_le_bytes(), "float64"),
        ("<i8", large.to_le_bytes(), "int64"),
        // It fits without promotion.
        ("<i8", 7_i64.to_le_bytes(), "int16"),
    ] {
        let fill = npy(&folder.path().join("f.npy"), descr, "()", false, &bytes);
        npy_to_binsparse(&[&tensor, &pattern, &fill, text(&header), text(&target)]).good();
        assert_eq!(described(&target)["binsparse"]["data_types"]["values"], value_type);
        assert_eq!(run(&["validate", text(&target)]).code, Some(0));
        fs::write(&header, r#"{"format": "CSR", "data_types": {"values": "int16"}}"#).unwrap();
        let refused = npy_to_binsparse(&[&tensor, &pattern, &fill, text(&header), text(&target)]);
        assert_eq!(refused.code == Some(0), value_type == "int16", "{refused:?}");
        fs::write(&header, r#"{"format": "CSR"}"#).unwrap();
    }
    // Floats can represent neither all of these values nor this fill value.
    let elements: Vec<u8> = [large; 6].iter().flat_map(|element| element.to_le_bytes()).collect();
    let tensor = npy(Path::new(&tensor), "<i8", "(2, 3)", false, &elements);
    let fill = npy(&folder.path().join("f.npy"), "<f8", "()", false, &7.5_f64.to_le_bytes());
    let refused = npy_to_binsparse(&[&tensor, &pattern, &fill, text(&header), text(&target)]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("7.5"), "{refused:?}");
}

#[test]
fn wrong_headers_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let [tensor, pattern, fill] = matrix(folder.path(), false);
    let header = folder.path().join("h.json");
    let target = folder.path().join("a.bsp");
    for (given, message) in [
        (r#"{"format": "CSR", "shape": [3, 2]}"#, "shape"),
        (r#"{"format": "CSR", "number_of_stored_values": 4}"#, "number_of_stored_values"),
        (r#"{"format": "CSR", "data_types": {"values": "iso[int16]"}}"#, "values"),
        (r#"{"format": "CSR", "data_types": {"values": "bint8"}}"#, "values"),
        (r#"{"format": "CSR", "data_types": {"indices_0": "int8"}}"#, "indices_0"),
        (r#"{"format": "DMAT"}"#, "without an entry"),
        (r#"{"format": "CSR", "fill": false}"#, "have the value 7"),
        (r#"{"format": "CVEC"}"#, "dimensions"),
        (r#"{"format": "CSR", "structure": "symmetric_lower"}"#, "square"),
        (r#"{"shape": [2, 3]}"#, "format"),
        (r#"{"format": "CSR", "version": "2.0"}"#, "version"),
        ("[]", "object"),
    ] {
        fs::write(&header, given).unwrap();
        let refused = npy_to_binsparse(&[&tensor, &pattern, &fill, text(&header), text(&target)]);
        assert_eq!(refused.code, Some(1), "{given}: {refused:?}");
        assert!(refused.err.contains(message), "{given}: {}", refused.err);
        assert!(!target.exists());
    }
}

#[test]
fn truncated_and_too_large_arrays_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let [tensor, pattern, fill] = matrix(folder.path(), false);
    let header = folder.path().join("h.json");
    fs::write(&header, r#"{"format": "CSR"}"#).unwrap();
    let target = folder.path().join("a.npz");
    let whole = fs::read(&tensor).unwrap();
    let convert = || npy_to_binsparse(&[&tensor, &pattern, &fill, text(&header), text(&target)]);
    for length in 0..whole.len() {
        fs::write(&tensor, &whole[..length]).unwrap();
        assert_eq!(convert().code, Some(1), "{length}");
    }
    for shape in
        ["(2, 4)", "(18446744073709551615, 2)", "(3, 2)", "(6,)", "(0, 18446744073709551615, 9)"]
    {
        npy(Path::new(&tensor), "<i2", shape, true, &whole[whole.len() - 12..]);
        assert_eq!(convert().code, Some(1), "{shape}");
    }
    assert!(!target.exists());
}

#[test]
fn tensors_that_arrays_cannot_represent_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let made = ["t", "p", "f"].map(|name| text(&folder.path().join(name)).to_owned());
    let symmetric = golden("valid/c/mtx2bsp_real_symmetric_coo.bsp.h5");
    let refused = binsparse_to_npy(&[&symmetric, &made[0], &made[1], &made[2]]);
    assert!(refused.err.contains("--expand"), "{refused:?}");
    assert_eq!((refused.code, names_in(folder.path()).len()), (Some(1), 0));
}

#[test]
fn copies_are_equal_in_every_container() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = fs::read(testdata().join("binsparse/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let targets = ["a.bsp", "a.npz", "a.zarr", "a.nc", "a.h5"];
    let mut seen = 0;
    let valid = |entry: &&Value| entry["path"].as_str().is_some_and(|p| p.starts_with("valid/"));
    for (number, entry) in manifest["entries"].as_array().unwrap().iter().filter(valid).enumerate()
    {
        let path = entry["path"].as_str().unwrap();
        if number % 4 > 0 || path.contains("multi") || entry["group"].as_str().unwrap_or("/") != "/"
        {
            continue;
        }
        let (from, to) = (golden(path), folder.path().join(targets[seen % targets.len()]));
        binsparse_to_binsparse(&["--no-sync", &from, text(&to)]).good();
        let printed = [&*from, text(&to)].map(|place| run(&["cat", place]).good());
        assert_eq!(printed[0], printed[1], "{from}");
        assert_eq!(run(&["validate", text(&to)]).good(), "", "{from}");
        seen += 1;
    }
    assert!(seen > 80, "{seen}");
}

#[test]
fn a_group_of_a_file_without_groups_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let source = golden("mtx/coord_real_general.mtx");
    let place = |name: &str| text(&folder.path().join(name)).to_owned();
    for name in ["v.npz:grp", "v.npz::grp", "v.bsp:a/b", "g.mtx:grp"] {
        let refused = mtx2bsp(&[&source, &place(name), "CSR"]);
        assert_eq!(refused.code, Some(2), "{name}: {refused:?}");
        for ending in [".h5", ".hdf5", ".nc", ".nc4", ".zarr"] {
            assert!(refused.err.contains(ending), "{name}: {refused:?}");
        }
        assert_eq!(bsp2mtx(&[&place(name), &place("b.mtx")]).code, Some(2), "{name}");
    }
    mtx2bsp(&[&source, &place("a.npz"), "CSR"]).good();
    // This file exists, but it has no groups.
    assert_eq!(mtx2bsp(&[&source, &place("a.npz:grp")]).code, Some(2));
    // A colon without an extension before it is part of the name.
    mtx2bsp(&[&source, &place("12:30.npz")]).good();
    bsp2mtx(&[&place("12:30.npz"), &place("12:30.mtx")]).good();
    assert_eq!(names_in(folder.path()), ["12:30.mtx", "12:30.npz", "a.npz"]);
}

#[test]
fn unknown_file_extensions_are_usage_errors() {
    let folder = tempfile::tempdir().unwrap();
    let source = golden("mtx/coord_real_general.mtx");
    let place = |name: &str| text(&folder.path().join(name)).to_owned();
    for name in ["out.txt", "out", "out.mtx", "out.npz.gz"] {
        let refused = mtx2bsp(&[&source, &place(name)]);
        assert_eq!(refused.code, Some(2), "{name}: {refused:?}");
        for ending in [".h5", ".hdf5", ".nc", ".nc4", ".zarr", ".npz", ".bsp"] {
            assert!(refused.err.contains(ending), "{name}: {refused:?}");
        }
    }
    assert!(names_in(folder.path()).is_empty());
    // A file that already has groups accepts more of them, whatever its name.
    mtx2bsp(&[&source, &place("a.h5")]).good();
    fs::rename(place("a.h5"), place("a.dat")).unwrap();
    mtx2bsp(&[&source, &format!("{}:two", place("a.dat"))]).good();
    assert_eq!(bsp_ls(&[&place("a.dat")]).good().lines().count(), 2);
}

#[test]
fn an_archive_with_a_duplicate_name_is_listed_as_broken() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.npz");
    mtx2bsp(&[&golden("mtx/coord_real_general.mtx"), text(&target), "COO"]).good();
    let whole = fs::read(&target).unwrap();
    // "indices_1.npy" is renamed to "indices_0.npy", in its own header and in the directory.
    let mut twice = whole.clone();
    for at in 0..whole.len() - 13 {
        if &whole[at..at + 13] == b"indices_1.npy" {
            twice[at + 8] = b'0';
        }
    }
    fs::write(&target, &twice).unwrap();
    let listed = bsp_ls(&[text(&target)]);
    let message = run(&["info", text(&target)]);
    assert_eq!(listed.code, Some(1));
    assert!(listed.err.contains("second entry of this name"), "{listed:?}");
    let fault = |err: &str| err.split_once(": ").unwrap().1.to_owned();
    assert_eq!(fault(&listed.err), fault(&message.err));
}
