//! R objects.

use std::fs;

use nnz_testing::command::{run, testdata, text};

use super::report;

fn other(name: &str) -> String {
    report(&format!("rds-other-classes/{name}.rds"))
}

/// The entries in the order of rows and columns.
fn sorted(at: &str) -> Vec<String> {
    let text = run(&["cat", at]).good().replace(".0\n", "\n");
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn objects_in_text_of_windows_are_read() {
    let plain = report("rds-ascii-windows/ascii.rds");
    let windows = report("rds-ascii-windows/ascii_win.rds");
    assert_eq!(run(&["cat", &windows]).good(), run(&["cat", &plain]).good());
    run(&["diff", "--stored", &plain, &windows]).good();
    assert_eq!(run(&["validate", &windows]).good(), "");
    // A dense matrix with names of rows: 1, 2.5, and zeros in the second row.
    let dense = report("corpora/ascii_crlf.rds");
    let entries = run(&["cat", &dense]).good();
    assert!(entries.contains("0\t0\t1.0\n") && entries.contains("0\t1\t2.5\n"), "{entries}");
    assert_eq!(run(&["names", "-q", &dense, "rows"]).good(), "a\nb\n");
    // Without the extension, also compressed.
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(&windows).unwrap();
    for (name, bytes) in [("x", bytes.clone()), ("y", nnz_testing::tar::gzip(&bytes))] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        assert_eq!(run(&["cat", text(&path)]).good(), run(&["cat", &plain]).good());
    }
    // All objects in text of the test data.
    let mut count = 0;
    for entry in fs::read_dir(testdata().join("rds")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(bytes) = fs::read(&path) else { continue };
        if !bytes.starts_with(b"A\n") {
            continue;
        }
        count += 1;
        let crlf = String::from_utf8(bytes).unwrap().replace('\n', "\r\n");
        let target = folder.path().join("crlf.rds");
        fs::write(&target, crlf).unwrap();
        let (expected, found) = (run(&["cat", text(&path)]), run(&["cat", text(&target)]));
        assert_eq!((found.code, found.out), (expected.code, expected.out), "{path:?}");
    }
    assert!(count > 0);
}

