//! Writing to S3: what exists after success, failure and interference, and in which order it is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nnz::{Axis, Context, ConvertOptions, CsMatrix, Location, Order, Shape};
use nnz_testing::server::{Behavior, LoggedRequest, Server};

/// A server with an empty bucket, and a local directory for comparison.
struct Bucket {
    folder: tempfile::TempDir,
    server: Server,
    context: Context,
}

impl Bucket {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["served/bucket", "local"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let server = Server::new(&folder.path().join("served"));
        let mut bucket = Self { folder, server, context: Context::default() };
        bucket.set_options(&[]);
        bucket
    }

    fn set_options(&mut self, more: &[(&str, &str)]) {
        let endpoint = self.server.endpoint();
        let own = [("endpoint", endpoint.as_str()), ("anon", "true"), ("region", "us-east-1")];
        let all = own.iter().chain(more);
        let all = all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.context = Context::default().with_storage_options(all).unwrap();
    }

    /// Writes the matrix to a place.
    fn write(&self, seed: u32, to: &str, options: &ConvertOptions) -> Result<(), nnz::Error> {
        write(seed, to, options, &self.context)
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
    let matrix = CsMatrix::from_parts(shape, Order::Col, pointers, indices, values).unwrap();
    let names = |axis, count: u32| (0..count).map(move |n| format!("{axis}{n}"));
    let matrix = matrix.with_names(Axis::Rows, names("g", rows)).unwrap();
    matrix.with_names(Axis::Cols, names("c", cols)).unwrap()
}

/// Writes the matrix to a place.
fn write(
    seed: u32,
    to: &str,
    options: &ConvertOptions,
    context: &Context,
) -> Result<(), nnz::Error> {
    let source = matrix(seed).into_source().unwrap();
    nnz::convert_source(&*source, Location::parse(to), options, context).map(drop)
}

/// Sets the format, if one is given.
fn to_format(mut options: ConvertOptions, format: Option<&'static str>) -> ConvertOptions {
    options.format = format.map(Into::into);
    options
}

fn forced() -> ConvertOptions {
    ConvertOptions::default().overwrite(true)
}

/// Returns the methods and paths of requests that write, without the bucket.
fn writes(log: &[LoggedRequest]) -> Vec<(String, String)> {
    let writes = log.iter().filter(|one| one.method != "GET" && one.method != "HEAD");
    let path =
        |one: &LoggedRequest| one.path.strip_prefix("/bucket/").unwrap_or(&one.path).to_owned();
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
        let mut options = to_format(ConvertOptions::default(), format);
        if name.ends_with("dbdf") {
            options.format_options.set("meta", "true");
        }
        let local = bucket.local(name);
        bucket.write(7, local.to_str().unwrap(), &options).unwrap();
        bucket.write(7, &format!("s3://bucket/d/{name}"), &options).unwrap();
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
    let mut bucket = Bucket::new();
    bucket.set_options(&[("part_size", "1000")]);
    compare_all(&bucket);
    let parts =
        |log: &[LoggedRequest]| log.iter().filter(|one| one.query.contains("partNumber")).count();
    assert!(parts(&bucket.server.take_log()) > 50);
}

#[test]
fn failed_requests_are_repeated() {
    let mut bucket = Bucket::new();
    bucket.set_options(&[("part_size", "4000")]);
    bucket.server.set(Behavior { fail_every: Some(20), ..Behavior::default() });
    compare_all(&bucket);
    // The answer is lost, so the request may have had an effect.
    drop(bucket);
    let mut bucket = Bucket::new();
    bucket.set_options(&[("part_size", "4000")]);
    bucket.server.set(Behavior { hang_up_every: Some(7), ..Behavior::default() });
    compare_all(&bucket);
}

#[test]
fn the_mark_of_a_store_is_written_last() {
    let bucket = Bucket::new();
    for (name, format, mark) in [
        ("m.bpcells", None, "version"),
        ("m.zarr", Some("binsparse"), "zarr.json"),
        ("a.zarr", Some("anndata"), ".zgroup"),
        ("m.bsp", None, "binsparse.json"),
        ("tenx", Some("10x"), "matrix.mtx.gz"),
    ] {
        bucket.server.take_log();
        bucket
            .write(1, &format!("s3://bucket/{name}"), &to_format(ConvertOptions::default(), format))
            .unwrap();
        let log = bucket.server.take_log();
        let last = log.last().unwrap();
        assert_eq!(
            (last.method.as_str(), last.path.as_str()),
            ("PUT", &*format!("/bucket/{name}/{mark}"))
        );
        let writes = writes(&log);
        assert_eq!(
            writes
                .iter()
                .filter(|(_, path)| path.ends_with(mark) && path.matches('/').count() == 1)
                .count(),
            1
        );
        // The metadata of groups and arrays inside come after their data.
        let is_inner = |path: &str| path.ends_with("zarr.json") || path.ends_with(".zarray");
        let inner = writes.iter().position(|(_, path)| is_inner(path));
        let data = writes.iter().rposition(|(_, path)| !is_inner(path) && path.contains("/0"));
        assert!(inner.is_none() || data < inner, "{writes:?}");
    }
}

#[test]
fn existing_targets_are_refused_before_any_work() {
    let bucket = Bucket::new();
    for name in ["m.bpcells", "m.h5ad", "m.zarr", "m.bsp"] {
        let format = (name == "m.zarr").then_some("binsparse");
        let options = to_format(ConvertOptions::default(), format);
        let at = format!("s3://bucket/d/{name}");
        bucket.write(1, &at, &options).unwrap();
        let before = bucket.objects();
        bucket.server.take_log();
        let error = bucket.write(2, &at, &options).unwrap_err();
        assert_eq!(error.to_string(), format!("{at}: already exists"));
        let log = bucket.server.take_log();
        assert!(writes(&log).is_empty() && log.len() <= 4, "{log:?}");
        assert_eq!(bucket.objects(), before);
    }
    // Objects that are no store are in the way, too, and a file does not replace a directory.
    std::fs::create_dir(bucket.served("other")).unwrap();
    std::fs::write(bucket.served("other/file"), "x").unwrap();
    bucket.write(1, "s3://bucket/other", &ConvertOptions::default().format("bpcells")).unwrap_err();
    let file = forced().format("anndata");
    let error = bucket.write(1, "s3://bucket/other", &file).unwrap_err();
    let what = "is a directory, which is not replaced by a file";
    assert_eq!(error.to_string(), format!("s3://bucket/other: {what}"));
    let error = bucket.write(1, "s3://bucket/other", &forced().format("bpcells")).unwrap_err();
    assert!(error.to_string().contains("it contains another file, \"file\""), "{error}");
    assert_eq!(std::fs::read(bucket.served("other/file")).unwrap(), b"x");
}

#[test]
fn force_replaces_a_store_after_its_mark_is_removed() {
    let bucket = Bucket::new();
    for (name, format, mark) in [
        ("m.bpcells", None, "version"),
        ("m.zarr", Some("binsparse"), "zarr.json"),
        ("m.bsp", None, "binsparse.json"),
    ] {
        let options = to_format(forced(), format);
        let at = format!("s3://bucket/{name}");
        bucket.write(1, &at, &options).unwrap();
        bucket.server.take_log();
        let local = bucket.local(name);
        bucket.write(2, local.to_str().unwrap(), &options).unwrap();
        bucket.write(2, &at, &options).unwrap();
        assert!(files(&local) == files(&bucket.served(name)), "{name}");
        let log = bucket.server.take_log();
        let writes = writes(&log);
        let deletions = writes.iter().filter(|(method, _)| method == "POST" || method == "DELETE");
        assert_eq!(writes.last().unwrap(), &("PUT".to_owned(), format!("{name}/{mark}")));
        // All are removed before any is written.
        let deletions = deletions.count();
        assert!(writes[..deletions].iter().all(|(method, _)| method == "POST"), "{writes:?}");
        assert_eq!(deletions, files(&local).len());
    }
    // Members of another kind of the same store are removed.
    let packed = ConvertOptions::default();
    bucket.write(1, "s3://bucket/k.bpcells", &packed).unwrap();
    std::fs::write(bucket.served("k.bpcells/own"), "x").unwrap();
    let error = bucket.write(1, "s3://bucket/k.bpcells", &forced()).unwrap_err();
    assert!(error.to_string().contains("\"own\""), "{error}");
    assert!(bucket.served("k.bpcells/version").exists());
    // A file is replaced in one step.
    bucket.write(1, "s3://bucket/m.h5ad", &forced().format("anndata")).unwrap();
    bucket.server.take_log();
    bucket.write(2, "s3://bucket/m.h5ad", &forced().format("anndata")).unwrap();
    assert_eq!(writes(&bucket.server.take_log()), [("PUT".to_owned(), "m.h5ad".to_owned())]);
}

#[test]
fn what_is_replaced_is_read_once() {
    let bucket = Bucket::new();
    for (name, format) in [("m.bpcells", None), ("m.zarr", Some("anndata"))] {
        let (at, options) = (format!("s3://bucket/{name}"), to_format(forced(), format));
        bucket.write(1, &at, &options).unwrap();
        let objects = files(&bucket.served(name)).len();
        bucket.server.take_log();
        bucket.write(2, &at, &options).unwrap();
        let log = bucket.server.take_log();
        let is_read =
            |one: &&LoggedRequest| one.method == "GET" && !one.query.contains("list-type");
        let reads: Vec<_> = log.iter().filter(is_read).map(|one| &one.path).collect();
        assert!(reads.len() <= objects, "{name}: {objects} objects: {reads:?}");
    }
}

#[test]
fn a_store_that_is_replaced_is_no_store_if_writing_fails() {
    let bucket = Bucket::new();
    bucket.write(1, "s3://bucket/m.bpcells", &ConvertOptions::default()).unwrap();
    let served = bucket.served("m.bpcells");
    let mut seen = None;
    let (sender, receiver) = std::sync::mpsc::channel();
    // The old mark is gone before the first new member is written.
    bucket.server.before("PUT", "m.bpcells/shape", move || {
        sender.send(served.join("version").exists()).unwrap();
    });
    bucket.server.set(Behavior {
        forbid_writes: Some("m.bpcells/version".to_owned()),
        ..Behavior::default()
    });
    let error = bucket.write(2, "s3://bucket/m.bpcells", &forced()).unwrap_err();
    assert!(error.to_string().contains("access denied by the server"), "{error}");
    seen.replace(receiver.recv().unwrap());
    assert_eq!(seen, Some(false));
    assert!(bucket.objects().is_empty(), "{:?}", bucket.objects().keys());
}

#[test]
fn a_failure_leaves_nothing() {
    let mut bucket = Bucket::new();
    for part_size in ["1000", "100000"] {
        bucket.set_options(&[("part_size", part_size)]);
        for (name, format, part) in [
            ("m.bpcells", None, "/index_data"),
            ("m.bpcells", None, "/version"),
            ("m.zarr", Some("binsparse"), "/zarr.json"),
            ("m.bsp", None, "/values.npy"),
            ("m.h5ad", Some("anndata"), "/m.h5ad"),
            ("m.dbdf", None, ".meta"),
        ] {
            let forbid_writes = Some(part.to_owned());
            bucket.server.set(Behavior { forbid_writes, ..Behavior::default() });
            let mut options = to_format(ConvertOptions::default(), format);
            if name.ends_with("dbdf") {
                options.format_options.set("meta", "true");
            }
            let at = format!("s3://bucket/d/{name}");
            let error = bucket.write(1, &at, &options).expect_err(part).to_string();
            assert!(
                error.starts_with("s3://bucket/d/m.")
                    && error.contains(": access denied by the server"),
                "{error}"
            );
            assert_eq!(error.lines().count(), 1);
            assert!(bucket.objects().is_empty(), "{name} {part} {:?}", bucket.objects().keys());
            assert_eq!(bucket.server.open_uploads(), 0, "{name}");
        }
    }
}

#[test]
fn what_another_program_writes_meanwhile_is_kept() {
    let mut bucket = Bucket::new();
    let other = bucket.local("other.bpcells");
    bucket.write(3, other.to_str().unwrap(), &ConvertOptions::default()).unwrap();
    // Before the first member, or only the mark, both with and without force.
    for (options, part) in [
        (ConvertOptions::default(), "m.bpcells/shape"),
        (ConvertOptions::default(), "m.bpcells/version"),
        (forced(), "m.bpcells/shape"),
        (forced(), "m.bpcells/version"),
    ] {
        let (from, to) = (other.clone(), bucket.served("m.bpcells"));
        bucket.server.before("PUT", part, move || {
            std::fs::create_dir_all(&to).unwrap();
            for (name, bytes) in files(&from) {
                std::fs::write(to.join(name), bytes).unwrap();
            }
        });
        let error = bucket.write(1, "s3://bucket/m.bpcells", &options).unwrap_err();
        assert_eq!(error.to_string(), "s3://bucket/m.bpcells: already exists");
        // Its mark is there. The members that were overwritten by its own are no longer ours.
        let found = bucket.objects();
        assert_eq!(found["m.bpcells/version"], files(&other)["version"]);
        if part.ends_with("shape") {
            assert_eq!(files(&bucket.served("m.bpcells")).get("shape"), files(&other).get("shape"));
        }
        std::fs::remove_dir_all(bucket.served("m.bpcells")).unwrap();
    }
    // One object, at once and in parts.
    for part_size in ["1000", "100000"] {
        bucket.set_options(&[("part_size", part_size)]);
        let at = bucket.served("m.h5ad");
        bucket.server.before("PUT", "m.h5ad", move || std::fs::write(at, "theirs").unwrap());
        let options = ConvertOptions::default().format("anndata");
        let error = bucket.write(1, "s3://bucket/m.h5ad", &options).unwrap_err();
        assert_eq!(error.to_string(), "s3://bucket/m.h5ad: already exists");
        assert_eq!(std::fs::read(bucket.served("m.h5ad")).unwrap(), b"theirs");
        assert_eq!(bucket.server.open_uploads(), 0);
        std::fs::remove_file(bucket.served("m.h5ad")).unwrap();
    }
}

#[test]
fn a_cancelled_upload_leaves_nothing() {
    let mut bucket = Bucket::new();
    for part_size in ["1000", "100000"] {
        bucket.set_options(&[("part_size", part_size)]);
        for (name, format, part) in [
            ("m.bpcells", None, "/index_data"),
            ("m.bpcells", None, "/version"),
            ("m.h5ad", Some("anndata"), "/m.h5ad"),
        ] {
            let token = nnz::Cancellation::new();
            let cancel = token.clone();
            bucket.server.before("PUT", part, move || {
                cancel.cancel();
                // Longer than it takes to notice.
                std::thread::sleep(std::time::Duration::from_millis(200));
            });
            let context = bucket.context.clone().with_cancellation(token);
            let options = to_format(ConvertOptions::default(), format);
            let done = write(1, &format!("s3://bucket/{name}"), &options, &context);
            assert_eq!(bucket.server.open_uploads(), 0, "{name}");
            // The last request completes the output.
            if part_size == "1000" && part != "/version" || part == "/index_data" {
                let error = done.unwrap_err();
                assert!(matches!(error.kind(), nnz::ErrorKind::Cancelled), "{name} {part} {error}");
                assert!(bucket.objects().is_empty(), "{name} {part} {:?}", bucket.objects().keys());
                continue;
            }
            done.unwrap();
            let local = bucket.local(name);
            bucket.write(1, local.to_str().unwrap(), &to_format(forced(), format)).unwrap();
            assert!(files(&local) == files(&bucket.served(name)), "{name}");
            let served = bucket.served(name);
            let _ = std::fs::remove_file(&served).or_else(|_| std::fs::remove_dir_all(&served));
        }
    }
}

#[test]
fn a_server_that_does_not_answer_can_be_left() {
    let bucket = Bucket::new();
    let token = nnz::Cancellation::new();
    let cancel = token.clone();
    bucket.server.before("PUT", "m.h5ad", move || {
        cancel.cancel();
        std::thread::sleep(std::time::Duration::from_secs(30));
    });
    let context = bucket.context.clone().with_cancellation(token);
    let options = ConvertOptions::default().format("anndata");
    let started = std::time::Instant::now();
    let error = write(1, "s3://bucket/m.h5ad", &options, &context).unwrap_err();
    assert!(matches!(error.kind(), nnz::ErrorKind::Cancelled), "{error}");
    assert!(started.elapsed() < std::time::Duration::from_secs(15));
}

#[test]
fn places_that_cannot_be_written_are_clear_errors() {
    let bucket = Bucket::new();
    let refused =
        |to: &str, options: &ConvertOptions| bucket.write(1, to, options).unwrap_err().to_string();
    let options = ConvertOptions::default();
    let https =
        "https:// and http:// are read-only: write to s3://, gs:// or az://, or to a local path";
    assert_eq!(
        refused("https://hush:hush@host/m.bpcells", &options),
        format!("https://host/m.bpcells: {https}")
    );
    assert_eq!(
        refused("http://host/m.h5ad", &options.clone().format("anndata")),
        format!("http://host/m.h5ad: {https}")
    );
    assert_eq!(refused("s3://none/m.bpcells", &options), "s3://none/m.bpcells: no such bucket");
    assert_eq!(refused("s3://none/m.mtx", &options), "s3://none/m.mtx: no such bucket");
    let rootless = refused("s3://bucket/", &options.clone().format("bpcells"));
    assert_eq!(rootless, "s3://bucket: the URL has no key: write to BUCKET/KEY");
    // Groups of new files are written, but not added to existing ones.
    for name in ["g.h5", "g.zarr"] {
        let at = format!("s3://bucket/{name}::a/b");
        let options = forced().format("bpcells");
        bucket.write(1, &at, &options).unwrap();
        bucket.context.open(at.as_str()).unwrap();
        let before = bucket.objects();
        let error = refused(&at, &options);
        assert!(error.contains("adding to a file or store at a URL"), "{error}");
        assert_eq!(bucket.objects(), before);
    }
    // So is a server that denies everything.
    bucket.server.set(Behavior { query: Some("none".to_owned()), ..Behavior::default() });
    for name in ["m.bpcells", "m.mtx"] {
        let error = refused(&format!("s3://bucket/{name}"), &options);
        assert_eq!(error, format!("s3://bucket/{name}: access denied by the server"));
    }
}

#[test]
fn messages_have_no_secrets() {
    let mut bucket = Bucket::new();
    bucket.set_options(&[
        ("anon", "false"),
        ("access_key_id", "hushkey"),
        ("secret_access_key", "hushsecret"),
        ("session_token", "hushtoken"),
        ("part_size", "1000"),
    ]);
    let behaviors = [
        Behavior { forbid_writes: Some("bucket".to_owned()), ..Behavior::default() },
        Behavior { fail_every: Some(1), ..Behavior::default() },
        Behavior { hang_up_every: Some(1), ..Behavior::default() },
    ];
    for behavior in behaviors {
        bucket.server.set(behavior.clone());
        for to in ["s3://bucket/m.bpcells", "s3://hushuser:hushword@bucket/m.mtx"] {
            let Err(error) = bucket.write(1, to, &ConvertOptions::default()) else { continue };
            let shown = format!("{error} {error:?}");
            assert!(
                !shown.contains("hush") && !shown.contains("Signature"),
                "{behavior:?} {shown}"
            );
        }
    }
    // Signed requests are written, too.
    bucket.server.set(Behavior::default());
    bucket.write(1, "s3://bucket/signed.mtx", &ConvertOptions::default()).unwrap();
    assert!(bucket.served("signed.mtx").exists());
}
