//! Standard streams that are closed, full, or /dev/null: lost output is an error.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use nnz_testing::command::{Run, command, finish, program, run, status_of_errors, testdata, text};

const NNZ: &str = "nnz";
const TOOLS: [&str; 7] = [
    "mtx2bsp",
    "bsp2mtx",
    "bsp-ls",
    "check_equivalence",
    "npy_to_binsparse",
    "binsparse_to_npy",
    "binsparse_to_binsparse",
];
const SMALL: &str = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n3 2 7\n";

/// The files of the commands.
struct Files {
    scratch: tempfile::TempDir,
    mtx: String,
    other: String,
    store: String,
    fragments: String,
    frame: String,
    binsparse: String,
}

impl Files {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| text(&scratch.path().join(name)).to_owned();
        let made = |name: &str, arguments: &[&str]| {
            let path = path(name);
            let arguments = arguments.iter().map(|argument| argument.replace("TARGET", &path));
            let arguments: Vec<String> = arguments.collect();
            run(&[&["-q".to_owned()][..], &arguments].concat()).good();
            path
        };
        let written = |name: &str, content: &str| {
            fs::write(path(name), content).unwrap();
            path(name)
        };
        let mtx = written("m.mtx", SMALL);
        let other = written("other.mtx", &SMALL.replace("3 2 7", "3 2 8"));
        let list = written("f.tsv", "chr1\t5\t9\tcell\n");
        let csv = written("people.csv", "a,b\n1,2\n");
        Self {
            store: text(&testdata().join("bpcells/matrix_dir/basic_uint.packed.col")).to_owned(),
            fragments: made("f.fragments", &["fragments", "import", &list, "TARGET"]),
            frame: made("people.dbdf", &["convert", &csv, "TARGET"]),
            binsparse: made("m.bsp", &["convert", &mtx, "TARGET"]),
            mtx,
            other,
            scratch,
        }
    }

    /// Commands that print to standard output.
    fn printing(&self) -> Vec<(&'static str, Vec<&str>)> {
        let Self { mtx, other, store, fragments, frame, binsparse, .. } = self;
        let nnz: &[&[&str]] = &[
            &["--help"],
            &["-h"],
            &["help"],
            &["--version"],
            &["convert", "--help"],
            &["fragments", "import", "-h"],
            &["completions", "bash"],
            &["completions", "zsh"],
            &["info", store],
            &["info", "--json", store],
            &["info", fragments],
            &["info", "--json", fragments],
            &["info", frame],
            &["info", "--json", frame],
            &["cat", store],
            &["cat", fragments],
            &["cat", frame],
            &["names", store, "rows"],
            &["names", fragments, "cells"],
            &["names", frame, "cols"],
            &["stats", store],
            &["stats", "--json", store],
            &["stats", "--axis", "rows", store],
            &["validate", "--json", store],
            &["diff", mtx, other],
            &["convert", store, "-"],
            &["transpose", store, "-"],
            &["slice", mtx, "-", "--rows", "0:1"],
            &["concat", mtx, mtx, "-", "--axis", "rows"],
            &["convert", frame, "-"],
            &["fragments", "query", fragments, "chr1"],
            &["fragments", "export", fragments, "-"],
            &["fragments", "count", fragments, "-", "--tiles", "5"],
        ];
        let mut all: Vec<_> = nnz.iter().map(|arguments| (NNZ, arguments.to_vec())).collect();
        for tool in TOOLS {
            all.extend([(tool, vec!["--help"]), (tool, vec!["--version"])]);
        }
        all.push(("bsp-ls", vec![binsparse]));
        all.push(("check_equivalence", vec![mtx, mtx]));
        all.push(("bsp2mtx", vec![binsparse, "-"]));
        all
    }
}

/// The exit status of a program that fails.
fn status_of(program: &str, arguments: &[&str]) -> i32 {
    if program == NNZ { status_of_errors(arguments[0]) } else { 1 }
}

/// Runs a program in a shell with a redirection.
fn redirected(name: &str, arguments: &[&str], redirection: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec \"$0\" \"$@\" {redirection}"));
    finish(shell.arg(program(name)).args(arguments).stdin(Stdio::null()))
}

#[test]
fn output_to_a_full_device_is_an_error() {
    if File::options().write(true).open("/dev/full").is_err() {
        println!("skipped: there is no /dev/full here");
        return;
    }
    for (program, arguments) in Files::new().printing() {
        let status = status_of(program, &arguments);
        let done = redirected(program, &arguments, ">/dev/full");
        assert_eq!(done.code, Some(status), "{program} {arguments:?}: {done:?}");
        let message = "standard output: no space left on the device\n";
        assert!(done.err.ends_with(message), "{program} {arguments:?}: {done:?}");
    }
}

