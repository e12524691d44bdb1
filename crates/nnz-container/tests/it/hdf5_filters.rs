//! Filters in any order, with checksums at any position.

use std::path::{Path, PathBuf};

use nnz_container::Vector;
use serde_json::Value;

/// The decoded size of a chunk.
const CHUNK: usize = 64 * 4;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/hdf5")
}

fn manifest() -> Value {
    serde_json::from_slice(&std::fs::read(root().join("filters.json")).unwrap()).unwrap()
}

/// The elements of every dataset of the file.
fn expected(manifest: &Value) -> Vec<i32> {
    let values = manifest["values"].as_array().unwrap().iter();
    values.map(|value| i32::try_from(value.as_i64().unwrap()).unwrap()).collect()
}

/// The names of the datasets, and the offset, length and skipped filters of each chunk.
fn datasets(manifest: &Value) -> Vec<(String, Vec<[usize; 3]>)> {
    let chunks = manifest["chunks"].as_object().unwrap().iter();
    chunks
        .map(|(name, chunks)| (name.clone(), serde_json::from_value(chunks.clone()).unwrap()))
        .collect()
}

fn read(path: &Path, name: &str) -> nnz_core::Result<Vec<i32>> {
    let array: Vector = crate::common::open_hdf5(path, "")?.array(name)?;
    let mut bytes = vec![0; usize::try_from(array.len()).unwrap() * 4];
    array.read_bytes(0, &mut bytes)?;
    Ok(bytes.chunks(4).map(|four| i32::from_ne_bytes(four.try_into().unwrap())).collect())
}

#[test]
fn chunks_are_decoded_with_filters_in_any_order() {
    let manifest = manifest();
    let values = expected(&manifest);
    let datasets = datasets(&manifest);
    assert_eq!(datasets.len(), 40);
    assert!(datasets.iter().any(|(_, chunks)| chunks[1][2] != 0), "no chunk skips a filter");
    for (name, _) in datasets {
        let found = read(&root().join("filters.h5"), &name);
        assert_eq!(found.unwrap_or_else(|error| panic!("{error}")), values, "{name}");
    }
}

#[test]
fn changed_bytes_fail_the_checksum() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged.h5");
    let valid = std::fs::read(root().join("filters.h5")).unwrap();
    let manifest = manifest();
    let values = expected(&manifest);
    let mut refused = 0;
    for (name, chunks) in datasets(&manifest) {
        if !name.contains("fletcher32") {
            continue;
        }
        let last = name.ends_with("fletcher32");
        for (number, [offset, length, skipped]) in chunks.into_iter().enumerate() {
            // Stored unchanged, except for checksums.
            let plain = length % CHUNK > 0 && length / CHUNK == 1 && skipped > 0;
            for at in (0..length).step_by(23).chain([length - 1]) {
                let mut damaged = valid.clone();
                damaged[offset + at] ^= 0x10;
                std::fs::write(&path, damaged).unwrap();
                match read(&path, &name) {
                    Err(error) => {
                        let element =
                            format!("{name}, element {}: found a damaged chunk", number * 64);
                        assert!(error.to_string().contains(&element), "{error}");
                        if last {
                            assert!(error.to_string().contains("checksum"), "{error}");
                        }
                        refused += 1;
                    }
                    // Some bits of a compressed stream have no meaning.
                    Ok(found) => assert!(!last && !plain && found == values, "{name}, byte {at}"),
                }
            }
        }
    }
    assert!(refused > 200, "{refused} damaged files were refused");
}
