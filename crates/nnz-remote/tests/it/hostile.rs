//! Servers that answer what none should: an error, soon, and without their bytes in memory.

use std::path::Path;
use std::time::{Duration, Instant};

use nnz_remote::{RemoteStorage, StorageOptions};
use nnz_storage::Storage as _;
use nnz_testing::server::{Behavior, Server, WrongAnswer};

/// Opens an object, and reads in its middle.
fn read(storage: &RemoteStorage, path: &str) -> std::io::Result<()> {
    storage.open(Path::new(path))?.read_exact_at(&mut [0; 10], 500_000)
}

#[test]
fn wrong_answers_are_errors() {
    let cases = [
        (WrongAnswer::OtherRange, "another range than requested", "got 1..65536"),
        (WrongAnswer::LongestLength, "18446744073709551615 bytes", "18446744073709551615 bytes"),
        (WrongAnswer::Short, "fewer bytes than announced", "fewer bytes than announced"),
        (WrongAnswer::Endless, "more bytes than announced", "content-length header missing"),
        (WrongAnswer::Redirect, "too many redirects", "following redirect"),
        (WrongAnswer::Compressed, "compressed its response", ""),
        (WrongAnswer::EndlessError, "403 forbidden", "length limit exceeded"),
    ];
    std::thread::scope(|scope| {
        for (wrong, on_the_web, on_s3) in cases {
            scope.spawn(move || check(wrong, on_the_web, on_s3));
        }
    });
}

/// Checks the errors of a server that answers in a wrong way, from the web and from S3.
fn check(wrong: WrongAnswer, on_the_web: &str, on_s3: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bucket")).unwrap();
    std::fs::write(folder.path().join("bucket/x.bin"), vec![7; 1_000_000]).unwrap();
    let server =
        Server::with(folder.path(), Behavior { wrong_answer: Some(wrong), ..Behavior::default() });
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
        assert!(error.to_lowercase().contains(expected), "{wrong:?} {path}: {error}");
        assert!(took < Duration::from_secs(60), "{wrong:?} {path}: {took:?}");
    }
    // Each is taken to the limit of an answer, and what the system buffers.
    let taken = server.endless_bytes();
    assert!(taken < 400 << 20, "{wrong:?}: {taken} bytes");
}

/// A node of a chunk index whose entries all name the same child, which is at an address.
fn node(level: u8, entries: u16, chunk: u64, child: u64) -> Vec<u8> {
    let mut node = [&b"TREE\x01"[..], &[level], &entries.to_le_bytes(), &[0xff; 16]].concat();
    for entry in 0..u64::from(entries) {
        node.extend([0; 8]);
        node.extend((entry * chunk).to_le_bytes());
        node.extend([0; 8]);
        node.extend(child.to_le_bytes());
    }
    node.extend([0; 24]);
    node
}

#[test]
fn nodes_that_name_the_same_children_are_not_counted_without_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bucket")).unwrap();
    let path = folder.path().join("bucket/m.h5");
    let entries = 300_000;
    let matrix = nnz::CsMatrix::from_parts(
        nnz::Shape { rows: entries, cols: 1 },
        nnz::Order::Col,
        vec![0, entries],
        (0..entries).collect::<Vec<u64>>(),
        vec![1_u32; 300_000],
    );
    let options = nnz::ConvertOptions::default()
        .format("binsparse")
        .compress(Some(nnz::Compression::Gzip(1)));
    nnz::WriteMatrix::write(matrix.unwrap(), &path, &options, &nnz::Context::default()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    // The index of an array with several chunks: its second key has the length of a chunk.
    let is_root = |at: &usize| bytes[*at..].starts_with(b"TREE\x01\x00") && bytes[at + 6] > 1;
    let root = (0..bytes.len() - 64).find(is_root).unwrap();
    let second = root + 24 + 32 + 8;
    let chunk = u64::from_le_bytes(bytes[second..second + 8].try_into().unwrap());
    let mut child = bytes.len() as u64;
    bytes.extend(node(0, 0, chunk, 0));
    for level in 1..6 {
        let at = bytes.len() as u64;
        bytes.extend(node(level, 4000, chunk, child));
        child = at;
    }
    let old = (root as u64).to_le_bytes();
    let named: Vec<usize> =
        (0..bytes.len() - 8).filter(|&at| bytes[at..].starts_with(&old)).collect();
    assert_eq!(named.len(), 1, "the address of the index is in the file once");
    bytes[named[0]..named[0] + 8].copy_from_slice(&child.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let server = Server::new(folder.path());
    let source = nnz::open(server.url("bucket/m.h5")).unwrap().into_matrix().unwrap();
    // The size of arrays needs all of their index.
    let about = source.about().unwrap();
    assert!(about.bytes.is_none_or(|bytes| bytes < 1 << 20), "{about:?}");
}
