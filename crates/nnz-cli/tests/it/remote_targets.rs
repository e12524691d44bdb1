//! Targets in object storage.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nnz_testing::command::{Run, command, finish, testdata, text};
use nnz_testing::server::{Behavior, Server};

const STORE: &str = "bpcells/matrix_dir/basic_uint.packed.col";

/// A server with an empty bucket, and a directory.
struct Bucket {
    folder: tempfile::TempDir,
    server: Server,
}

impl Bucket {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("served/bucket")).unwrap();
        std::fs::create_dir_all(folder.path().join("local")).unwrap();
        let server = Server::new(&folder.path().join("served"));
        Self { folder, server }
    }

    fn served(&self, name: &str) -> PathBuf {
        self.folder.path().join("served/bucket").join(name)
    }

    fn local(&self, name: &str) -> PathBuf {
        self.folder.path().join("local").join(name)
    }

    fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> std::process::Command {
        let mut command = command();
        let endpoint = format!("endpoint={}", self.server.endpoint());
        command.args(arguments).args(["--storage-option", &endpoint]);
        command.args(["--storage-option", "region=x", "--storage-option", "anon=true"]);
        command
    }

    fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Run {
        finish(&mut self.command(arguments))
    }

    /// Runs a command with a local target and with one in the bucket, whose names are the last argument, and
    /// compares.
    fn compare(&self, arguments: &[&str], name: &str) {
        let local = self.local(name);
        for target in [text(&local), &format!("s3://bucket/{name}")] {
            self.run(&[arguments, &[target, "--quiet"][..]].concat()).good();
        }
        assert!(!files(&local).is_empty());
        assert!(files(&local) == files(&self.served(name)), "{arguments:?} {name}");
    }
}

/// Returns the files below a path.
fn files(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(next) = left.pop() {
        if next.is_dir() {
            left.extend(std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            all.insert(
                next.strip_prefix(path).unwrap().to_path_buf(),
                std::fs::read(next).unwrap(),
            );
        }
    }
    all
}

#[test]
fn every_command_writes_to_a_bucket_as_locally() {
    let bucket = Bucket::new();
    let store = testdata().join(STORE);
    let store = text(&store);
    let study = testdata().join("anndata/valid/0.6.22/h5ad/full_gzip.h5ad");
    let study = text(&study);
    bucket.compare(&["convert", store], "c.bpcells");
    bucket.compare(&["convert", study], "w.h5ad");
    bucket.compare(&["convert", study, "--to", "anndata"], "w.zarr");
    bucket.compare(&["convert", store, "--segments", "2", "--meta"], "s.dbdf.hdfs");
    bucket.compare(&["transpose", store], "t.bpcells");
    bucket.compare(&["slice", "--cols", "0:2", store], "s.mtx.gz");
    bucket.compare(&["slice", "--rows", "0:2", study], "s.h5ad");
    bucket.compare(&["concat", "--axis", "rows", store, store], "cat.bsp.npz");
    bucket.compare(&["annotations", study, "rows"], "a.tsv");
    let fragments = testdata().join("bpcells/fragments_dir/basic.packed");
    bucket.compare(&["fragments", "export", text(&fragments)], "f.tsv.gz");
    let tsv = bucket.local("f.tsv.gz");
    bucket.compare(&["fragments", "import", text(&tsv)], "f.bpcells");
    assert_eq!(
        std::fs::read(bucket.local("f.tsv.gz.tbi")).unwrap(),
        std::fs::read(bucket.served("f.tsv.gz.tbi")).unwrap()
    );
    let study = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    for extension in ["h5ad", "zarr"] {
        let split = ["split", text(&study), "--by", "cell_type", "--extension", extension];
        bucket.compare(&split, &format!("parts-{extension}"));
    }
    assert!(!Path::new("s3:").exists());
    // A bucket is read and written by one command.
    bucket.run(&["convert", "-q", "s3://bucket/c.bpcells", "s3://bucket/d/c.mtx"]).good();
    bucket.run(&["diff", "s3://bucket/d/c.mtx", store]).good();
}

#[test]
fn an_existing_target_is_named_with_its_remedy() {
    let bucket = Bucket::new();
    let store = testdata().join(STORE);
    for name in ["c.bpcells", "c.mtx"] {
        let at = format!("s3://bucket/{name}");
        let line = ["convert", "-q", text(&store), &at];
        bucket.run(&line).good();
        let error = bucket.run(&line).refused();
        assert_eq!(error, format!("nnz: {at}: already exists; --force replaces it\n"));
        bucket.run(&[&line[..], &["--force"]].concat()).good();
        let served = bucket.served(name);
        bucket.server.before("PUT", name, move || std::fs::write(served, "theirs").unwrap());
    }
    bucket.server.set(Behavior { forbid_writes: Some("bucket".to_owned()), ..Behavior::default() });
    let error = bucket.run(&["convert", text(&store), "s3://bucket/d.mtx"]).refused();
    assert_eq!(error, "nnz: s3://bucket/d.mtx: access denied by the server\n");
    let error = bucket.run(&["convert", text(&store), "https://host/x.mtx"]).refused();
    assert!(error.contains("https:// and http:// are read-only"), "{error}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_upload_leaves_nothing() {
    use std::process::Stdio;
    use std::sync::mpsc;

    let store = testdata().join(STORE);
    // In parts, and as one of many objects.
    for (name, part) in [("c.mtx", "c.mtx"), ("c.bpcells", "c.bpcells/version")] {
        let bucket = Bucket::new();
        let (sender, receiver) = mpsc::channel();
        bucket.server.before("PUT", part, move || {
            sender.send(()).unwrap();
            std::thread::sleep(Duration::from_secs(20));
        });
        let at = format!("s3://bucket/{name}");
        let line = ["convert", text(&store), &at, "--storage-option", "part_size=10"];
        let mut command = bucket.command(&line);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let started = Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        assert_eq!(files(&bucket.served("")), BTreeMap::new(), "{name}");
        assert_eq!(bucket.server.open_uploads(), 0, "{name}");
    }
}
