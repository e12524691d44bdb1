//! Writing to S3: what exists after success, failure and interference, and in which order it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz::{ConvertOptions, CsMatrix, Location, NoProgress, Order, Shape};
use nnz_testing::server::{Behavior, Logged, Server};

/// The options of targets are those of the process.
static ALONE: Mutex<()> = Mutex::new(());

/// A server with an empty bucket, and a local directory for comparison.
struct Bucket {
    folder: tempfile::TempDir,
    server: Server,
    _alone: MutexGuard<'static, ()>,
}

impl Bucket {
    fn new() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        for name in ["served/bucket", "local"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let server = Server::new(&folder.path().join("served"));
        let bucket = Self { folder, server, _alone: alone };
        bucket.set_options(&[]);
        bucket
    }

    fn set_options(&self, more: &[(&str, &str)]) {
        let endpoint = self.server.endpoint();
        let own = [("endpoint", endpoint.as_str()), ("anon", "true"), ("region", "us-east-1")];
        let all = own.iter().chain(more);
        nnz::set_storage_options(
            all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        );
    }

    fn served(&self, name: &str) -> PathBuf {
        self.folder.path().join("served/bucket").join(name)
    }

    fn local(&self, name: &str) -> PathBuf {
        self.folder.path().join("local").join(name)
    }

    /// Returns all objects of the bucket.
    fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        files(&self.folder.path().join("served/bucket"))
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        nnz::set_storage_options(Vec::new());
    }
}

/// Returns the files below a path, by their path in it; a file has the empty path.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(next) = left.pop() {
        if next.is_dir() {
            left.extend(std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let name = next.strip_prefix(path).unwrap().to_str().unwrap().to_owned();
            all.insert(name, std::fs::read(next).unwrap());
        }
    }
    all
}

/// A matrix with ten entries in each column.
fn matrix(seed: u32) -> CsMatrix {
    let (rows, cols) = (500_u32, 300_u32);
    let pointers: Vec<u64> = (0..=u64::from(cols)).map(|col| col * 10).collect();
    let index = |col: u32, n: u32| n * 50 + (col.wrapping_mul(2_654_435_761) >> 8) % 50;
    let indices: Vec<u32> = (0..cols).flat_map(|col| (0..10).map(move |n| index(col, n))).collect();
    let values: Vec<u32> = (0..cols * 10).map(|n| 1 + (n * seed) % 70).collect();
    let shape = Shape { rows: u64::from(rows), cols: u64::from(cols) };
    CsMatrix::from_parts(shape, Order::Col, pointers, indices, values).unwrap()
}

/// Writes the matrix to a place.
fn write(seed: u32, to: &str, options: &ConvertOptions) -> Result<(), nnz::Error> {
    let source = matrix(seed).into_source().unwrap();
    let place = nnz::Place::default();
    nnz::convert_source(&*source, &place, Location::parse(to), options, &NoProgress).map(drop)
}

fn forced() -> ConvertOptions {
    ConvertOptions::default().overwrite(true)
}

/// Returns the methods and paths of requests that write, without the bucket.
fn writes(log: &[Logged]) -> Vec<(String, String)> {
    let writes = log.iter().filter(|one| one.method != "GET" && one.method != "HEAD");
    let path = |one: &Logged| one.path.strip_prefix("/bucket/").unwrap_or(&one.path).to_owned();
    writes.map(|one| (one.method.clone(), path(one))).collect()
}

/// Names of targets, one for each format and container that is written, and the format.
const TARGETS: [(&str, Option<&str>); 13] = [
    ("m.bpcells", None),
    ("m.h5ad", Some("anndata")),
    ("m.zarr", Some("anndata")),
    ("b.zarr", Some("binsparse")),
    ("b.bsp", None),
    ("b.h5", Some("binsparse")),
    ("m.npz", None),
    ("m.npy", None),
    ("m.mtx", None),
    ("m.mtx.gz", None),
    ("m.rds", None),
    ("m.dbdf", None),
    ("tenx", Some("10x")),
];

/// Writes all formats locally and to the bucket, and compares.
fn compare_all(bucket: &Bucket) {
    for (name, format) in TARGETS {
        let options = ConvertOptions::default().format(format);
        let local = bucket.local(name);
        write(7, local.to_str().unwrap(), &options).unwrap();
        write(7, &format!("s3://bucket/d/{name}"), &options).unwrap();
        let at = bucket.served("d").join(name);
        assert_eq!(local.is_dir(), at.is_dir(), "{name}");
        assert!(files(&local) == files(&at), "{name}");
        assert_eq!(bucket.server.open_uploads(), 0);
    }
    // Sidecars, too.
    assert_eq!(files(&bucket.local("")), files(&bucket.served("d")));
}

#[test]
fn every_format_is_written_as_locally() {
    compare_all(&Bucket::new());
}

#[test]
fn large_objects_are_uploaded_in_parts() {
    let bucket = Bucket::new();
    bucket.set_options(&[("part_size", "1000")]);
    compare_all(&bucket);
    let parts = |log: &[Logged]| log.iter().filter(|one| one.query.contains("partNumber")).count();
    assert!(parts(&bucket.server.take_log()) > 50);
}
