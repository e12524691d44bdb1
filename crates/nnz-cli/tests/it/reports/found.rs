//! Missing chunks, members that are not read, and variants of files that other programs read.

use std::fs;

use nnz::container::tree::Attribute;
use nnz_testing::command::{run, text};

use super::report;

fn notes(path: &str) -> String {
    run(&["validate", "--notes", path]).out
}

/// Index entries of 2^64 - 1 are chunks that the shard does not contain.
#[test]
fn missing_chunks_in_shards_and_in_hdf5_are_noted() {
    for (name, array) in [("shard.zarr", "data"), ("shard_indices.zarr", "indices")] {
        let found = notes(&report(&format!("chunks/{name}")));
        let expected =
            format!("{array}: 1 chunk in a shard is missing and reads as the fill value");
        assert!(found.contains(&expected), "{found}");
        assert_eq!(found.matches("missing").count(), 1, "{found}");
    }
    // One chunk of four, and both of a dataset that was never written.
    let found = notes(&report("chunks/never.h5ad"));
    assert!(found.contains("data: 1 chunk is missing and reads as the fill value"), "{found}");
    assert!(found.contains("none: 2 chunks are missing and read as the fill value"), "{found}");
    assert_eq!(found.matches("missing").count(), 2, "{found}");
}

/// anndata writes no chunk for a null, such as `raw` of most stores.
#[test]
fn nulls_of_anndata_are_no_missing_chunks() {
    for version in [2, 3] {
        let found = notes(&report(&format!("chunks/null_v{version}.zarr")));
        assert!(!found.contains("missing"), "{found}");
    }
}

#[test]
fn members_that_are_not_read_are_listed() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let loom = ["other", "\"note\" of matrix", "\"note\" of layers"];
    for (source, target, expected) in [
        ("members/x.npz", "x.mtx", &["genes", "cells"][..]),
        ("members/x.npz", "y.npz", &["genes", "cells"]),
        ("members/x.loom", "x.h5ad", &loom),
        ("members/x.loom", "y.loom", &loom),
        ("members/x.loom", "z.mtx", &loom),
    ] {
        let (source, target) = (report(source), at(target));
        let refused = run(&["convert", &source, &target, "--strict"]).refused();
        let listed = run(&["convert", &source, &target]).err;
        let noted = notes(&source);
        let info = run(&["info", &source]).good();
        for name in expected {
            for shown in [&refused, &listed, &noted, &info] {
                assert!(shown.contains(name), "{target}: {shown}");
            }
        }
    }
}

/// Cell Ranger finds the library of a cell by these attributes.
#[test]
fn attributes_of_10x_files_are_kept() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = report("members/cr10.h5");
    let (whole, sliced, other) = (at("whole.h5"), at("sliced.h5"), at("other.h5"));
    run(&["-q", "convert", &source, &whole, "--to", "10x"]).good();
    run(&["-q", "slice", &source, &sliced, "--to", "10x", "--rows", "0:2"]).good();
    for path in [&whole, &sliced] {
        let root = nnz::container::tree::open(std::path::Path::new(path), "").unwrap();
        let attribute = |name: &str| root.attribute(name).unwrap().unwrap();
        let libraries = Attribute::of_texts(["libA", "libB"]);
        assert_eq!(attribute("library_ids"), libraries);
        assert_eq!(attribute("original_gem_groups").unsigned(), Some(vec![1, 2]));
        assert_eq!(attribute("chemistry_description").text(), Some("Flex v2"));
        assert_eq!(attribute("software_version").text(), Some("10.0.0"));
        assert_eq!(attribute("version").unsigned(), Some(vec![2]));
    }
    // Attributes that differ do not apply to all cells.
    let edited = at("edited.h5");
    let bytes = fs::read(&whole).unwrap();
    fs::write(&edited, replaced(&bytes, b"libA", b"libC")).unwrap();
    run(&["-q", "concat", &whole, &edited, &other, "--axis", "cols", "--to", "10x"]).good();
    let root = nnz::container::tree::open(std::path::Path::new(&other), "").unwrap();
    assert!(root.attribute("library_ids").unwrap().is_none());
    assert_eq!(root.attribute("chemistry_description").unwrap().unwrap().text(), Some("Flex v2"));
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|found| found == from).unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

