//! Paths that are not UTF-8, in all arguments with a path.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::Command;

use nnz_testing::command::{Run, command, finish, program, run, text};

const SMALL: &str = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n3 2 7\n";
const ENTRIES: &str = "0\t0\t5\n2\t1\t7\n";

struct Files {
    scratch: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self { scratch: tempfile::tempdir().unwrap() }
    }

    /// A path whose last part starts with a byte that is not UTF-8.
    fn path(&self, name: &str) -> OsString {
        self.path_of_bytes(&[b"q\xff", name.as_bytes()].concat())
    }

    fn path_of_bytes(&self, name: &[u8]) -> OsString {
        self.scratch.path().join(OsStr::from_bytes(name)).into_os_string()
    }

    fn write(&self, name: &str, content: &str) -> OsString {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn names(&self) -> Vec<Vec<u8>> {
        let entries = fs::read_dir(self.scratch.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_vec()).collect();
        names.sort();
        names
    }
}

/// The same with a suffix.
fn with(path: &OsStr, rest: &str) -> OsString {
    let mut path = path.to_owned();
    path.push(rest);
    path
}

/// `@FILE`.
fn listed(path: &OsStr) -> OsString {
    let mut list = OsString::from("@");
    list.push(path);
    list
}

macro_rules! nnz {
    ($($argument:expr),* $(,)?) => {
        finish(command().arg("-q")$(.arg(&$argument))*)
    };
}

#[test]
fn matrices_are_written_to_and_read_from_all_containers() {
    let files = Files::new();
    let mtx = files.write(".mtx", SMALL);
    for name in [
        ".mtx.gz",
        ".bpcells",
        ".rds",
        ".bsp.npz",
        ".npz",
        ".bsp",
        ".zarr",
        ".nc",
        ".bsp.h5",
        ".dbdf",
        ".zarr::inner",
        ".nc::inner",
        ".h5::inner/most",
        "dgc.rds",
        "spec.dbdf",
    ] {
        let files = Files::new();
        let target = files.path(name);
        let options: &[&str] = match name {
            ".h5::inner/most" => &["--to", "bpcells"],
            "dgc.rds" => &["--to", "dgCMatrix"],
            ".dbdf" => &["--dialect", "daphne"],
            _ => &[],
        };
        finish(command().args(["-q", "convert"]).args(options).args([&mtx, &target])).good();
        // R has no integers in sparse matrices.
        let entries = nnz!("cat", target).good().replace(".0\n", "\n");
        assert_eq!(entries, ENTRIES, "{name}");
        let whole = name.split("::").next().unwrap();
        let mut expected = vec![[b"q\xff", whole.as_bytes()].concat()];
        if name == ".dbdf" {
            expected.push(b"q\xff.dbdf.meta".to_vec());
        }
        assert_eq!(files.names(), expected);
        nnz!("info", target).good();
        nnz!("validate", target).good();
        nnz!("stats", target).good();
        nnz!("names", target, "rows").good();
        assert_eq!(nnz!("diff", mtx, target).good(), "");
        // Again over the existing target.
        let again = command()
            .args(["-q", "convert", "--force"])
            .args(options)
            .args([&mtx, &target])
            .output();
        assert!(again.unwrap().status.success(), "{name}");
        assert_eq!(files.names(), expected, "{name}");
    }
}

#[test]
fn groups_are_added_to_a_file() {
    let files = Files::new();
    let mtx = files.write(".mtx", SMALL);
    let file = files.path(".h5");
    for group in ["::a", "::/b/c"] {
        nnz!("convert", mtx, with(&file, group), "--to", "bpcells").good();
        assert_eq!(nnz!("cat", with(&file, group)).good(), ENTRIES);
    }
    assert_eq!(files.names(), [b"q\xff.h5".to_vec(), b"q\xff.mtx".to_vec()]);
    let message = nnz!("cat", file).refused();
    assert!(message.contains("\\xFF.h5::b/c\"\n"), "{message}");
}

