//! Every place that is read locally is read from a server, with the same result.

use std::path::{Path, PathBuf};

use nnz_testing::server::{Behavior, Server};

/// Says what a place holds: what opening, printing and checking it gives.
fn described(location: &str, root: &str) -> String {
    let mut said = String::new();
    let mut note = |what: &str, result: Result<String, nnz::Error>| {
        let text = match result {
            Ok(text) => text,
            Err(error) => format!("error: {error}"),
        };
        said.push_str(&format!("{what}: {}\n", text.replace(root, "ROOT/")));
    };
    let at = nnz::Location::parse(location);
    let mut printed = Vec::new();
    note("cat", nnz::cat(&at, &nnz::CatOptions::default(), &mut printed).map(|_| String::new()));
    note("text", Ok(format!("{:x}", hash(&printed))));
    said
}

fn hash(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Lists what is in `testdata` and can be opened: files, and directories that are stores.
fn samples(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(&directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                let marks = ["version", "zarr.json", ".zgroup", "binsparse.json", ".zattrs"];
                let is_store = marks.iter().any(|mark| path.join(mark).exists());
                if is_store {
                    found.push(path);
                } else {
                    left.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Compares all samples, as they are locally and on a server.
fn compare(behavior: &Behavior, pick: impl Fn(usize) -> bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").canonicalize().unwrap();
    let server = Server::with(&root, behavior.clone());
    let mut different = Vec::new();
    let local_root = format!("{}/", root.display());
    let url_root = server.url("");
    for (_, path) in samples(&root).iter().enumerate().filter(|(number, _)| pick(*number)) {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let local = described(path.to_str().unwrap(), &local_root);
        let remote = described(&server.url(name), &url_root);
        if local != remote {
            different.push(format!("{name}\n  {local}  {remote}"));
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

#[test]
fn every_sample_gives_the_same_from_a_server() {
    compare(&Behavior::default(), |_| true);
}

#[test]
fn every_sample_gives_the_same_where_requests_fail() {
    compare(&Behavior { fail_every: Some(20), ..Behavior::default() }, |number| number % 4 == 0);
    compare(&Behavior { cut_every: Some(20), ..Behavior::default() }, |number| number % 4 == 1);
}
