//! Files with a matrix at their root and others in groups.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use nnz_testing::command::{finish, program, run, testdata, text};

const FIRST: &str = "%%MatrixMarket matrix coordinate integer general\n3 4 2\n1 1 5\n3 2 7\n";
const SECOND: &str = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 2 9\n";

/// All containers with groups, and the formats they support.
const PLACES: [(&str, &str); 6] = [
    ("a.h5", "COO"),
    ("a.nc", "CSR"),
    ("a.zarr", "CSC"),
    ("b.h5", "bpcells"),
    ("b.nc", "bpcells"),
    ("b.zarr", "bpcells"),
];

fn write(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path
}

fn group(path: &Path, group: &str) -> String {
    format!("{}::{group}", text(path))
}

/// Creates a store with the first matrix at its root and the second in two groups.
fn store(folder: &Path, name: &str, format: &str) -> PathBuf {
    let first = write(folder, "first.mtx", FIRST);
    let second = write(folder, "second.mtx", SECOND);
    let path = folder.join(name);
    let root = ["convert", "-q", text(&first), text(&path), "--to", format, "--type", "uint32"];
    run(&root).good();
    for inner in ["b", "deep/c"] {
        let inner = group(&path, inner);
        run(&["convert", "-q", text(&second), &inner, "--to", format, "--type", "uint32"]).good();
    }
    path
}

fn info(place: &str) -> Value {
    serde_json::from_str(&run(&["info", "--json", place]).good()).unwrap()
}

#[test]
fn the_root_is_read_by_default() {
    for (name, format) in PLACES {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path(), name, format);
        let (first, second) = (folder.path().join("first.mtx"), folder.path().join("second.mtx"));
        let (root, named) = (text(&path), group(&path, "/"));
        for place in [root, &named] {
            run(&["diff", text(&first), place]).good();
            run(&["diff", place, text(&first)]).good();
            assert_eq!(info(place)["rows"], 3, "{place}");
        }
        for inner in ["b", "/deep/c"] {
            run(&["diff", text(&second), &group(&path, inner)]).good();
        }
        let same: [&[&str]; 3] = [&["cat"], &["stats"], &["validate", "--notes"]];
        for verb in same {
            let of = |place: &str| run(&[verb, &[place]].concat()).good().replace("::/", "");
            assert_eq!(of(root).lines().next(), of(&named).lines().next(), "{verb:?} {root}");
        }
        let target = folder.path().join("t.mtx");
        for verb in [
            &["convert", root, text(&target)][..],
            &["slice", root, text(&target), "--rows", "0:3"],
        ] {
            run(&[verb, &["-q", "--force"]].concat()).good();
            run(&["diff", text(&first), text(&target)]).good();
        }
        run(&["transpose", "-q", root, text(&target), "--force"]).good();
        assert_eq!(info(text(&target))["rows"], 4);
        let twice = ["concat", "-q", root, root, text(&target), "--axis", "rows", "--force"];
        run(&twice).good();
        assert_eq!(info(text(&target))["rows"], 6);
    }
}

#[test]
fn info_lists_the_other_groups() {
    for (name, format) in PLACES {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path(), name, format);
        for place in [text(&path), &group(&path, "/")] {
            assert_eq!(info(place)["other_groups"], serde_json::json!(["b", "deep/c"]), "{place}");
            let message = run(&["info", place]).good();
            assert!(message.contains("\nalso holds  /b, /deep/c\n"), "{message}");
        }
        let inner = group(&path, "b");
        assert_eq!(info(&inner)["other_groups"], serde_json::json!([]), "{inner}");
        assert!(!run(&["info", &inner]).good().contains("also holds"));
    }
}

#[test]
fn several_groups_are_listed_if_the_root_is_not_a_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), "first.mtx", FIRST);
    for name in ["a.h5", "a.nc", "a.zarr"] {
        let path = folder.path().join(name);
        for inner in ["x", "y"] {
            run(&["convert", "-q", text(&first), &group(&path, inner), "--to", "CSR"]).good();
        }
        let listed = run(&["info", text(&path)]).good();
        assert!(listed.contains("\nx ") && listed.contains("\ny "), "{listed}");
        for verb in ["cat", "stats"] {
            let message = run(&[verb, text(&path)]).refused_by(verb);
            assert!(message.contains("contains several"), "{message}");
            assert!(message.contains(&group(&path, "x")) && message.contains(&group(&path, "y")));
        }
    }
}

