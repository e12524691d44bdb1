//! Files and directories, as a storage.

use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;

use nnz::Context;
use nnz_remote::{RemoteStorage, StorageOptions};
use nnz_storage::{EntryKind, Storage, TaskContext};
use nnz_testing::server::{Behavior, Server};

/// Bytes that differ by position.
fn bytes(len: usize) -> Vec<u8> {
    let words = (0_u32..).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes());
    words.take(len).collect()
}

fn served(len: usize) -> (tempfile::TempDir, Server, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let data = bytes(len);
    std::fs::create_dir_all(folder.path().join("bucket/d/e")).unwrap();
    std::fs::write(folder.path().join("bucket/x.bin"), &data).unwrap();
    std::fs::write(folder.path().join("bucket/d/a"), "first").unwrap();
    std::fs::write(folder.path().join("bucket/d/empty"), "").unwrap();
    std::fs::write(folder.path().join("bucket/d/e/f"), "deep").unwrap();
    let server = Server::new(folder.path());
    (folder, server, data)
}

fn s3(server: &Server) -> RemoteStorage {
    let options = StorageOptions::new().with("endpoint", server.endpoint()).with("anon", "true");
    RemoteStorage::with_options(options.with("region", "us-east-1"))
}

#[test]
fn any_range_is_read_from_the_web_and_from_s3() {
    let (_folder, server, data) = served(1 << 20);
    let url = server.url("bucket/x.bin");
    let places = [(RemoteStorage::new(), url.as_str()), (s3(&server), "s3://bucket/x.bin")];
    for (storage, path) in places {
        let file = storage.open(Path::new(path)).unwrap();
        assert_eq!(file.len(), 1 << 20);
        for (at, len) in [(0, 10), (65_530, 20), (900_000, 1), (1 << 19, 300_000), (0, 1 << 20)] {
            let mut out = vec![0; len];
            file.read_exact_at(&mut out, at).unwrap();
            let at = usize::try_from(at).unwrap();
            assert!(out == data[at..at + len], "{path} {at} {len}");
        }
        assert_eq!(file.read_at(&mut [0; 8], 1 << 20).unwrap(), 0);
        let fetched: u64 = server.take_log().iter().map(|one| one.bytes).sum();
        assert!(fetched < (1 << 20) + 2000, "{fetched} bytes for {path}");
    }
}

#[test]
fn what_is_read_in_order_takes_few_requests() {
    let (_folder, server, data) = served(40 << 20);
    let storage = RemoteStorage::new();
    let mut all = Vec::new();
    let path = server.url("bucket/x.bin");
    storage.open_stream(Path::new(&path)).unwrap().read_to_end(&mut all).unwrap();
    assert!(all == data);
    let log = server.take_log();
    assert!(log.len() <= 16, "{} requests", log.len());
    assert_eq!(log.iter().map(|one| one.bytes).sum::<u64>(), 40 << 20);
}

#[test]
fn announced_ranges_are_fetched_together_and_once() {
    let (_folder, server, data) = served(16 << 20);
    let file = RemoteStorage::new().open(Path::new(&server.url("bucket/x.bin"))).unwrap();
    server.take_log();
    // Ten groups of ten ranges that are close to each other.
    let ranges: Vec<_> =
        (0..100_u64).map(|n| n / 10 * 1_500_000 + n % 10 * 2000 + 200_000).collect();
    file.will_read_all(&ranges.iter().map(|at| *at..at + 100).collect::<Vec<_>>());
    for at in ranges {
        let mut out = [0; 100];
        file.read_exact_at(&mut out, at).unwrap();
        let at = usize::try_from(at).unwrap();
        assert_eq!(out, data[at..at + 100]);
    }
    let log = server.take_log();
    assert_eq!(log.len(), 10);
    assert_eq!(log.iter().map(|one| one.bytes).sum::<u64>(), 10 * 18_100);
}

#[test]
fn eight_threads_fetch_nothing_twice() {
    let (_folder, server, data) = served(8 << 20);
    let file = RemoteStorage::new().open(Path::new(&server.url("bucket/x.bin"))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let (file, data) = (&file, &data);
            scope.spawn(move || {
                for n in 0..500_u64 {
                    let at = (n * 7919 + thread * 104_729) * 97 % ((8 << 20) - 64);
                    let mut out = [0; 64];
                    file.read_exact_at(&mut out, at).unwrap();
                    let at = usize::try_from(at).unwrap();
                    assert_eq!(out, data[at..at + 64]);
                }
            });
        }
    });
    let fetched: u64 = server.take_log().iter().map(|one| one.bytes).sum();
    assert!(fetched <= 8 << 20, "{fetched}");
}

