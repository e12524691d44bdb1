//! Limits of the environment of the command: ignored signals, sizes of files, memory.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nnz_testing::command::{Run, command, finish, names_in, program, run, text};
use rustix::process::{Pid, Signal, kill_process};

/// Returns the command in a shell that first runs a line.
fn shell(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{line} && exec \"$@\"")).arg("sh").arg(program("nnz"));
    shell.stdin(Stdio::null());
    shell
}

#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let signals =
        [("HUP", Signal::HUP, 129), ("INT", Signal::INT, 130), ("TERM", Signal::TERM, 143)];
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3\n";
    for (ignored, _, _) in signals {
        for (name, signal, status) in signals {
            let directory = tempfile::tempdir().unwrap();
            let target = directory.path().join("t.mtx");
            let mut nnz = shell(&format!("trap '' {ignored}"));
            nnz.args(["-q", "convert", "-", text(&target)]).stdin(Stdio::piped());
            let mut child = nnz.stderr(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            // More than a pipe holds: when it is written, the command reads.
            stdin.write_all(&b"%%MatrixMarket matrix coordinate integer general\n"[..]).unwrap();
            stdin.write_all(&b"%\n".repeat(100_000)).unwrap();
            kill_process(Pid::from_child(&child), signal).unwrap();
            // A command that was ended reads no more.
            let _ = stdin.write_all(matrix.split_once('\n').unwrap().1.as_bytes());
            drop(stdin);
            let done = child.wait_with_output().unwrap();
            let expected = if name == ignored { 0 } else { status };
            assert_eq!(
                done.status.code(),
                Some(expected),
                "{name} with {ignored} ignored: {done:?}"
            );
            assert_eq!(target.exists(), name == ignored);
        }
    }
}

/// A directory with a matrix whose rows are regions with an annotation, and fragments.
fn sources() -> (tempfile::TempDir, [PathBuf; 2]) {
    let directory = tempfile::tempdir().unwrap();
    let [matrix, fragments] = ["m.csv", "f.tsv"].map(|name| directory.path().join(name));
    fs::write(&matrix, "peak,a,b\nchr1:1-5,1,2\nchr2:7-9,0,4\n").unwrap();
    fs::write(&fragments, "chr1\t1\t5\tA\t1\nchr1\t2\t6\tB\t1\n").unwrap();
    (directory, [matrix, fragments])
}

#[test]
fn errors_of_writing_name_the_target() {
    let (directory, [matrix, fragments]) = sources();
    let (matrix, fragments) = (text(&matrix), text(&fragments));
    let stored = directory.path().join("s.fragments");
    run(&["-q", "fragments", "import", fragments, text(&stored)]).good();
    let out = tempfile::tempdir().unwrap();
    for (arguments, target) in [
        (&["plot", matrix][..], "t.svg"),
        (&["plot", matrix], "t.png"),
        (&["plot", "--kind", "values", matrix], "t.svg"),
        (&["annotations", matrix, "rows"], "t.csv"),
        (&["annotations", matrix, "cols"], "t.tsv"),
        (&["annotations", matrix, "rows"], "t.bed"),
        (&["fragments", "export", text(&stored)], "t.tsv"),
        (&["fragments", "export", text(&stored)], "t.tsv.gz"),
        (&["fragments", "import", fragments], "t.fragments"),
        (&["fragments", "select", text(&stored), "--cells", "A"], "t.h5"),
        (&["convert", matrix], "t.mtx"),
        (&["convert", matrix], "t.h5ad"),
        (&["convert", matrix], "t.zarr"),
        (&["convert", matrix], "t.npz"),
        (&["convert", matrix], "t.csv"),
        (&["convert", matrix], "t.rds"),
        (&["man"], "t"),
    ] {
        let target = out.path().join(target);
        let failed = finish(shell("ulimit -f 0").args(arguments).arg(&target));
        assert_eq!(failed.code, Some(1), "{arguments:?} {failed:?}");
        let message = failed.err.to_lowercase();
        assert!(message.contains("too large"), "{arguments:?} {message}");
        let lines = message.lines().filter(|line| line.contains("too large"));
        let named = lines.clone().all(|line| line.contains(&text(&target).to_lowercase()));
        assert!(named, "{arguments:?} {message}");
        let source = message.contains(&matrix.to_lowercase())
            || message.contains(&text(&stored).to_lowercase());
        assert!(!source, "{arguments:?} {message}");
    }
}