#[test]
fn validate_checks_all_groups_if_the_root_is_not_a_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), "first.mtx", FIRST);
    for (name, format) in [("a.h5", "CSR"), ("a.zarr", "CSR"), ("b.h5", "bpcells")] {
        let path = folder.path().join(name);
        for inner in ["x", "y"] {
            run(&["convert", "-q", text(&first), &group(&path, inner), "--to", format]).good();
        }
        assert_eq!(run(&["validate", text(&path)]).good(), "", "{name}");
    }
    // Descending rows in one of them.
    let path = folder.path().join("a.zarr");
    let chunk = path.join("y/pointers_to_1/c/0");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[4] = 9;
    fs::write(&chunk, bytes).unwrap();
    let all = run(&["validate", text(&path)]);
    assert_eq!((all.code, &*all.err), (Some(1), ""), "{all:?}");
    assert!(all.out.contains(&group(&path, "y")), "{all:?}");
    assert!(!all.out.contains(&group(&path, "x")), "{all:?}");
    run(&["validate", &group(&path, "x")]).good();
}

#[test]
fn validate_checks_the_root_and_all_other_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = store(folder.path(), "a.zarr", "CSR");
    run(&["validate", text(&path)]).good();
    // Descending rows.
    let chunk = path.join("deep/c/pointers_to_1/c/0");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[4] = 9;
    fs::write(&chunk, bytes).unwrap();
    let all = run(&["validate", text(&path)]);
    assert_eq!(all.code, Some(1), "{all:?}");
    assert!(all.out.contains("deep/c"), "{all:?}");
    run(&["validate", &group(&path, "/")]).good();
    run(&["validate", &group(&path, "b")]).good();
}

