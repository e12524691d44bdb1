//! Web servers and buckets as they are: redirects, odd names, labels of encodings, regions.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use nnz_remote::{RemoteStorage, StorageOptions};
use nnz_storage::Storage as _;
use nnz_testing::server::{Behavior, Server};

/// A server with a file of a name in a bucket.
fn served(name: &str, data: &[u8]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bucket").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, data).unwrap();
    let server = Server::new(folder.path());
    (folder, server)
}

fn read(storage: &RemoteStorage, path: &str) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    storage.open_stream(Path::new(path))?.read_to_end(&mut all)?;
    Ok(all)
}

fn keys(server: &Server, region: Option<&str>) -> RemoteStorage {
    let options = StorageOptions::new()
        .with("endpoint", server.endpoint())
        .with("access_key_id", "AKIAEXAMPLE")
        .with("secret_access_key", "hush");
    RemoteStorage::with_options(match region {
        Some(region) => options.with("region", region),
        None => options,
    })
}

#[test]
fn redirects_are_followed_with_their_ranges() {
    let data: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    let (_folder, server) = served("x.bin", &data);
    server.set(Behavior { redirects: true, ..Behavior::default() });
    let url = server.url("moved/bucket/x.bin?sig=a");
    let file = RemoteStorage::new().open(Path::new(&url)).unwrap();
    let mut found = [0; 100];
    file.read_exact_at(&mut found, 200_000).unwrap();
    assert_eq!(found, data[200_000..200_100]);
    let log = server.take_log();
    assert!(log.iter().all(|one| one.range.is_some() && one.query == "sig=a"), "{log:?}");
}

#[test]
fn names_with_spaces_escapes_and_other_letters_are_requested_as_they_are() {
    for name in ["a b.bin", "ä/ö é.bin", "100% +&=.bin", "c#d.bin", "日本.bin"] {
        let (_folder, server) = served(name, b"something");
        let storage = keys(&server, Some("us-east-1"));
        let found = read(&storage, &format!("s3://bucket/{name}"));
        assert_eq!(found.unwrap(), b"something", "{name}");
        // In a URL, escapes are the same as the letters, except of those that end a path.
        let mut spellings = vec![escaped(name)];
        if !name.contains(['%', '#']) {
            spellings.push(name.to_owned());
        }
        for spelling in spellings {
            let url = server.url(&format!("bucket/{spelling}"));
            assert_eq!(read(&RemoteStorage::new(), &url).unwrap(), b"something", "{url}");
            let url = format!("{url}?a=b#part");
            assert_eq!(read(&RemoteStorage::new(), &url).unwrap(), b"something", "{url}");
        }
    }
}

fn escaped(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'.';
    let one = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(one).collect()
}

#[test]
fn a_compressed_file_with_a_label_of_its_encoding_is_read() {
    let (_folder, server) = served("x.mtx.gz", b"\x1f\x8bcompressed");
    server.set(Behavior { labels_gzip: true, ..Behavior::default() });
    let found = read(&RemoteStorage::new(), &server.url("bucket/x.mtx.gz"));
    assert_eq!(found.unwrap(), b"\x1f\x8bcompressed");
}

#[test]
fn empty_objects_have_no_bytes() {
    let (_folder, server) = served("empty", b"");
    assert_eq!(read(&RemoteStorage::new(), &server.url("bucket/empty")).unwrap(), b"");
    assert_eq!(read(&keys(&server, None), "s3://bucket/empty").unwrap(), b"");
    server.set(Behavior { no_ranges: true, ..Behavior::default() });
    assert_eq!(read(&RemoteStorage::new(), &server.url("bucket/empty")).unwrap(), b"");
}

#[test]
fn the_region_of_a_bucket_is_learned() {
    // The process remembers the region.
    let (folder, server) = served("x", b"something");
    std::fs::rename(folder.path().join("bucket"), folder.path().join("far-away")).unwrap();
    let region = Some("eu-north-1".to_owned());
    server.set(Behavior { region, ..Behavior::default() });
    for region in [None, Some("us-west-2")] {
        let storage = keys(&server, region);
        assert_eq!(read(&storage, "s3://far-away/x").unwrap(), b"something");
        let mut names = Vec::new();
        let mut note = |entry: nnz_storage::ListedEntry| {
            names.push(entry.name);
            Ok(true)
        };
        storage.list(Path::new("s3://far-away"), &mut note).unwrap();
        assert_eq!(names, ["x"]);
    }
    let log = server.take_log();
    let refused = log.iter().filter(|one| one.status == 301).count();
    assert!((1..=2).contains(&refused), "{log:?}");
}

#[test]
fn a_bucket_that_does_not_exist_is_named_as_such() {
    let (_folder, server) = served("x", b"something");
    let error = keys(&server, None).open(Path::new("s3://other-bucket/x")).err().unwrap();
    assert_eq!(error.to_string(), "no such bucket");
    let error = keys(&server, None).open(Path::new("s3://bucket/y")).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn credentials_that_are_wrong_are_named_as_such() {
    let (_folder, server) = served("x", b"something");
    server.set(Behavior { wrong_key: true, ..Behavior::default() });
    let error = keys(&server, None).open(Path::new("s3://bucket/x")).err().unwrap();
    assert_eq!(error.to_string(), "access denied by the server (InvalidAccessKeyId)");
    let half =
        RemoteStorage::with_options(StorageOptions::new().with("access_key_id", "AKIAEXAMPLE"));
    let error = half.open(Path::new("s3://bucket/x")).err().unwrap();
    assert_eq!(error.to_string(), "Missing SecretAccessKey");
    let none = RemoteStorage::with_options(StorageOptions::new().with("anon", "true"));
    let error = none.open(Path::new("az://container/x")).err().unwrap().to_string();
    assert!(error.starts_with("missing account"), "{error}");
    let error = RemoteStorage::new().open(Path::new("s3://key:hush@bucket/x")).err().unwrap();
    assert_eq!(error.to_string(), "pass credentials as storage options, not in a URL of s3://");
}

#[test]
fn unknown_options_are_errors_for_every_url() {
    let (_folder, server) = served("x", b"something");
    let odd = RemoteStorage::with_options(StorageOptions::new().with("regionn", "x"));
    for url in [server.url("bucket/x"), "s3://bucket/x".to_owned()] {
        let error = odd.open(Path::new(&url)).err().unwrap();
        assert_eq!(error.to_string(), "unknown storage option \"regionn\"");
    }
}
