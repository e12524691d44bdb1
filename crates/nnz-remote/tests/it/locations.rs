//! Every place that is read locally is read from a server, with the same result.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nnz::Context;
use nnz_testing::server::{Behavior, Server};

/// Says what a place holds: what opening, printing and checking it gives.
fn described(location: &str, root: &str, context: &Context) -> String {
    use std::fmt::Write as _;
    let mut said = String::new();
    let mut note = |what: &str, result: Result<String, nnz::Error>| {
        let text = match result {
            Ok(text) => text,
            Err(error) => format!("error: {error}"),
        };
        let _ = writeln!(said, "{what}: {}", text.replace(root, "ROOT/"));
    };
    let at = nnz::Location::parse(location);
    let mut printed = Vec::new();
    let entries = context.open(&at).and_then(|dataset| match dataset {
        nnz::Dataset::Matrix(matrix) => {
            nnz::engine::cat(&*matrix, &nnz::CatOptions::default(), context, &mut printed)?;
            Ok(String::new())
        }
        nnz::Dataset::Tensor(tensor) => {
            tensor.cat(&nnz::CatOptions::default(), context, &mut printed)?;
            Ok(String::new())
        }
        _ => Ok("something else".to_owned()),
    });
    note("entries", entries);
    let mut findings = Vec::new();
    let options = nnz::ValidateOptions::default();
    let checked =
        nnz::validate(&at, &options, context, &mut |finding| findings.push(finding.to_string()));
    note("check", checked.map(|_| findings.join("\n")));
    note("text", Ok(format!("{} bytes, {:x}", printed.len(), hash(&printed))));
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

/// Returns whether results differ only because web servers do not list directories: checking a store needs a list,
/// and Zarr without consolidated metadata is found by one.
fn is_unlisted(path: &Path, local: &str, remote: &str) -> bool {
    let says = |line: &str| line.contains("web servers do not support listing");
    let is_zarr = [".zgroup", ".zattrs", "zarr.json"].iter().any(|name| path.join(name).exists());
    let is_checked = |line: &str| line.starts_with("check: ") && says(line);
    if is_zarr && remote.lines().next().is_some_and(says) {
        return true;
    }
    let is_same = local.lines().next() == remote.lines().next();
    is_same && local.lines().last() == remote.lines().last() && remote.lines().any(is_checked)
}

/// Compares all samples, as they are locally and on a server; of another directory with `NNZ_GOLDEN`.
fn compare(behavior: &Behavior, pick: impl Fn(usize) -> bool + Sync) {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let root = std::env::var_os("NNZ_GOLDEN").map_or_else(own, PathBuf::from);
    let root = root.canonicalize().unwrap();
    let server = Server::with(&root, behavior.clone());
    let options = [("endpoint", server.endpoint()), ("anon", "1".into()), ("region", "x".into())];
    let options = options.map(|(name, value)| (name.to_owned(), value));
    let s3 = Context::default().with_storage_options(options.to_vec()).unwrap();
    // By default half of them each, with `cargo xtask test --full` both all.
    let all = nnz_testing::mutations::is_thorough();
    let local_root = format!("{}/", root.display());
    let url_root = server.url("");
    let compared = |number: usize, path: &Path| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let mut different = Vec::new();
        // Over a network, consolidated metadata is used without looking at the metadata of each array.
        if name.contains("consolidated_disagrees") {
            return different;
        }
        let local = described(path.to_str().unwrap(), &local_root, &Context::default());
        // The first part is the bucket, so that files beside the directories are in none.
        if name.contains('/') && (all || number.is_multiple_of(2)) {
            let remote = described(&format!("s3://{name}"), "s3://", &s3);
            if local != remote {
                different.push(format!("{name}\n  {local}  {remote}"));
            }
        }
        if all || !number.is_multiple_of(2) {
            let remote = described(&server.url(name), &url_root, &Context::default());
            if local != remote && !is_unlisted(path, &local, &remote) {
                different.push(format!("{name}\n  {local}  {remote}"));
            }
        }
        different
    };
    // Several at once, as most of the time is spent waiting after a failure.
    let samples = samples(&root);
    let left = Mutex::new(samples.iter().enumerate().filter(|(number, _)| pick(*number)));
    let different = std::thread::scope(|scope| {
        let work = || {
            let next = || left.lock().unwrap().next();
            std::iter::from_fn(next)
                .flat_map(|(number, path)| compared(number, path))
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

#[test]
fn every_sample_gives_the_same_from_a_server() {
    compare(&Behavior::default(), |_| true);
}

#[test]
fn every_sample_gives_the_same_where_requests_fail() {
    compare(&Behavior { fail_every: Some(20), ..Behavior::default() }, |number| number % 9 < 2);
    compare(&Behavior { cut_every: Some(20), ..Behavior::default() }, |number| number % 9 > 6);
}