#[test]
fn adding_a_group_keeps_the_root() {
    for (name, format) in PLACES {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path(), name, format);
        let first = folder.path().join("first.mtx");
        let new = group(&path, "new");
        run(&["convert", text(&first), &new, "--to", format, "--quiet"]).good();
        for place in [text(&path), &new] {
            run(&["diff", text(&first), place]).good();
        }
        assert_eq!(info(text(&path))["other_groups"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn replaced_groups_are_listed() {
    for (name, format) in PLACES {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path(), name, format);
        let first = folder.path().join("first.mtx");
        let convert = |to: &str| run(&["convert", text(&first), to, "--to", format, "--force"]).err;
        let message = convert(&group(&path, "b"));
        assert!(!message.contains("replaced"), "{message}");
        let message = convert(&group(&path, "deep"));
        assert!(message.contains("note: groups inside were replaced, too: /deep/c\n"), "{message}");
        let message = convert(text(&path));
        assert!(
            message.contains("note: groups inside were replaced, too: /b, /deep\n"),
            "{message}"
        );
        assert_eq!(info(text(&path))["other_groups"], serde_json::json!([]));
        let message = convert(text(&path));
        assert!(!message.contains("replaced"), "{message}");
    }
}

#[test]
fn fragments_and_matrices_are_found_in_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let tsv = write(folder.path(), "f.tsv", "chr1\t1\t5\tA\nchr1\t2\t8\tB\n");
    let first = write(folder.path(), "first.mtx", FIRST);
    let matrix = folder.path().join("matrix.h5");
    run(&["convert", "-q", text(&first), text(&matrix), "--to", "CSR"]).good();
    run(&["fragments", "import", "-q", text(&tsv), &group(&matrix, "f")]).good();
    assert_eq!(info(text(&matrix))["rows"], 3);
    assert_eq!(info(text(&matrix))["other_groups"], serde_json::json!(["f"]));
    assert_eq!(run(&["fragments", "query", text(&matrix), "chr1"]).good().lines().count(), 2);

    let fragments = folder.path().join("fragments.h5");
    run(&["fragments", "import", "-q", text(&tsv), text(&fragments)]).good();
    run(&["convert", "-q", text(&first), &group(&fragments, "m"), "--to", "CSR"]).good();
    assert_eq!(info(text(&fragments))["kind"], "fragments");
    assert_eq!(info(text(&fragments))["other_groups"], serde_json::json!(["m"]));
    assert!(run(&["info", text(&fragments)]).good().contains("also holds  /m"));
    assert_eq!(run(&["cat", text(&fragments)]).good().lines().count(), 2);
    run(&["validate", text(&fragments)]).good();
}

/// As the script of the reference tests its tools.
#[test]
fn the_tools_read_the_root_and_keep_groups() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), "a.mtx", FIRST);
    let second = write(folder.path(), "b.mtx", SECOND);
    let tool = |name: &str, arguments: &[&str]| finish(Command::new(program(name)).args(arguments));
    let mtx2bsp = "mtx2bsp";
    for name in ["a.h5", "a.nc", "a.zarr"] {
        let path = folder.path().join(name);
        let inner = format!("{}:b", text(&path));
        tool(mtx2bsp, &[text(&first), text(&path)]).good();
        tool(mtx2bsp, &[text(&second), &inner]).good();
        let same = |a: &str, b: &str| tool("check_equivalence", &[a, b]).code;
        assert_eq!(same(text(&first), text(&path)), Some(0));
        assert_eq!(same(text(&second), &inner), Some(0));
        assert_eq!(same(text(&second), text(&path)), Some(1));
        let back = folder.path().join("back.mtx");
        tool("bsp2mtx", &[text(&path), text(&back)]).good();
        assert_eq!(same(text(&first), text(&back)), Some(0));
        let listed = tool("bsp-ls", &[text(&path)]).good();
        assert_eq!(listed.lines().count(), 2, "{listed}");
        let copy = folder.path().join("copy.bsp.npz");
        tool("binsparse_to_binsparse", &[text(&path), text(&copy)]).good();
        assert_eq!(same(text(&first), text(&copy)), Some(0));
        // The whole file is replaced, as in the reference, with a note.
        let replaced = tool(mtx2bsp, &[text(&first), text(&path)]);
        assert_eq!(replaced.code, Some(0));
        assert_eq!(replaced.err, "mtx2bsp: groups inside were replaced, too: /b\n");
    }
}

#[test]
fn golden_files_of_two_matrices_are_read_at_the_root() {
    let file = testdata().join("binsparse/valid/hand/var_multi.bsp.h5");
    let report = info(text(&file));
    assert_eq!((&report["rows"], &report["variant"]), (&Value::from(7), &Value::from("CSR")));
    assert_eq!(report["other_groups"], serde_json::json!(["b"]));
    assert_eq!(run(&["cat", text(&file)]).good().lines().count(), 23);
    run(&["validate", text(&file)]).good();
    assert_eq!(run(&["cat", &group(&file, "b")]).good().lines().count(), 5);
}

/// Files of several matrices without a main one are described by their members.
#[test]
fn info_lists_members_of_files_without_a_main_matrix() {
    let genomes = testdata().join("tenx/h5/cr2_two_genomes.h5");
    let found = info(text(&genomes));
    assert_eq!((&found["format"], &found["kind"]), (&"10x".into(), &"file".into()));
    let paths: Vec<_> = found["members"].as_array().unwrap().iter().map(|m| &m["path"]).collect();
    assert_eq!(paths, ["hg19", "mm10"]);
    assert!(run(&["info", text(&genomes)]).good().contains("mm10"));

    let without_x = testdata().join("anndata/valid/0.12.19/h5ad/x_none_layers.h5ad");
    let found = info(text(&without_x));
    let members = found["members"].as_array().unwrap();
    assert!(members.iter().any(|m| m["path"].as_str().unwrap().starts_with("layers/")));
    assert!(members.iter().all(|m| m["path"] != "X"));
    // Other verbs need one of them.
    assert_eq!(run(&["cat", text(&genomes)]).code, Some(1));
}