#[test]
fn all_verbs_accept_such_paths() {
    let files = Files::new();
    let mtx = files.write(".mtx", SMALL);
    let target = |name: &str| files.path(name);
    nnz!("transpose", mtx, target("t.bpcells")).good();
    assert_eq!(nnz!("cat", target("t.bpcells")).good(), "0\t0\t5\n1\t2\t7\n");

    let rows = files.write("rows.txt", "2\n");
    nnz!("slice", mtx, target("s.mtx"), "--rows", listed(&rows), "--cols", "0:2").good();
    assert_eq!(nnz!("cat", target("s.mtx")).good(), "0\t1\t7\n");
    nnz!("slice", mtx, target("s.h5::g"), "--cols", listed(&rows), "--to", "bpcells").refused();
    let cols = files.write("cols.txt", "1\n");
    nnz!("slice", mtx, target("s.h5::g"), "--cols", listed(&cols), "--to", "bpcells").good();
    assert_eq!(nnz!("cat", target("s.h5::g")).good(), "2\t0\t7\n");

    nnz!("concat", mtx, target("s.h5::g"), target("c.mtx"), "--axis", "cols").good();
    assert_eq!(nnz!("cat", target("c.mtx")).good(), "0\t0\t5\n2\t1\t7\n2\t2\t7\n");

    let csv = files.write("people.csv", "a,b\n1,2\n");
    nnz!("convert", csv, target("people.dbdf"), "--types", "si64,ui8").good();
    nnz!("convert", target("people.dbdf"), target("back.csv")).good();
    assert_eq!(fs::read_to_string(target("back.csv")).unwrap(), "a,b\n1,2\n");
    assert_eq!(nnz!("names", target("people.dbdf"), "cols").good(), "a\nb\n");

    nnz!("man", target("man")).good();
    assert!(PathBuf::from(target("man")).join("nnz.1").is_file());

    // A 10x folder, sorted with little memory.
    let folder = PathBuf::from(files.path("folder"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("matrix.mtx"), SMALL).unwrap();
    fs::write(folder.join("barcodes.tsv"), "a\nb\n").unwrap();
    fs::write(folder.join("features.tsv"), "x\ty\nz\tw\nu\tv\n").unwrap();
    nnz!("convert", folder, target("row.bpcells"), "--order", "row", "--memory", "1M").good();
    assert_eq!(nnz!("names", target("row.bpcells"), "cols").good(), "a\nb\n");
}

#[test]
fn all_verbs_of_fragments_accept_such_paths() {
    let files = Files::new();
    let list = files.write("f.tsv", "chr1\t5\t9\ta\nchr1\t6\t7\tb\n");
    let cells = files.write("cells.txt", "b\n");
    let sizes = files.write("sizes.tsv", "chr1\t50\n");
    let peaks = files.write("peaks.bed", "chr1\t0\t10\n");
    let target = |name: &str| files.path(name);
    let store = target("f.h5::fragments");
    nnz!("fragments", "import", list, store, "--cells", cells, "--chrom-sizes", sizes).good();
    assert_eq!(nnz!("cat", store).good(), "chr1\t6\t7\tb\n");
    let all = target("all.fragments");
    nnz!("fragments", "import", list, all, "--sort").good();
    assert_eq!(nnz!("fragments", "query", all, "chr1:5-6").good(), "chr1\t5\t9\ta\n");
    nnz!("fragments", "export", all, target("out.tsv.gz")).good();
    assert!(PathBuf::from(target("out.tsv.gz.tbi")).is_file());
    nnz!("fragments", "import", target("out.tsv.gz"), target("again.rds")).good();
    assert_eq!(nnz!("diff", all, target("again.rds")).good(), "");
    nnz!("fragments", "merge", all, store, target("m.fragments"), "--prefix", "x,y").good();
    assert_eq!(nnz!("names", target("m.fragments"), "cells").good(), "xa\nxb\nyb\n");
    let (cells, chromosomes) = (listed(&cells), files.write("chromosomes.txt", "chr1\n"));
    let only = target("only.fragments");
    let chromosomes = listed(&chromosomes);
    nnz!("fragments", "select", all, only, "--cells", cells, "--chromosomes", chromosomes).good();
    assert_eq!(nnz!("cat", only).good(), "chr1\t6\t7\tb\n");
    nnz!("fragments", "count", all, target("p.bpcells"), "--peaks", peaks).good();
    assert_eq!(nnz!("cat", target("p.bpcells")).good(), "0\t0\t2\n0\t1\t2\n");
    nnz!(
        "fragments",
        "count",
        all,
        target("t.h5::t"),
        "--to",
        "bpcells",
        "--tiles",
        "50",
        "--chrom-sizes",
        sizes
    )
    .good();
    assert_eq!(nnz!("cat", target("t.h5::t")).good(), "0\t0\t2\n0\t1\t2\n");
    nnz!("convert", all, target("c.h5::c")).good();
    nnz!("validate", target("c.h5::c")).good();
    nnz!("info", target("c.h5::c")).good();
}

#[test]
fn all_tools_accept_such_paths() {
    let files = Files::new();
    let mtx = files.write(".mtx", SMALL);
    let target = |name: &str| files.path(name);
    let ok = |name: &str, arguments: &[OsString]| -> String {
        let done: Run = finish(Command::new(program(name)).args(arguments));
        assert_eq!(done.code, Some(0), "{name}: {done:?}");
        done.out
    };
    // A group after one colon or two.
    for place in ["a.h5:g", "b.h5::g", "c.bsp", "d.zarr:g"] {
        let place = target(place);
        ok("mtx2bsp", &[mtx.clone(), place.clone()]);
        ok("check_equivalence", &[mtx.clone(), place.clone()]);
        ok("bsp2mtx", &[place.clone(), target("back.mtx")]);
        assert_eq!(nnz!("diff", mtx, target("back.mtx")).good(), "");
    }
    assert!(ok("bsp-ls", &[target("a.h5")]).starts_with("/g\tCOO"));
    assert!(PathBuf::from(target("a.h5")).is_file());
    assert!(!PathBuf::from(target("a.h5:g")).exists());
    ok("binsparse_to_binsparse", &[target("a.h5:g"), target("copy.npz")]);
    let arrays = ["tensor.npy", "pattern.npy", "fill.npy"].map(target);
    ok("binsparse_to_npy", &[&[target("copy.npz")][..], &arrays].concat());
    let header = files.write("header.json", r#"{"format": "COOR"}"#);
    ok("npy_to_binsparse", &[&arrays[..], &[header, target("made.bsp")]].concat());
    assert_eq!(nnz!("diff", mtx, target("made.bsp")).good(), "");
}

#[test]
fn groups_and_names_that_are_not_utf8_are_usage_errors() {
    let files = Files::new();
    let mtx = files.write(".mtx", SMALL);
    let file = files.path_of_bytes(b"f.h5::g\xff");
    for arguments in [
        &[OsStr::new("convert"), &mtx, &file, OsStr::new("--to"), OsStr::new("bpcells")][..],
        &[OsStr::new("cat"), &file],
        &[
            OsStr::new("slice"),
            &mtx,
            OsStr::new("t.mtx"),
            OsStr::new("--rows"),
            OsStr::from_bytes(b"a\xff"),
        ],
    ] {
        let done = finish(command().args(arguments));
        assert_eq!((done.code, &*done.out), (Some(2), ""), "{done:?}");
        assert!(done.err.contains("UTF-8"), "{done:?}");
    }
    for arguments in [[&mtx, &file], [&mtx, &files.path_of_bytes(b"f.h5:g\xff")]] {
        let done = finish(Command::new(program("mtx2bsp")).args(arguments));
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.err.contains("the name of a group must be UTF-8"), "{done:?}");
    }
    assert_eq!(files.names(), [b"q\xff.mtx".to_vec()]);
}

#[test]
fn segments_are_read_from_such_a_path_but_not_written() {
    let files = Files::new();
    let mtx = files.write(".mtx", SMALL);
    let target = files.path(".dbdf.hdfs");
    let message = nnz!("convert", mtx, target).refused();
    assert!(message.contains("a name that is not UTF-8"), "{message}");
    assert_eq!(files.names(), [b"q\xff.mtx".to_vec()]);
    let named = files.scratch.path().join("m.dbdf.hdfs");
    run(&["-q".as_ref(), "convert".as_ref(), &*mtx, named.as_os_str()]).good();
    for end in ["", ".meta"] {
        fs::rename(with(named.as_os_str(), end), with(&target, end)).unwrap();
    }
    assert_eq!(nnz!("cat", target).good(), ENTRIES);
    assert!(!text(&named).is_empty());
}