#[test]
fn classes_that_extend_those_of_matrix_are_read() {
    let dfm = other("dfm");
    assert_eq!(sorted(&dfm), ["0\t0\t1", "1\t1\t2"]);
    assert_eq!(run(&["names", "-q", &dfm, "rows"]).good(), "d1\nd2\n");
    assert_eq!(run(&["names", "-q", &dfm, "cols"]).good(), "a\nb\n");
    assert_eq!(run(&["validate", &dfm]).good(), "");
    assert!(run(&["info", &dfm]).good().contains("dfm (dgCMatrix)"));
    // The values of R.
    for (name, entries) in [
        ("dgC", &["0\t0\t4", "1\t1\t6", "2\t0\t5"][..]),
        ("ngC", &["0\t0\t1", "1\t1\t1", "2\t0\t1"]),
        ("lgT", &["0\t0\t1", "1\t1\t1", "2\t0\t1"]),
        ("dtT", &["0\t0\t1", "0\t1\t2", "1\t1\t3"]),
    ] {
        assert_eq!(sorted(&other(&format!("extends_{name}"))), entries, "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let expected = folder.path().join("expected.mtx");
    for (name, body) in
        [("dsR", "2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 3\n"), ("dge", "3 2 3\n1 1 4\n3 1 5\n2 2 6\n")]
    {
        fs::write(&expected, format!("%%MatrixMarket matrix coordinate real general\n{body}"))
            .unwrap();
        // Text without names.
        let found = folder.path().join("found.mtx");
        let source = other(&format!("extends_{name}"));
        let done = run(&["-q", "convert", "--force", &source, text(&found)]);
        assert_eq!(done.code, Some(0), "{done:?}");
        run(&["diff", text(&found), text(&expected)]).good();
    }
    // The slots that the class adds are no part of a matrix.
    let target = folder.path().join("x.bpcells");
    let done = run(&["convert", &other("extends_dgC"), text(&target)]);
    assert!(done.code == Some(0) && done.err.contains("slots of the class (meta)"), "{done:?}");
    let strict = folder.path().join("y.bpcells");
    let done = run(&["convert", "--strict", &other("extends_dgC"), text(&strict)]);
    assert!(done.code != Some(0) && !strict.exists(), "{done:?}");
}

#[test]
fn every_class_of_matrix_is_read() {
    for (name, entries) in [
        ("ddi_N", &["0\t0\t1", "1\t1\t2", "2\t2\t3"][..]),
        ("ddi_U", &["0\t0\t1", "1\t1\t1", "2\t2\t1"]),
        ("extends_ddi", &["0\t0\t1", "1\t1\t1"]),
        ("dsy", &["0\t0\t3", "1\t2\t1"]),
        ("Matrix_sym", &["0\t1\t1"]),
        ("dtr", &["0\t0\t2.5", "1\t1\t1", "1\t2\t3", "2\t2\t1"]),
        ("dtp", &["0\t0\t2.5", "1\t1\t1", "1\t2\t3", "2\t2\t1"]),
        ("dtC_U", &["0\t0\t1", "0\t1\t2", "1\t1\t1", "1\t2\t3", "2\t2\t1"]),
        ("indMatrix", &["0\t0\t1", "1\t0\t1", "2\t1\t1"]),
        ("pMatrix", &["0\t1\t1", "1\t2\t1", "2\t0\t1"]),
        ("sparseVector", &["2\t0\t3", "4\t0\t5"]),
    ] {
        let found = sorted(&other(name));
        // Of a dense matrix, zeros are stored.
        let found: Vec<_> = found.iter().filter(|line| !line.ends_with("\t0")).collect();
        assert_eq!(found, entries, "{name}");
        assert_eq!(run(&["validate", &other(name)]).good(), "", "{name}");
    }
}

#[test]
fn messages_on_other_objects_say_what_is_read() {
    // Factorizations are no matrices.
    for (name, class) in [("extends_dCHM", "dCHMsimpl"), ("extends_dCHMsub", "chol")] {
        let error = run(&["cat", &other(name)]).refused();
        assert!(error.contains(class) && error.contains("supported are"), "{name}: {error}");
    }
    // A list of two matrices.
    let list = report("messages/list.rds");
    assert!(run(&["info", &list]).good().contains("\nAntibody Capture "));
    assert!(run(&["cat", &list]).refused().contains("list.rds::Gene Expression"));
    let shape = run(&["info", "--json", &format!("{list}::Antibody Capture")]).good();
    assert!(shape.contains("\"rows\":2") || shape.contains("\"rows\": 2"), "{shape}");
    // A workspace with one matrix.
    let workspace = report("rds-other-classes/m.RData");
    assert_eq!(run(&["cat", &workspace]).good(), run(&["cat", &format!("{workspace}::m")]).good());
    assert!(run(&["info", &report("messages/seurat4.rds")]).good().contains("Seurat"));
}

#[test]
fn damaged_compressed_objects_are_errors_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("o.mtx");
    for compression in ["gzip", "bzip2", "xz"] {
        let source = other(&format!("compressed_{compression}"));
        assert_eq!(run(&["cat", &source]).good().lines().count(), 60);
        let whole = fs::read(&source).unwrap();
        let path = folder.path().join("x.rds");
        // Bytes of the header, the data and the checksum, and a truncated file.
        let mut broken: Vec<Vec<u8>> = (3..whole.len())
            .step_by(whole.len().div_ceil(24))
            .chain(whole.len() - 12..whole.len())
            .map(|at| {
                let mut bytes = whole.clone();
                bytes[at] ^= 0xff;
                bytes
            })
            .collect();
        broken.push(whole[..whole.len() / 2].to_vec());
        broken.push([&whole[..], b"\x1f\x8bx"].concat());
        for bytes in broken {
            fs::write(&path, &bytes).unwrap();
            for verb in ["info", "cat", "validate", "convert", "stats"] {
                let mut words = vec!["-q", verb, text(&path)];
                if verb == "convert" {
                    words.extend([text(&target), "--force"]);
                }
                let done = run(&words);
                assert!(matches!(done.code, Some(0 | 1)), "{verb} {source}: {done:?}");
            }
        }
    }
}
