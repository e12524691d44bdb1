//! SVMlight, edge lists and METIS graphs.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};

/// Writes a file and returns its path.
fn file(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    text(&path).to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn options_of_reading_apply_to_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(folder.path(), "rows.txt", "1 1:2 3:5\n-1 2:7\n");
    let given = ["--from", "svmlight", "--base", "0"];
    let cat = run(&[&["cat", &source][..], &given].concat()).good();
    assert_eq!(cat, "0\t1\t2\n0\t3\t5\n1\t2\t7\n");
    let one = run(&["cat", &source, "--from", "libsvm", "--base", "1"]).good();
    assert_eq!(one, "0\t0\t2\n0\t2\t5\n1\t1\t7\n");
    let target = |name: &str| text(&folder.path().join(name)).to_owned();
    let (npz, sliced) = (target("a.npz"), target("s.svm"));
    run(&[&["-q", "convert", &source, &npz][..], &given].concat()).good();
    assert_eq!(run(&["cat", &npz]).good(), cat);
    // Of two matrices, the options apply to the one that has them.
    for pair in [[&source, &npz], [&npz, &source]] {
        run(&[&["diff", pair[0], pair[1]][..], &given].concat()).good();
    }
    assert_eq!(run(&["diff", &source, &npz, "--from", "svmlight"]).code, Some(1));
    run(&[&["-q", "slice", &source, &sliced, "--rows", "1"][..], &given].concat()).good();
    assert_eq!(read(&sliced), "-1 3:7\n");
    run(&[&["-q", "concat", &source, &source, &sliced, "--axis", "rows", "--force"][..], &given]
        .concat())
    .good();
    assert_eq!(read(&sliced), "1 2:2 4:5\n-1 3:7\n1 2:2 4:5\n-1 3:7\n");
    let filtered =
        run(&[&["filter", &source, "--dry-run", "--rows", "nnz>1"][..], &given].concat());
    assert!(filtered.good().contains("1 of 2"));
    for words in [&["info"][..], &["head"], &["stats"], &["validate"], &["names"], &["annotations"]]
    {
        let axis: &[&str] =
            if words[0] == "names" || words[0] == "annotations" { &["rows"] } else { &[] };
        run(&[&["-q"], words, &[&source], axis, &given].concat()).good();
    }
    let rows = run(&[&["annotations", &source, "rows"][..], &given].concat()).good();
    assert_eq!(
        rows.lines().map(|line| line.rsplit('\t').next().unwrap()).collect::<Vec<_>>(),
        ["label", "1", "-1"]
    );
}

#[test]
fn options_of_reading_are_refused_by_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(
        folder.path(),
        "a.mtx",
        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 5\n",
    );
    for verb in ["cat", "info", "stats"] {
        let message = run(&[verb, &source, "--base", "1"]).err;
        assert!(message.contains("--base does not apply to mtx"), "{message}");
    }
    let list = file(folder.path(), "a.el", "0 1\n");
    let message = run(&["cat", &list, "--base", "2"]).err;
    assert!(message.contains("expected 0 or 1"), "{message}");
    let message = run(&["diff", &source, &source, "--base", "1"]).err;
    assert!(message.contains("--base does not apply to mtx"), "{message}");
    let message = run(&["cat", &source, "--from", "edges"]).refused();
    assert!(message.contains("is mtx, not edges"), "{message}");
    let edges = testdata().join("edges/bad_matrix_market.el");
    let message = run(&["cat", text(&edges)]).refused();
    assert!(message.contains("line 1, column 1") && message.contains("Matrix Market"), "{message}");
}

#[test]
fn what_text_does_not_store_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(folder.path(), "a.svm", "1 qid:5 1:2 3:5\n-1 qid:6 2:7\n");
    let target = |name: &str| text(&folder.path().join(name)).to_owned();
    let (h5ad, svm, wel) = (target("a.h5ad"), target("b.svm"), target("c.wel"));
    let done = run(&["convert", &source, &h5ad]);
    assert!(done.err.contains("note: no index is 0"), "{done:?}");
    let done = run(&["convert", &h5ad, &svm]);
    assert!(
        done.err.contains("dropped: ") && done.err.contains("the number of columns"),
        "{done:?}"
    );
    assert_eq!(read(&svm), read(&source));
    run(&["convert", &h5ad, &target("d.svm"), "--strict"]).refused();
    let done = run(&["convert", &h5ad, &wel]);
    assert!(done.err.contains("the shape") && done.err.contains("label"), "{done:?}");
    assert_eq!(read(&wel), "0 0 2\n0 2 5\n1 1 7\n");
    run(&["-q", "convert", &h5ad, &wel, "--to-base", "1", "--force"]).good();
    assert_eq!(read(&wel), "1 1 2\n1 3 5\n2 2 7\n");
    let message = run(&["convert", &h5ad, &target("c.el")]).refused();
    assert!(message.contains("the value 2") && message.contains("no weights"), "{message}");
}