#[test]
fn output_to_a_stream_that_is_not_open_for_writing_is_an_error() {
    for (program, arguments) in Files::new().printing() {
        let status = status_of(program, &arguments);
        for redirection in [">&-", ">&- <&-", "1</dev/null"] {
            let done = redirected(program, &arguments, redirection);
            assert_eq!(done.code, Some(status), "{program} {arguments:?} {redirection}: {done:?}");
            let stderr = "standard output: not open for writing\n";
            assert!(done.err.ends_with(stderr), "{program} {arguments:?}: {done:?}");
        }
        // If the message cannot be printed, there is still the status.
        let done = redirected(program, &arguments, "<&- >&- 2>&-");
        assert_eq!(done.code, Some(status), "{program} {arguments:?}: {done:?}");
    }
}

#[test]
fn dev_null_accepts_output() {
    for (name, arguments) in Files::new().printing() {
        // As opened by subprocess.DEVNULL of Python and Stdio::null() of Rust.
        let null = || File::options().read(true).write(true).open("/dev/null").unwrap();
        let mut command = Command::new(program(name));
        command.args(&arguments).stdin(null()).stdout(null()).stderr(null());
        let expected = i32::from(arguments[0] == "diff");
        assert_eq!(command.status().unwrap().code(), Some(expected), "{name} {arguments:?}");
        for redirection in [">/dev/null", "1<>/dev/null", ">/dev/null 2>&-"] {
            let done = redirected(name, &arguments, redirection);
            assert_eq!(done.code, Some(expected), "{name} {arguments:?} {redirection}: {done:?}");
        }
    }
}

#[test]
fn commands_without_output_need_no_standard_streams() {
    let files = Files::new();
    let target = text(&files.scratch.path().join("t.bpcells")).to_owned();
    for arguments in [
        &["convert", &files.mtx, &target, "--force"][..],
        &["validate", &files.store],
        &["diff", &files.mtx, &files.mtx],
    ] {
        for redirection in [">&-", "<&- >&-", "2>&-", "<&- >&- 2>&-"] {
            let done = redirected(NNZ, arguments, redirection);
            assert_eq!(done.code, Some(0), "{arguments:?} {redirection}: {done:?}");
        }
        // The output is in the target, not in a file with the number of a stream.
        if arguments[0] == "convert" {
            assert_eq!(run(&["cat", &target]).good(), "0\t0\t5\n2\t1\t7\n");
        }
    }
}

#[test]
fn input_that_is_not_open_for_reading_is_an_error() {
    let files = Files::new();
    let target = text(&files.scratch.path().join("t.fragments")).to_owned();
    for (program, arguments) in [
        (NNZ, &["cat", "-"][..]),
        (NNZ, &["info", "-"]),
        (NNZ, &["convert", "-", "-"]),
        (NNZ, &["convert", "-", &target, "--to", "daphne", "--types", "f64"]),
        (NNZ, &["fragments", "import", "-", &target]),
        ("mtx2bsp", &["-", &format!("{target}.bsp")]),
    ] {
        for redirection in ["<&-", "0>/dev/null"] {
            let done = redirected(program, arguments, redirection);
            assert_eq!(done.code, Some(1), "{arguments:?} {redirection}: {done:?}");
            assert!(done.err.contains("standard input"), "{done:?}");
            assert!(done.err.ends_with("not open for reading\n"), "{done:?}");
        }
    }
    // An empty list of fragments is valid.
    let done = redirected(NNZ, &["-q", "fragments", "import", "-", &target], "</dev/null");
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn closed_pipes_do_not_change_the_answer() {
    let files = Files::new();
    for (arguments, expected) in [
        (&["diff", &files.mtx, &files.other][..], 1),
        (&["validate", "--json", &files.mtx], 0),
        (&["--help"], 0),
        (&["cat", &files.mtx], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = finish_into(command().args(arguments), writer.into());
        assert_eq!(done, (Some(expected), String::new()), "{arguments:?}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut tool = Command::new(program("check_equivalence"));
    let done = finish_into(tool.args([&files.mtx, &files.other]), writer.into());
    assert_eq!(done, (Some(1), String::new()));
}

/// Runs a command with this standard output. Returns its status and its messages.
fn finish_into(command: &mut Command, stdout: Stdio) -> (Option<i32>, String) {
    let child = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    let done = child.wait_with_output().unwrap();
    (done.status.code(), String::from_utf8(done.stderr).unwrap())
}
