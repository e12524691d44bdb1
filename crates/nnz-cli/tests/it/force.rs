//! `--force` replaces stores, and no other directories.

use std::fs;
use std::path::{Path, PathBuf};

use nnz_testing::command::{content, names_in, run, testdata, text};

fn source() -> PathBuf {
    testdata().join("bpcells/matrix_dir/basic_uint.packed.col")
}

/// A target and its options.
const TARGETS: [(&str, &[&str]); 4] = [
    ("t.bpcells", &[]),
    ("t.bsp", &["--to", "CSR"]),
    ("t.zarr", &["--to", "CSR"]),
    ("t.dbdf.hdfs", &["--segments", "3"]),
];

fn convert(target: &Path, flags: &[&str]) -> nnz_testing::command::Run {
    run(&[&["-q", "convert", "--force", text(&source()), text(target)], flags].concat())
}

/// Checks that a directory is unchanged, and that the message has a hint.
#[track_caller]
fn stays(target: &Path, flags: &[&str], found: &str) {
    let before = content(target);
    let folder = names_in(target.parent().unwrap());
    let message = convert(target, flags).refused();
    assert!(message.contains(found), "{message}");
    assert!(message.contains("is not replaced, because it "), "{message}");
    assert_eq!(content(target), before);
    assert_eq!(names_in(target.parent().unwrap()), folder);
}

#[test]
fn stores_and_empty_directories_are_replaced() {
    for (name, flags) in TARGETS {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(name);
        fs::create_dir(&target).unwrap();
        for _ in 0..2 {
            convert(&target, flags).good();
            run(&["diff", text(&source()), text(&target)]).good();
        }
    }
}

#[test]
fn all_written_stores_can_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let fill = testdata().join("binsparse/mtx");
    let mtx = fs::read_dir(fill).unwrap().map(|entry| entry.unwrap().path());
    let bsp = folder.path().join("all.bsp");
    let mut replaced = 0;
    for source in mtx.filter(|path| path.extension().is_some_and(|ending| ending == "mtx")) {
        for format in ["COO", "DCSR", "DMATR", "sparse2(element)"] {
            let arguments = ["-q", "convert", "--force", text(&source), text(&bsp), "--to", format];
            let message = run(&arguments).err;
            assert!(!message.contains("not replaced"), "{message}");
            replaced += usize::from(message.is_empty());
        }
    }
    assert!(replaced > 50, "{replaced}");
    let filled = testdata().join("binsparse/valid/hand");
    let filled = fs::read_dir(filled).unwrap().map(|entry| entry.unwrap().path());
    for source in filled.filter(|path| text(path).contains("fill")) {
        for _ in 0..2 {
            run(&["-q", "convert", "--force", text(&source), text(&bsp), "--to", "binsparse"])
                .good();
        }
    }
    // More segments than rows.
    let few = folder.path().join("few.mtx");
    fs::write(&few, "%%MatrixMarket matrix array integer general\n2 1\n5\n6\n").unwrap();
    for dialect in ["spec", "daphne", "daphne-2022"] {
        for layout in ["array", "coordinate"] {
            let target = folder.path().join("few.dbdf.hdfs");
            let arguments = ["-q", "convert", "--force", text(&few), text(&target)];
            let flags = ["--segments", "5", "--dialect", dialect, "--layout", layout];
            for _ in 0..2 {
                run(&[&arguments[..], &flags].concat()).good();
            }
        }
    }
}

