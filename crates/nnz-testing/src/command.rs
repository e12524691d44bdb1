//! Running the programs of the workspace.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Result of a run of the command.
#[derive(Debug)]
pub struct Run {
    /// The exit status; `None` where a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Returns the path of a program of the workspace, which Cargo builds beside the tests.
///
/// # Panics
///
/// Panics if it was not built: `cargo test --workspace` builds all.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // The test is in the directory deps.
    let built = test.parent().and_then(Path::parent).unwrap();
    let path = built.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing: run cargo build --workspace", path.display());
    path
}

/// Returns the command `nnz` without arguments, away from what the caller's environment asks for.
pub fn command() -> Command {
    let mut command = Command::new(program("nnz"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

/// Runs the command to its end.
pub fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Run {
    finish(command().args(arguments))
}

/// Runs a command to its end and takes what it printed, which has to be UTF-8.
pub fn finish(command: &mut Command) -> Run {
    let done = command.output().unwrap();
    Run {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

/// Runs the command with a text on its standard input.
pub fn run_with_input<S: AsRef<OsStr>>(arguments: &[S], input: &[u8]) -> Run {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that refuses may stop reading before the end.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let done = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Run {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

impl Run {
    /// Expects success without a word on standard error, and returns standard output.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!((self.code, &*self.err), (Some(0), ""), "{self:?}");
        self.out
    }

    /// Expects a refusal with a message of the command's own, and returns it.
    #[track_caller]
    pub fn refused(self) -> String {
        self.refused_by("convert")
    }

    /// Expects that a verb fails with a message of the command's own, and returns it.
    #[track_caller]
    pub fn refused_by(self, verb: &str) -> String {
        assert_eq!(self.code, Some(status_of_errors(verb)), "{self:?}");
        assert!(self.err.starts_with("nnz: "), "{self:?}");
        assert!(self.err.ends_with('\n'), "{self:?}");
        self.err
    }
}

/// The exit status of a verb where it fails: `validate`, `diff` and `report` answer by 1.
pub fn status_of_errors(verb: &str) -> i32 {
    if matches!(verb, "validate" | "diff" | "report") { 2 } else { 1 }
}

/// The repository's test data.
pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").canonicalize().unwrap()
}

/// The names in a directory, hidden ones too, sorted.
pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the content of a target: one file, or all files of a directory.
pub fn content(path: &Path) -> Vec<(String, Vec<u8>)> {
    if path.is_file() {
        return vec![(String::new(), std::fs::read(path).unwrap())];
    }
    let mut all = Vec::new();
    for name in names_in(path) {
        let inner = path.join(&name);
        if inner.is_dir() {
            let files = content(&inner).into_iter();
            all.extend(files.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            all.push((name, std::fs::read(inner).unwrap()));
        }
    }
    all
}

/// Writes a text as UTF-8 where the command takes it.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