#[test]
fn a_prefix_is_a_directory_and_its_names_are_asked_for_once() {
    let (_folder, server, _) = served(10);
    let storage = s3(&server);
    let found = storage.metadata(Path::new("s3://bucket/d")).unwrap();
    assert_eq!(found.kind, EntryKind::Directory);
    let directory = storage.open_directory(Path::new("s3://bucket/d/")).unwrap();
    let mut names = Vec::new();
    let mut each = |entry: nnz_storage::ListedEntry| {
        names.push((entry.name.into_string().unwrap(), entry.kind));
        Ok(true)
    };
    directory.list(Path::new(""), &mut each).unwrap();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    let expected =
        [("a", EntryKind::File), ("e", EntryKind::Directory), ("empty", EntryKind::File)];
    assert_eq!(names, expected.map(|(name, kind)| (name.to_owned(), kind)));
    // One for the key, one for what is below.
    assert_eq!(server.take_log().len(), 2);
    assert_eq!(directory.metadata(Path::new("a")).unwrap().len, 5);
    assert!(directory.open(Path::new("empty")).unwrap().is_empty());
    assert_eq!(directory.open(Path::new("none")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(server.take_log(), []);
    let inner = directory.open_directory(Path::new("e")).unwrap();
    let mut out = [0; 4];
    inner.open(Path::new("f")).unwrap().read_exact_at(&mut out, 0).unwrap();
    assert_eq!(&out, b"deep");
    assert_eq!(server.take_log().len(), 1);
    let none = storage.metadata(Path::new("s3://bucket/none")).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::NotFound);
}

#[test]
fn faults_of_a_server_are_overcome() {
    let (_folder, server, data) = served(6 << 20);
    let faults = [
        Behavior { fail_every: Some(3), ..Behavior::default() },
        Behavior { cut_every: Some(3), ..Behavior::default() },
    ];
    for behavior in faults {
        server.set(behavior.clone());
        let url = server.url("bucket/x.bin");
        for (storage, path) in
            [(RemoteStorage::new(), url.as_str()), (s3(&server), "s3://bucket/x.bin")]
        {
            let mut all = Vec::new();
            storage.open_stream(Path::new(path)).unwrap().read_to_end(&mut all).unwrap();
            assert!(all == data, "{path} {behavior:?}");
        }
    }
}

#[test]
fn a_server_without_ranges_is_copied_as_it_is_read() {
    let (_folder, server, data) = served(3 << 20);
    let path = server.url("bucket/x.bin");
    for no_length in [false, true] {
        server.set(Behavior { no_ranges: true, no_length, ..Behavior::default() });
        let file = RemoteStorage::new().open(Path::new(&path)).unwrap();
        assert_eq!(file.len(), 3 << 20);
        let mut out = vec![0; 1 << 20];
        file.read_exact_at(&mut out, 2 << 20).unwrap();
        assert!(out == data[2 << 20..]);
        file.read_exact_at(&mut out[..100], 5).unwrap();
        assert_eq!(out[..100], data[5..105]);
        assert_eq!(server.take_log().len(), 1);
    }
    server.set(Behavior { no_ranges: true, cut_every: Some(2), ..Behavior::default() });
    for _ in 0..2 {
        let mut all = Vec::new();
        let mut stream = RemoteStorage::new().open_stream(Path::new(&path)).unwrap();
        stream.read_to_end(&mut all).unwrap();
        assert!(all == data);
    }
    let limited = StorageOptions::new().with("spool_limit", "1000");
    let refused = RemoteStorage::with_options(limited).open(Path::new(&path)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert!(refused.to_string().contains("does not support range requests"), "{refused}");
}

#[test]
fn an_object_that_changes_is_an_error() {
    let (folder, server, data) = served(2 << 20);
    let url = server.url("bucket/x.bin");
    for (storage, path) in
        [(RemoteStorage::new(), url.as_str()), (s3(&server), "s3://bucket/x.bin")]
    {
        let file = storage.open(Path::new(path)).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(folder.path().join("bucket/x.bin"), &data).unwrap();
        let error = file.read_exact_at(&mut [0; 10], 1 << 20).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StaleNetworkFileHandle, "{error}");
        assert_eq!(error.to_string(), "changed while it was read");
    }
}

#[test]
fn secrets_are_sent_and_not_shown() {
    let (_folder, server, _) = served(200_000);
    let query = "X-Amz-Signature=hush&x=1";
    server.set(Behavior { query: Some(query.to_owned()), ..Behavior::default() });
    let path = server.url(&format!("bucket/x.bin?{query}"));
    let storage = RemoteStorage::new();
    let file = storage.open(Path::new(&path)).unwrap();
    file.read_exact_at(&mut [0; 10], 100_000).unwrap();
    assert!(!format!("{storage:?} {file:?}").contains("hush"));
    let shown = storage.shown(Path::new(&path));
    assert_eq!(shown.to_str().unwrap(), server.url("bucket/x.bin"));
    let beside = storage.sidecar(Path::new(&path), ".tbi");
    assert_eq!(beside.to_str().unwrap(), server.url(&format!("bucket/x.bin.tbi?{query}")));
    // `hush` as the base64 of a header.
    let header = "Authorization: Basic dXNlcjpodXNo".to_owned();
    server.set(Behavior { header: Some(header), ..Behavior::default() });
    let path = server.url("bucket/x.bin").replace("http://", "http://user:hush@");
    storage.open(Path::new(&path)).unwrap();
    let denied = storage.open(Path::new(&server.url("bucket/x.bin"))).unwrap_err();
    assert_eq!(denied.kind(), ErrorKind::PermissionDenied);
    let options = StorageOptions::new().with("aws_secret_access_key", "hush");
    assert!(!format!("{options:?}").contains("hush"));
}

#[test]
fn nothing_waits_for_ever_once_it_is_cancelled() {
    let (_folder, server, _) = served(1 << 20);
    server.set(Behavior { stall: true, ..Behavior::default() });
    let token = nnz_core::Cancellation::new();
    let context = TaskContext::default().with_cancellation(token.clone());
    let storage = RemoteStorage::new().in_context(&context).unwrap();
    let path = server.url("bucket/x.bin");
    let waiting = std::thread::spawn(move || storage.open(Path::new(&path)).unwrap_err());
    std::thread::sleep(Duration::from_millis(200));
    token.cancel();
    let error = nnz_core::Error::io(Path::new("x"), waiting.join().unwrap());
    assert!(matches!(error.kind(), nnz_core::ErrorKind::Cancelled), "{error}");
}

#[test]
fn an_operation_that_waits_ends_once_it_is_cancelled() {
    for threads in [1, 4] {
        let (_folder, server) = crate::counts::served("m.bpcells");
        let at = server.url("bucket/m.bpcells");
        let token = nnz_core::Cancellation::new();
        let context = Context::default().with_threads(threads).with_cancellation(token.clone());
        let options = nnz::ReadOptions::default();
        let source = context.open(&at).unwrap().into_matrix().unwrap();
        server.set(Behavior { stall: true, ..Behavior::default() });
        server.take_log();
        let reading = context.clone();
        let waiting = std::thread::spawn(move || {
            nnz::engine::read(&*source, &options, &reading).unwrap_err()
        });
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished());
        let started = std::time::Instant::now();
        token.cancel();
        let error = waiting.join().unwrap();
        assert!(matches!(error.kind(), nnz_core::ErrorKind::Cancelled), "{error}");
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        // So does one that opens its source.
        let options = nnz::ReadOptions::default();
        let error = nnz::read(at.as_str(), &options, &context).unwrap_err();
        assert!(matches!(error.kind(), nnz_core::ErrorKind::Cancelled), "{error}");
    }
}

#[test]
fn unknown_options_and_servers_are_errors() {
    let odd = RemoteStorage::with_options(StorageOptions::new().with("regionn", "x"));
    let error = odd.open(Path::new("s3://bucket/x")).unwrap_err().to_string();
    assert_eq!(error, "unknown storage option \"regionn\"");
    for endpoint in ["", "localhost:9000"] {
        let odd = RemoteStorage::with_options(StorageOptions::new().with("endpoint", endpoint));
        let error = odd.open(Path::new("s3://bucket/x")).unwrap_err().to_string();
        assert_eq!(error, "the endpoint must start with https:// or http://");
    }
    let started = std::time::Instant::now();
    let error = RemoteStorage::new().open(Path::new("http://127.0.0.1:9/x")).unwrap_err();
    assert!(error.to_string().starts_with("connection failed"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
}