#[test]
fn stores_of_bpcells_itself_are_replaced() {
    let golden = testdata().join("bpcells/matrix_dir");
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("t.bpcells");
    let mut replaced = 0;
    for store in names_in(&golden) {
        let store = golden.join(store);
        // A few are of unpublished versions.
        if run(&["info", text(&store)]).code == Some(0) {
            fs::create_dir(&target).unwrap();
            for (name, bytes) in content(&store) {
                fs::write(target.join(name), bytes).unwrap();
            }
            convert(&target, &[]).good();
            fs::remove_dir_all(&target).unwrap();
            replaced += 1;
        }
    }
    assert!(replaced > 10, "{replaced}");
    let tsv = folder.path().join("f.tsv");
    fs::write(&tsv, "chr1\t1\t5\tA\n").unwrap();
    for _ in 0..2 {
        run(&["fragments", "import", "-q", "--force", text(&tsv), text(&target)]).good();
    }
}

#[test]
fn other_directories_are_not_replaced() {
    for (name, flags) in TARGETS {
        for (file, bytes) in [
            ("notes.txt", "years of work"),
            ("a.npy", "\u{1}NUMPY"),
            ("package.json", "{\"name\": \"app\", \"version\": \"1.0.0\"}"),
            ("val", "7"),
            ("zarr.json", "{}"),
            ("x_segment_1", "no DAPHNE"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join(name);
            fs::create_dir(&target).unwrap();
            fs::write(target.join(file), bytes).unwrap();
            stays(&target, flags, &format!("{file:?}"));
        }
    }
}

#[test]
fn stores_with_other_files_are_not_replaced() {
    for (name, flags) in TARGETS {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(name);
        convert(&target, flags).good();
        for own in ["own.npy", "own.json", "README", ".hidden"] {
            fs::write(target.join(own), "mine").unwrap();
            let message = convert(&target, flags).refused();
            assert!(message.contains(&format!("contains another file, {own:?}")), "{message}");
            assert_eq!(fs::read(target.join(own)).unwrap(), b"mine");
            fs::remove_file(target.join(own)).unwrap();
        }
        convert(&target, flags).good();
    }
}

#[test]
fn incomplete_stores_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("t.bpcells");
    convert(&store, &[]).good();
    let version = fs::read(store.join("version")).unwrap();
    fs::remove_file(store.join("version")).unwrap();
    stays(&store, &[], "but not the file \"version\"");
    for other in ["", "1.0.0\n", "packed\n"] {
        fs::write(store.join("version"), other).unwrap();
        stays(&store, &[], "a file \"version\" that is not a version of BPCells");
    }
    fs::write(store.join("version"), version).unwrap();
    convert(&store, &[]).good();

    let bsp = folder.path().join("t.bsp");
    convert(&bsp, &["--to", "CSR"]).good();
    fs::remove_file(bsp.join("binsparse.json")).unwrap();
    stays(&bsp, &["--to", "CSR"], "it contains another file, ");

    let segments = folder.path().join("t.dbdf.hdfs");
    let flags = ["--segments", "3"];
    convert(&segments, &flags).good();
    let file = |number: u32| segments.join(format!("t.dbdf.hdfs_segment_{number}"));
    let second = fs::read(file(2)).unwrap();
    fs::write(file(2), b"short").unwrap();
    stays(&segments, &flags, "which is not a DAPHNE file");
    fs::remove_file(file(2)).unwrap();
    stays(&segments, &flags, "segment 2 of one matrix");
    fs::remove_file(file(3)).unwrap();
    stays(&segments, &flags, "without its segment");
    fs::write(file(2), second).unwrap();
    fs::remove_file(segments.join("t.dbdf.hdfs_segment_3.meta")).unwrap();
    convert(&segments, &flags).good();
}

#[test]
fn directories_of_stores_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let all = folder.path().join("all.zarr");
    fs::create_dir(&all).unwrap();
    convert(&all.join("a"), &["--to", "CSR"]);
    let inner = all.join("b.zarr");
    convert(&inner, &["--to", "CSR"]).good();
    fs::remove_dir_all(all.join("a")).unwrap();
    let message = convert(&all, &["--to", "CSR"]).refused();
    assert!(message.contains("another file, \"b.zarr\""), "{message}");
    run(&["validate", text(&inner)]).good();
}