#[test]
fn unsorted_rows_are_sorted_and_duplicates_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let unsorted = file(folder.path(), "a.svm", "1 3:1 1:2\n");
    let target = text(&folder.path().join("b.svm")).to_owned();
    run(&["-q", "convert", &unsorted, &target]).good();
    assert_eq!(read(&target), "1 1:2 3:1\n");
    let repeated = file(folder.path(), "c.svm", "1 2:1 2:5\n");
    let message = run(&["convert", &repeated, &target, "--force"]).refused();
    assert!(message.contains("line 1"), "{message}");
    run(&["-q", "convert", &repeated, &target, "--force", "--duplicates", "sum"]).good();
    assert_eq!(read(&target), "1 2:6\n");
    assert_eq!(run(&["validate", &repeated]).code, Some(1));
    let both = file(folder.path(), "d.el", "0 1\n1 0\n");
    assert_eq!(run(&["validate", &both]).code, Some(0));
    assert_eq!(run(&["validate", &both, "--undirected"]).code, Some(1));
}

#[test]
fn rows_without_entries_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(
        folder.path(),
        "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n5 2 2\n2 1 0.5\n4 2 -0\n",
    );
    let target = text(&folder.path().join("b.svm")).to_owned();
    run(&["-q", "convert", &source, &target, "--order", "row"]).good();
    assert_eq!(read(&target), "0\n0 1:0.5\n0\n0 2:-0.0\n0\n");
    run(&["diff", &source, &target]).good();
}

#[test]
fn standard_input_and_output_are_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(folder.path(), "a.wel", "0 1 2.5\n2 0 1\n");
    let written = run(&["-q", "convert", &source, "-", "--to", "edges"]).good();
    assert_eq!(written, "0 1 2.5\n2 0 1.0\n");
    let written = run(&["-q", "convert", &source, "-", "--to", "svmlight"]).good();
    assert_eq!(written, "0 2:2.5\n0\n0 1:1.0\n");
}

#[test]
fn names_of_nodes_are_written_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let source = file(folder.path(), "a.tsv", "x\ty\t1\ny\tz\t2\n");
    let target = text(&folder.path().join("b.ncol")).to_owned();
    run(&["-q", "convert", &source, &target, "--from", "edges", "--node-names"]).good();
    assert_eq!(read(&target), "x y 1\ny z 2\n");
    run(&["-q", "convert", &source, &target, "--from", "edges", "--force"]).good();
    assert_eq!(read(&target), "0 1 1\n1 2 2\n");
    assert_eq!(run(&["names", &source, "cols", "--from", "edges"]).good(), "x\ny\nz\n");
}

#[test]
fn graphs_of_metis_are_checked_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "3 2 011 2\n 1 2 2 5\n 3 4 1 5 3 6\n 5 6 2 6\n";
    let source = file(folder.path(), "a.graph", graph);
    let target = |name: &str| text(&folder.path().join(name)).to_owned();
    let (h5ad, again, plain) = (target("a.h5ad"), target("b.graph"), target("c.graph.gz"));
    run(&["-q", "convert", &source, &h5ad]).good();
    assert_eq!(run(&["cat", &h5ad]).good(), "0\t1\t5\n1\t0\t5\n1\t2\t6\n2\t1\t6\n");
    run(&["-q", "convert", &h5ad, &again]).good();
    assert_eq!(read(&again), graph);
    let pattern = file(folder.path(), "p.el", "0 1\n1 2\n");
    run(&["-q", "convert", &pattern, &plain, "--undirected"]).good();
    assert_eq!(run(&["cat", &plain]).good(), "0\t1\t1\n1\t0\t1\n1\t2\t1\n2\t1\t1\n");
    let message = run(&["convert", &pattern, &target("d.graph")]).refused();
    assert!(message.contains("not symmetric"), "{message}");
    assert!(!folder.path().join("d.graph").exists());
    let broken = file(folder.path(), "e.graph", "3 2\n2\n1 3\n\n");
    let found = run(&["validate", &broken]);
    assert!(found.code == Some(1) && found.out.contains("line 3, column 3"), "{found:?}");
}

#[test]
fn numbers_too_small_for_a_float_are_zero_and_too_large_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, number: &str| {
        let text = match name {
            "m.mtx" => {
                let banner = "%%MatrixMarket matrix coordinate real general";
                format!("{banner}\n1 1 1\n1 1 {number}\n")
            }
            "m.svm" => format!("1 1:{number}\n"),
            "m.wel" => format!("0 0 {number}\n"),
            _ => format!("id,a\nr,{number}\n"),
        };
        file(folder.path(), name, &text)
    };
    // The same in all text.
    for name in ["m.mtx", "m.svm", "m.wel", "m.csv"] {
        assert_eq!(run(&["cat", &file(name, "1e-400")]).good(), "0\t0\t0.0\n", "{name}");
        let says = run(&["cat", &file(name, "1e400")]).refused();
        assert!(says.contains("line ") && says.contains("float64"), "{name}: {says}");
    }
}

#[test]
fn a_row_and_rows_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (text, found) in
        [("1 1:1\n", "found 1 row, expected 5"), ("1\n1\n", "found 2 rows, expected 5")]
    {
        let says = run(&["info", &file(folder.path(), "m.svm", text), "--shape", "5x5"]).refused();
        assert!(says.contains(found), "{says}");
    }
}
