//! Damaged trees are errors: no panic, no endless loop, and memory as requested.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nnz_container::tree::open;
use nnz_testing::mutations::{mutate, rounds};

use crate::common::damaged::{self, DamagedFile};
use crate::common::tree_dump::{Golden, MEMORY, dump, golden};

/// Reads everything that can be read, and returns the time.
fn read_all(path: &Path) -> Duration {
    let started = Instant::now();
    let _ = dump(path);
    started.elapsed()
}

fn check_time(took: Duration, what: &str) {
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
}

#[test]
fn mutated_files_give_errors() {
    let mut random = damaged::random();
    let names = ["layouts.h5", "latest.h5", "anndata-0.5.h5ad", "anndata-0.7.h5ad", "loompy.loom"];
    for name in names.into_iter().chain(["classic.nc", "numpy.npz", "anndata-0.12.zarr.zip"]) {
        let original = std::fs::read(golden(name)).unwrap();
        let target = DamagedFile::new();
        for number in 0..rounds() * 5 {
            let mut bytes = original.clone();
            mutate(&mut bytes, &mut random);
            check_time(read_all(target.set(&bytes)), &format!("{name}, mutation {number}"));
        }
    }
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn mutated_stores_give_errors() {
    let mut random = damaged::random();
    let unpacked = Golden::unpack();
    for (store, _) in unpacked.paths.iter().filter(|(path, _)| path.is_dir()) {
        let mut all = Vec::new();
        files(store, &mut all);
        all.sort_unstable();
        for number in 0..rounds() * 5 {
            // Metadata is more interesting than chunks.
            let mut path = &all[random.below(all.len())];
            if random.below(3) > 0 {
                let metadata: Vec<_> = all
                    .iter()
                    .filter(|path| {
                        path.to_str().unwrap().contains("zarr.json")
                            || path.file_name().unwrap() == ".zarray"
                    })
                    .collect();
                path = metadata[random.below(metadata.len())];
            }
            let original = std::fs::read(path).unwrap();
            let mut bytes = original.clone();
            if bytes.is_empty() {
                continue;
            }
            mutate(&mut bytes, &mut random);
            std::fs::write(path, &bytes).unwrap();
            check_time(read_all(store), &format!("{}, mutation {number}", path.display()));
            std::fs::write(path, &original).unwrap();
        }
    }
}

/// Writes an array of version 2 to a store.
fn store(shape: &str, chunks: &str, dtype: &str, fill: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    let metadata = format!(
        r#"{{"zarr_format": 2, "shape": {shape}, "chunks": {chunks}, "dtype": "{dtype}",
        "order": "C", "fill_value": {fill}, "compressor": {{"id": "zlib"}}, "filters": null}}"#
    );
    std::fs::write(dir.path().join("a/.zarray"), metadata).unwrap();
    dir
}

#[test]
fn memory_is_proportional_to_the_request() {
    let huge = "[1099511627776, 1048576]";
    for chunks in ["[1, 1048576]", "[1099511627776, 1]", "[1, 1]", "[1024, 1024]"] {
        let dir = store(huge, chunks, "<i4", "3");
        let root = open(dir.path(), "").unwrap();
        let array = root.array("a").unwrap();
        let some = array.read(&[5_000_000_000..5_000_000_003, 7..9], MEMORY).unwrap();
        assert_eq!(some, nnz_core::Values::I32(vec![3; 6]));
        assert!(!array.is_fully_stored().unwrap());
        assert_eq!(array.stored_bytes().unwrap(), 0);
        array.read(&array.all(), MEMORY).unwrap_err();
    }
    // A chunk whose stored size is far too small.
    let dir = store("[1048576, 1048576]", "[1048576, 1048576]", "<i8", "0");
    std::fs::write(dir.path().join("a/0.0"), [0; 100]).unwrap();
    let array = open(dir.path(), "").unwrap().array("a").unwrap();
    let error = array.read(&[0..1, 0..1], MEMORY).unwrap_err().to_string();
    assert!(error.contains("bytes for a chunk of"), "{error}");
    // Strings that are not stored.
    let dir = store(huge, "[1, 1048576]", "<U2", "\"ab\"");
    let array = open(dir.path(), "").unwrap().array("a").unwrap();
    let few = array.strings(&[0..1, 0..2], MEMORY).unwrap();
    assert_eq!(few.iter().collect::<Vec<_>>(), [b"ab", b"ab"]);
    let error = array.read_strings(&array.all()).map(drop).unwrap_err().to_string();
    assert!(error.contains("some are not stored"), "{error}");
    for shape in ["[18446744073709551615, 2]", "[1, 2, 3]", "[-1, 1]", "[1.5, 1]"] {
        let dir = store(shape, "[1, 1]", "<i4", "3");
        open(dir.path(), "").unwrap().array("a").unwrap_err();
    }
}

#[test]
#[cfg(unix)]
fn links_out_of_a_store_are_not_followed() {
    let dir = store("[1]", "[1]", "<i4", "3");
    std::os::unix::fs::symlink(dir.path(), dir.path().join("a link")).unwrap();
    let root = open(dir.path(), "").unwrap();
    let kinds: Vec<_> = root.children().unwrap().into_iter().map(|child| child.name).collect();
    assert_eq!(kinds, ["a", "a link"]);
    for name in ["a link", "a link/a", "../a", "a/../../x", "/a link/"] {
        root.group(name).unwrap_err();
        root.array(name).unwrap_err();
        open(dir.path(), name).unwrap_err();
    }
}
