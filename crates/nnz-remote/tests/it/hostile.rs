//! Servers that answer what none should: an error, soon, and without their bytes in memory.

use std::path::Path;
use std::time::{Duration, Instant};

use nnz_remote::{RemoteStorage, StorageOptions};
use nnz_storage::Storage as _;
use nnz_testing::server::{Behavior, Lie, Server};

/// Opens an object, and reads in its middle.
fn read(storage: &RemoteStorage, path: &str) -> std::io::Result<()> {
    storage.open(Path::new(path))?.read_exact_at(&mut [0; 10], 500_000)
}

#[test]
fn wrong_answers_are_errors() {
    let cases = [
        (Lie::OtherRange, "another range than was asked for", "got 1..65536"),
        (Lie::LongestLength, "18446744073709551615 bytes", "18446744073709551615 bytes"),
        (Lie::Short, "less than it said", "less than it said"),
        (Lie::Endless, "more than it said", "content-length header missing"),
        (Lie::Redirect, "too many redirects", "following redirect"),
        (Lie::Compressed, "compressed its answer", ""),
        (Lie::EndlessError, "403 forbidden", "length limit exceeded"),
    ];
    std::thread::scope(|scope| {
        for (lie, on_the_web, on_s3) in cases {
            scope.spawn(move || check(lie, on_the_web, on_s3));
        }
    });
}

/// Checks the errors of a server that answers in a wrong way, from the web and from S3.
fn check(lie: Lie, on_the_web: &str, on_s3: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bucket")).unwrap();
    std::fs::write(folder.path().join("bucket/x.bin"), vec![7; 1_000_000]).unwrap();
    let server = Server::with(folder.path(), Behavior { lie: Some(lie), ..Behavior::default() });
    let options = StorageOptions::new().with("endpoint", server.endpoint()).with("anon", "true");
    let s3 = RemoteStorage::with_options(options.with("region", "us-east-1"));
    let url = server.url("bucket/x.bin");
    for (storage, path, expected) in
        [(RemoteStorage::new(), url.as_str(), on_the_web), (s3, "s3://bucket/x.bin", on_s3)]
    {
        let started = Instant::now();
        let error = match read(&storage, path) {
            Err(error) => error.to_string(),
            Ok(()) => "none".to_owned(),
        };
        let took = started.elapsed();
        assert!(error.to_lowercase().contains(expected), "{lie:?} {path}: {error}");
        assert!(took < Duration::from_secs(60), "{lie:?} {path}: {took:?}");
    }
    // Each is taken to the limit of an answer, and what the system buffers.
    let taken = server.endless_bytes();
    assert!(taken < 400 << 20, "{lie:?}: {taken} bytes");
}
