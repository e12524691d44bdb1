//! The default format of Binsparse targets.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};
use nnz_testing::npy::binsparse;
use serde_json::{Value, json};

/// Returns the format, or the level tree if it has no name.
fn format(folder: &Path) -> String {
    let found: Value =
        serde_json::from_slice(&fs::read(folder.join("binsparse.json")).unwrap()).unwrap();
    let found = &found["binsparse"];
    match found["format"].as_str().unwrap() {
        "custom" => found["custom"].to_string(),
        name => name.to_owned(),
    }
}

fn convert(verb: &str, from: &str, to: &Path, options: &[&str]) {
    let arguments = [&[verb, from, text(to), "--no-sync", "--quiet", "--force"], options].concat();
    run(&arguments).good();
}

#[test]
fn binsparse_keeps_the_format_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let source = text(&testdata().join("binsparse/mtx/coord_real_general.mtx")).to_owned();
    let (from, to) = (folder.path().join("from.bsp"), folder.path().join("to.bsp"));
    for [row, col] in [["CSR", "CSC"], ["DCSR", "DCSC"], ["COOR", "COOC"], ["DMATR", "DMATC"]] {
        for (own, other, order) in [(row, col, "col"), (col, row, "row")] {
            convert("convert", &source, &from, &["--to", own]);
            let kept: [(&str, &[&str]); 4] = [
                ("convert", &[]),
                // The order is the same as in the source.
                ("transpose", &[]),
                ("slice", &["--rows", "1:4"]),
                ("convert", &["--to", "binsparse"]),
            ];
            for (verb, options) in kept {
                convert(verb, text(&from), &to, options);
                assert_eq!(format(&to), own, "{verb}");
            }
            for verb in ["convert", "transpose"] {
                convert(verb, text(&from), &to, &["--order", order]);
                assert_eq!(format(&to), other, "{verb} {own}");
            }
            let both = [text(&from), text(&from), text(&to)];
            let options = ["--axis", "rows", "--no-sync", "--quiet", "--force"];
            run(&[&["concat"], &both[..], &options[..]].concat()).good();
            assert_eq!(format(&to), own);
            run(&["validate", text(&to)]).good();
        }
    }
    // A level tree without a name.
    convert("convert", &source, &from, &["--to", "sparse(dense(element))"]);
    convert("convert", text(&from), &to, &[]);
    assert_eq!(format(&to), format(&from));
    assert_eq!(run(&["diff", "--stored", text(&from), text(&to)]).good(), "");
    convert("convert", text(&from), &to, &["--order", "col"]);
    assert!(format(&to).contains("transpose"), "{}", format(&to));
    // Other formats have no Binsparse format to keep.
    convert("convert", &source, &to, &["--order", "row"]);
    assert_eq!(format(&to), "CSR");
}

#[test]
fn matrices_with_too_many_rows_for_pointers_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let longest = u64::MAX;
    let about = json!({"format": "COOR", "shape": [longest, longest],
        "number_of_stored_values": 1, "data_types": {}});
    let arrays: [(&str, &[i32]); 3] = [("indices_0", &[5]), ("indices_1", &[7]), ("values", &[9])];
    let from = binsparse(&folder.path().join("from.bsp"), about, &arrays);
    let to = folder.path().join("to.bsp.npz");
    convert("convert", &from, &to, &[]);
    assert_eq!(run(&["cat", text(&to)]).good(), "5\t7\t9\n");
    convert("transpose", &from, &to, &["--order", "col"]);
    assert_eq!(run(&["cat", text(&to)]).good(), "7\t5\t9\n");
    for (order, instead) in [("CSR", "--to COOR"), ("CSC", "--to COOC")] {
        let refused = run(&["convert", &from, text(&to), "--force", "--to", order]);
        assert_eq!(refused.code, Some(1));
        assert!(refused.err.contains(instead), "{refused:?}");
    }
}
