//! A directory for temporary files that is missing, read-only or full is reported as such, and not
//! as a fault of the source.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nnz_testing::command::{Run, command, finish, names_in, run, status_of_errors, text};

/// A file system mounted at a directory, if possible.
pub(crate) struct Disk(tempfile::TempDir);

impl Disk {
    pub(crate) fn mount(options: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "nnz-test"]).arg(directory.path());
        let done = mount.stderr(Stdio::null()).status();
        if done.is_ok_and(|status| status.success()) {
            return Some(Self(directory));
        }
        println!("skipped: no file system can be mounted here");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

/// Commands that need a temporary file, with their arguments.
fn commands(folder: &Path) -> Vec<Vec<String>> {
    // Compressed, and larger than the part that is kept in memory.
    let mut coordinates =
        "%%MatrixMarket matrix coordinate real general\n3000 3000 200000\n".to_owned();
    for at in 0..200_000_u64 {
        // Unsorted, so that it has to be sorted.
        let place = at * 7_919_999 % 9_000_000;
        writeln!(coordinates, "{} {} {at}", 1 + place / 3000, 1 + place % 3000).unwrap();
    }
    let mtx = folder.join("a.mtx");
    fs::write(&mtx, coordinates).unwrap();
    let mut all = Vec::new();
    for format in ["CSR", "bpcells"] {
        let npz = folder.join(format).with_extension("bsp.npz");
        let arguments = ["-q", "--to", format, "--type", "double", "--compress", "gzip:1"];
        run(&[&["convert", text(&mtx), text(&npz)], &arguments[..]].concat()).good();
        let csv = folder.join("t.mtx");
        for verb in [
            &["validate", text(&npz)][..],
            &["stats", text(&npz)],
            &["cat", text(&npz)],
            &["diff", text(&npz), text(&mtx), "--memory", "100K"],
            &["convert", text(&npz), text(&csv), "--force"],
        ] {
            all.push(verb.iter().map(|&word| word.to_owned()).collect());
        }
    }
    for verb in [
        &["cat", text(&mtx), "--duplicates", "sum", "--memory", "100K"][..],
        &["validate", text(&mtx), "--memory", "100K"],
        &[
            "transpose",
            text(&folder.join("CSR.bsp.npz")),
            "-",
            "--order",
            "row",
            "--memory",
            "100K",
        ],
    ] {
        all.push(verb.iter().map(|&word| word.to_owned()).collect());
    }
    all
}

fn run_with(arguments: &[String], directory: &Path) -> Run {
    finish(command().args(arguments).env("TMPDIR", directory))
}

/// Runs the commands, which must report the directory.
fn check(folder: &Path, directory: &Path, reason: &str) {
    for arguments in commands(folder) {
        let failed = run_with(&arguments, directory);
        let expected = format!("nnz: {}: temporary file: {reason}", text(directory));
        let message = failed.err.replace("directory ", "");
        let status = status_of_errors(&arguments[0]);
        assert_eq!(failed.code, Some(status), "{arguments:?} {failed:?}");
        assert!(failed.err.contains(&expected), "{arguments:?} {}{}", failed.err, failed.out);
        assert!(!message.contains("damaged"), "{arguments:?} {}", failed.err);
        if arguments[0] == "validate" {
            // No fault of the file was found.
            assert_eq!(failed.out, "", "{arguments:?}");
        }
    }
    assert!(!names_in(folder).iter().any(|name| name == "t.mtx"));
}

#[test]
fn missing_directories_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("not/here");
    check(folder.path(), &missing, "no such file or directory");
}

#[test]
fn read_only_directories_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount("ro,size=1m") else { return };
    check(folder.path(), disk.path(), "read-only file system");
}

#[test]
fn full_directories_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount("size=64k") else { return };
    fs::write(disk.path().join("fill"), vec![0; 60 << 10]).unwrap();
    for arguments in commands(folder.path()) {
        let failed = run_with(&arguments, disk.path());
        let at = format!("nnz: {}: ", text(disk.path()));
        let status = status_of_errors(&arguments[0]);
        assert_eq!(failed.code, Some(status), "{arguments:?} {failed:?}");
        assert!(failed.err.contains(&at), "{arguments:?} {}", failed.err);
        // Sorting checks the free space in advance.
        let full = failed.err.contains("temporary file: no space left on the device");
        assert!(full || failed.err.contains("sorting needs at least"), "{}", failed.err);
    }
    assert_eq!(names_in(disk.path()), ["fill"]);
}

/// `--temp-dir` replaces both `TMPDIR` and the directory of the output.
#[test]
fn temp_dir_is_used_for_temporary_files() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("not/here");
    let mut commands = commands(folder.path());
    let [from, to] = ["CSR.bsp.npz", "sorted.bsp.npz"].map(|name| folder.path().join(name));
    let sorting =
        ["convert", text(&from), text(&to), "--order", "col", "--memory", "100K", "--force"];
    commands.push(sorting.map(str::to_owned).to_vec());
    for arguments in &commands {
        let with = |directory: &Path| {
            [arguments, &["--temp-dir".to_owned(), text(directory).to_owned()][..]].concat()
        };
        let failed = run_with(&with(&missing), folder.path());
        assert_eq!(failed.code, Some(status_of_errors(&arguments[0])), "{arguments:?} {failed:?}");
        let expected = format!("nnz: {}: no such file or directory", text(&missing));
        assert!(failed.err.contains(&expected), "{arguments:?} {}", failed.err);
        if arguments[0] != "diff" {
            let done = run_with(&with(folder.path()), &missing);
            assert_eq!(done.code, Some(0), "{arguments:?} {}", done.err);
        }
    }
    let Some(disk) = Disk::mount("size=64k") else { return };
    for arguments in &commands {
        let at = ["--temp-dir".to_owned(), text(disk.path()).to_owned()];
        let failed = run_with(&[arguments, &at[..]].concat(), folder.path());
        assert!(failed.err.contains(&format!("nnz: {}", text(disk.path()))), "{}", failed.err);
    }
}

#[test]
fn an_empty_tmpdir_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in commands(folder.path()) {
        if arguments[0] != "diff" {
            assert_eq!(run_with(&arguments, &PathBuf::new()).code, Some(0), "{arguments:?}");
        }
    }
}