/// LIBSVM skips blanks before a number: `63: .50` in its data set protein.
#[test]
fn blanks_after_the_colon_of_svmlight_are_skipped() {
    assert_eq!(run(&["cat", &report("blanks/a.svm")]).good(), "0\t62\t0.5\n");
    // Also where a long line is divided.
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("long.svm");
    let entries: Vec<String> =
        (1..=100_000).map(|index| format!("{index}:  {}.5", index % 7)).collect();
    fs::write(&path, format!("1 {}\n", entries.join(" "))).unwrap();
    let expected: String =
        (1..=100_000).map(|index| format!("0\t{}\t{}.5\n", index - 1, index % 7)).collect();
    assert_eq!(run(&["cat", text(&path)]).good(), expected);
    // A number is still required.
    for entry in ["1: ", "1: 2:3", "1:\n1 2:3"] {
        fs::write(&path, format!("1 {entry}\n")).unwrap();
        assert!(run(&["cat", text(&path)]).refused().contains("expected a number"), "{entry}");
    }
}

#[test]
fn blank_lines_after_names_of_10x_directories_are_skipped() {
    let source = report("blanks/tenx");
    assert_eq!(run(&["cat", &source]).good(), "0\t0\t5\n1\t1\t1\n2\t0\t2\n");
    assert_eq!(run(&["names", &source, "features"]).good(), "ENSG1\nENSG2\nENSG3\n");
    assert_eq!(run(&["names", &source, "cells"]).good(), "AAA-1\nCCC-1\n");
    // Between names they are lines like others.
    let scratch = tempfile::tempdir().unwrap();
    for name in ["matrix.mtx", "features.tsv"] {
        fs::copy(format!("{source}/{name}"), scratch.path().join(name)).unwrap();
    }
    fs::write(scratch.path().join("barcodes.tsv"), "AAA-1\nCCC-1\n\n\nGGG-1\n\n").unwrap();
    let refused = run(&["names", text(scratch.path()), "cells"]).refused();
    assert!(refused.contains("found 5 names, expected 2"), "{refused}");
}

#[test]
fn dok_of_pydata_is_read_like_coo() {
    let path = report("members/dok.npz");
    let found = run(&["cat", &path]).good();
    // As sparse.load_npz reads it.
    let first: Vec<&str> = found.lines().next().unwrap().split('\t').collect();
    assert_eq!(first[..2], ["0", "4"]);
    assert!((first[2].parse::<f64>().unwrap() - 0.518_152_55).abs() < 1e-8);
    assert!(run(&["info", &path]).good().contains("dok"));
}

/// Programs other than the HDF5 library write other numbers; the size of the datatype is used.
#[test]
fn chunked_layouts_with_another_size_of_elements_are_read() {
    let expected: String = (0..100)
        .filter(|index| *index != 7)
        .map(|index| format!("{index}\t0\t{:?}\n", f64::from(index) * 1.5 + 0.25))
        .collect();
    for name in ["single_raw", "single_gz", "implicit_raw", "fixed_raw", "fixed_gz"] {
        let path = report(&format!("hdf5-element-size/{name}_enc8_es4.mat"));
        let found = run(&["cat", &path]).good();
        let found: String =
            found.split_inclusive('\n').filter(|line| !line.ends_with("\t0.0\n")).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn ids_of_many_digits_name_the_cause_and_native_complex_numbers_are_read() {
    let refused = run(&["info", &report("blanks/gplus.edges")]).refused();
    assert!(refused.contains("--nodes names"), "{refused}");
    let values = run(&["cat", &format!("{}::A", report("hdf5-complex/native.mat"))]).good();
    assert!(values.starts_with("0\t0\t1.0\t2.0\n"), "{values}");
    assert!(values.ends_with("2\t1\t0.0\t4.0\n"), "{values}");
}