#[test]
fn errors_of_standard_output_name_it() {
    let (directory, [matrix, fragments]) = sources();
    let stored = directory.path().join("s.fragments");
    run(&["-q", "fragments", "import", text(&fragments), text(&stored)]).good();
    // More than the buffers of standard output.
    let many = directory.path().join("many.csv");
    let rows: String = (0..20_000).map(|row| format!("chr1:{row}-{},1\n", row + 5)).collect();
    fs::write(&many, format!("peak,a\n{rows}")).unwrap();
    for source in [text(&matrix), text(&many)] {
        for arguments in [
            &["cat", source][..],
            &["names", source, "rows"],
            &["annotations", source, "rows"],
            &["info", source],
            &["convert", source, "-", "--to", "mtx"],
            &["cat", text(&stored)],
        ] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let child = command().args(arguments).stdout(full).stderr(Stdio::piped()).spawn();
            let done = child.unwrap().wait_with_output().unwrap();
            let message = String::from_utf8(done.stderr).unwrap();
            assert_eq!(done.status.code(), Some(1), "{arguments:?} {message}");
            assert!(message.contains("standard output"), "{arguments:?} {message}");
            assert!(!message.contains(text(directory.path())), "{arguments:?} {message}");
        }
    }
}

/// Runs a verb with a limit on the address space, in KiB.
fn in_addresses(kib: u64, arguments: &[&str]) -> Run {
    finish(shell(&format!("ulimit -v {kib}")).args(arguments))
}

/// Returns 300,000 entries as text.
fn many_entries() -> String {
    let mut lines =
        String::from("%%MatrixMarket matrix coordinate integer general\n3000 700 300000\n");
    for entry in 0..300_000_u32 {
        lines +=
            &format!("{} {} {}\n", entry % 3000 + 1, entry / 3000 * 7 % 700 + 1, entry % 9 + 1);
    }
    lines
}

/// Rust aborts where an allocation fails or a thread cannot be started, which is status 134 or 101.
#[test]
fn too_little_address_space_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (mtx, stored) = (path("m.mtx"), path("m.npz"));
    fs::write(&mtx, many_entries()).unwrap();
    run(&["-q", "convert", text(&mtx), text(&stored)]).good();
    // A whole SVMlight file is read on all cores when it is opened.
    let svm = path("m.svm");
    run(&["-q", "convert", text(&mtx), text(&svm)]).good();
    let (mtx, stored, svm, target) = (text(&mtx), text(&stored), text(&svm), path("t"));
    fs::create_dir(&target).unwrap();
    let at = |name: &str| text(&target.join(name)).to_owned();
    let (mut done, mut refused) = (0, 0);
    // The program itself takes less than the least.
    let least = smallest_address_space(stored);
    for more in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
        for arguments in [
            &["transpose", stored, &at("a.npz"), "--force"][..],
            &[
                "transpose",
                stored,
                &at("b.h5ad"),
                "--force",
                "--threads",
                "32",
                "--compress",
                "gzip:1",
            ],
            &["convert", mtx, &at("c.bpcells"), "--force", "--memory", "1G"],
            &["convert", stored, &at("d.zarr"), "--force", "--compress", "zstd:3"],
            &["stats", stored],
            &["stats", svm],
            &["diff", stored, stored],
            &["validate", mtx],
            &["plot", stored, &at("e.png"), "--force"],
            &["report", stored, &at("f.html"), "--force"],
            &["pca", stored, &at("g.h5ad"), "--force"],
        ] {
            let found = in_addresses(least + more * 1024, arguments);
            match found.code {
                Some(0) => done += 1,
                Some(1 | 2) => {
                    assert!(found.err.contains("memory"), "{more} {arguments:?} {found:?}");
                    refused += 1;
                }
                _ => panic!("{more} MiB more than {least} KiB: {arguments:?} {found:?}"),
            }
            assert!(!found.err.contains("panicked"), "{arguments:?} {found:?}");
            let left = names_in(Path::new(&target));
            assert!(left.iter().all(|name| !name.starts_with('.')), "{arguments:?} {left:?}");
        }
    }
    assert!(refused > 0 && done > 0, "{refused} refused, {done} done");
}

/// Each thread reserved addresses for memory of its own, so that many threads failed where few had enough.
#[test]
fn many_threads_fit_in_the_address_space_of_few() {
    let directory = tempfile::tempdir().unwrap();
    let [mtx, target] = ["m.mtx", "m.h5ad"].map(|name| directory.path().join(name));
    fs::write(&mtx, many_entries()).unwrap();
    let least = smallest_address_space(text(&mtx));
    for threads in ["1", "16", "16", "16", "16"] {
        let arguments = ["convert", text(&mtx), text(&target), "--force", "-q", "--threads"];
        in_addresses(least + (350 << 10), &[&arguments[..], &[threads]].concat()).good();
    }
}

/// Returns the KiB of address space in which the command starts.
fn smallest_address_space(source: &str) -> u64 {
    let starts = |kib: &u64| in_addresses(*kib, &["info", source]).code == Some(0);
    (4..400).map(|mebi| mebi * 1024).find(starts).unwrap()
}
