//! Notes on what is unusual but allowed.

use std::fs;

use nnz_testing::command::{run, text};

fn notes(path: &str) -> String {
    run(&["validate", "--notes", path]).good()
}

#[test]
fn a_last_line_without_a_newline_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mtx");
    let content = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 93\n";
    fs::write(&path, content).unwrap();
    assert_eq!(notes(text(&path)), "");
    // "93" is cut to "9".
    fs::write(&path, &content[..content.len() - 2]).unwrap();
    let note = "the last line does not end with a newline; it may be truncated";
    assert_eq!(notes(text(&path)), format!("note: {}: {note}\n", text(&path)));
    assert_eq!(run(&["validate", text(&path)]).good(), "");
}

#[test]
fn duplicate_names_are_noted_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let source = at("a");
    fs::create_dir(&source).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 1 5\n";
    fs::write(at("a/matrix.mtx"), matrix).unwrap();
    fs::write(at("a/genes.tsv"), "g1\tG1\ng2\tG2\n").unwrap();
    fs::write(at("a/barcodes.tsv"), "c1\nc2\nc3\n").unwrap();
    for target in ["b.bpcells", "b.bsp.h5", "b.rds", "b.h5ad"] {
        let target = &at(target);
        let axis = ["--axis", "cells"];
        let concat = ["concat", &source, &source, target];
        let done = run(&[&concat[..], &axis].concat());
        let note = "note: 3 columns have the name of an earlier column, such as \"c1\"";
        assert!(done.code == Some(0) && done.err.contains(note), "{done:?}");
        let format = if target.ends_with(".bsp.h5") { continue } else { notes(target) };
        assert!(format.contains("duplicate name") && format.contains("\"c1\""), "{format}");
    }
    run(&["-q", "convert", &source, &at("one.bpcells")]).good();
    assert_eq!(notes(&at("one.bpcells")), "");
}
