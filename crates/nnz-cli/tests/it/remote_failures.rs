//! Failures between the command and a server: full disks, changes, other writers, wrong options.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nnz_testing::command::{Run, command, content, finish, names_in, run, testdata, text};
use nnz_testing::server::{Behavior, Server};

#[cfg(target_os = "linux")]
use crate::temporary_directory::Disk;

const STORE: &str = "bpcells/matrix_dir/basic_uint.packed.col";

/// A server with a bucket, and a local directory.
struct Bucket {
    folder: tempfile::TempDir,
    server: Server,
}

impl Bucket {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["served/bucket", "local"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let server = Server::new(&folder.path().join("served"));
        Self { folder, server }
    }

    fn served(&self, name: &str) -> PathBuf {
        self.folder.path().join("served/bucket").join(name)
    }

    fn local(&self, name: &str) -> PathBuf {
        self.folder.path().join("local").join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let endpoint = format!("endpoint={}", self.server.endpoint());
        let mut command = command();
        command.args(arguments).args(["--storage-option", &endpoint]);
        command.args(["--storage-option", "region=x", "--storage-option", "anon=true"]);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        finish(&mut self.command(arguments))
    }

    /// Writes a text of a matrix of some megabytes to a local file.
    fn large(&self) -> PathBuf {
        let path = self.local("large.mtx");
        let mut lines =
            "%%MatrixMarket matrix coordinate integer general\n1000 600 300000\n".to_owned();
        for n in 0..300_000_u64 {
            use std::fmt::Write as _;
            writeln!(lines, "{} {} {}", n % 500 * 2 + 1, n / 500 + 1, n * 7919 % 100_000 + 1)
                .unwrap();
        }
        std::fs::write(&path, lines).unwrap();
        path
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_an_upload_before_it_starts() {
    let bucket = Bucket::new();
    let source = bucket.large();
    let Some(disk) = Disk::mount("size=200k") else { return };
    for name in ["new.bpcells", "new.mtx", "new.h5ad", "new.zarr"] {
        let at = format!("s3://bucket/{name}");
        let line = ["-q", "convert", text(&source), &at, "--storage-option", "part_size=100000"];
        let error = finish(bucket.command(&line).env("TMPDIR", disk.path())).refused();
        assert!(error.to_lowercase().contains("no space left"), "{error}");
        assert!(error.contains("the directory for temporary files; --temp-dir sets it"), "{error}");
        assert_eq!(names_in(disk.path()), Vec::<String>::new(), "{name}");
        assert_eq!(names_in(&bucket.served("")), Vec::<String>::new(), "{name}");
        assert_eq!(bucket.server.open_uploads(), 0);
        let log = bucket.server.take_log();
        assert!(log.iter().all(|one| matches!(&*one.method, "GET" | "HEAD")), "{log:?}");
    }
}

#[test]
fn an_object_that_changes_while_it_is_read_is_one_clear_error() {
    let bucket = Bucket::new();
    let source = bucket.large();
    let (store, target) = (bucket.served("m.bpcells"), bucket.local("out.mtx"));
    run(&["-q", "convert", text(&source), text(&store)]).good();
    let delay = Duration::from_millis(300);
    bucket.server.set(Behavior { delay, ..Behavior::default() });
    let at = "s3://bucket/m.bpcells";
    for place in [at.to_owned(), bucket.server.url("bucket/m.bpcells")] {
        let changed = store.join("val_data");
        bucket.server.before("GET", "m.bpcells/val_data", move || {
            // After its head was read, and before the next request.
            std::thread::spawn(move || {
                std::thread::sleep(delay / 3);
                let bytes = std::fs::read(&changed).unwrap();
                std::fs::write(&changed, bytes).unwrap();
            });
        });
        let error = bucket.run(&["-q", "convert", &place, text(&target)]).refused();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains("changed by another program in the meantime"), "{error}");
        assert!(!target.exists());
    }
}

/// Runs two commands that write to the same place, at the same time.
fn race(bucket: &Bucket, sources: [&Path; 2], more: &[&str]) -> [Run; 2] {
    bucket.server.set(Behavior { delay: Duration::from_millis(20), ..Behavior::default() });
    let runs = std::thread::scope(|scope| {
        let start = |source| {
            let line = [&["-q", "convert", text(source), "s3://bucket/m.bpcells"], more].concat();
            let mut command = bucket.command(&line);
            scope.spawn(move || finish(&mut command))
        };
        sources.map(start).map(|thread| thread.join().unwrap())
    });
    bucket.server.set(Behavior::default());
    runs
}

#[test]
fn two_writers_to_one_place_leave_the_store_of_one_or_none() {
    let bucket = Bucket::new();
    let store = testdata().join(STORE);
    let (one, other) = (bucket.local("one.bpcells"), bucket.local("other.bpcells"));
    run(&["-q", "convert", text(&store), text(&one)]).good();
    run(&["-q", "transpose", text(&store), text(&other)]).good();
    for more in [&[][..], &["--force"], &["--force"], &[]] {
        if more.is_empty() {
            let _ = std::fs::remove_dir_all(bucket.served("m.bpcells"));
        }
        let runs = race(&bucket, [&one, &other], more);
        let there = content_or_nothing(&bucket.served("m.bpcells"));
        // A failed run reports why, and leaves nothing in the store of the other.
        for run in &runs {
            let expected =
                ["already exists", "another program", "changed while", "is not replaced"];
            let refused = expected.iter().any(|text| run.err.contains(text));
            assert!(run.code == Some(0) || refused, "{runs:?}");
        }
        if !more.is_empty() {
            // Objects cannot be removed on condition, so one may remove what the other wrote. A complete store
            // was written by one of them.
            let is_store = bucket.run(&["validate", "s3://bucket/m.bpcells"]).code == Some(0);
            assert!(!is_store || [content(&one), content(&other)].contains(&there), "{runs:?}");
            continue;
        }
        let succeeded: Vec<_> = runs.iter().map(|run| run.code == Some(0)).collect();
        match succeeded[..] {
            [true, false] => assert_eq!(there, content(&one)),
            [false, true] => assert_eq!(there, content(&other)),
            [false, false] => assert!(there.is_empty(), "{runs:?}"),
            _ => panic!("{runs:?}"),
        }
    }
}

fn content_or_nothing(path: &Path) -> Vec<(String, Vec<u8>)> {
    if path.exists() { content(path) } else { Vec::new() }
}

#[test]
fn wrong_options_are_refused_whatever_is_read() {
    let local = testdata().join(STORE);
    for (option, expected) in [
        ("hush", "nnz: --storage-option takes KEY=VALUE\n"),
        ("=hush", "nnz: --storage-option takes KEY=VALUE\n"),
        ("regionn=hush", "nnz: unknown storage option \"regionn\"\n"),
        ("part_size=hush", "nnz: the storage option part_size is not a number of bytes\n"),
    ] {
        for at in [text(&local), "s3://bucket/x.mtx", "https://host.invalid/x.mtx"] {
            let run = run(&["info", at, "--storage-option", option]);
            assert_eq!((run.code, &*run.err), (Some(2), expected), "{at}");
        }
    }
}

#[test]
fn an_empty_object_is_the_same_error_as_an_empty_file() {
    let bucket = Bucket::new();
    for name in ["x.mtx", "x.h5ad", "x.npz", "x.bin", "x.mtx.gz"] {
        std::fs::write(bucket.served(name), "").unwrap();
        let local = run(&["info", text(&bucket.served(name))]).refused();
        for at in [format!("s3://bucket/{name}"), bucket.server.url(&format!("bucket/{name}"))] {
            let error = bucket.run(&["info", &at]).refused();
            assert_eq!(error.replace(&at, text(&bucket.served(name))), local);
        }
    }
}

#[test]
fn proxies_of_the_environment_are_used() {
    let proxy = Server::new(&testdata());
    let at = format!("http://host.invalid/{STORE}");
    let asked = |no_proxy: &str| {
        let mut command = command();
        command.args(["info", &at]).env("http_proxy", proxy.endpoint()).env("no_proxy", no_proxy);
        for name in ["HTTP_PROXY", "ALL_PROXY", "all_proxy", "NO_PROXY"] {
            command.env_remove(name);
        }
        finish(&mut command)
    };
    asked("").good();
    let log = proxy.take_log();
    assert!(log.iter().any(|one| one.path == format!("http://host.invalid/{STORE}/version")));
    let error = asked("host.invalid").refused();
    assert!(error.contains("connection failed") && error.contains("after 2 retries"), "{error}");
    assert!(proxy.take_log().is_empty());
}

#[test]
fn lengths_of_zarr_without_data_are_refused_at_urls() {
    let bucket = Bucket::new();
    let source = testdata().join(STORE);
    run(&["-q", "convert", text(&source), text(&bucket.served("m.zarr")), "--to", "CSC"]).good();
    let metadata = bucket.served("m.zarr").join("values/zarr.json");
    let text_of = std::fs::read_to_string(&metadata).unwrap();
    let mut values: serde_json::Value = serde_json::from_str(&text_of).unwrap();
    values["shape"] = serde_json::json!([1_u64 << 50]);
    std::fs::write(&metadata, values.to_string()).unwrap();
    for (url, says) in [
        ("s3://bucket/m.zarr".to_owned(), "elements with chunks of"),
        // It is not listed.
        (bucket.server.url("bucket/m.zarr"), "without the last chunk"),
    ] {
        let error = bucket.run(&["cat", &url]).refused();
        assert!(error.contains(says), "{url}: {error}");
    }
}
