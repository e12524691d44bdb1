//! Damaged NumPy and Zarr files are errors: no panic, no endless loop, and no memory for data that
//! does not exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nnz_container::NamedArrays;
#[cfg(feature = "zarr")]
use nnz_container::zarr::groups_with;
use nnz_testing::allocations;
use nnz_testing::mutations::{mutate, rounds};
use nnz_testing::random::Random;

/// The files of a store by path; a single file has an empty path.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(folder)
}

fn load(path: &Path) -> Files {
    let mut files = Files::new();
    let mut queue = vec![PathBuf::new()];
    while let Some(inner) = queue.pop() {
        let full = path.join(&inner);
        if full.is_file() {
            files.insert(inner, std::fs::read(&full).unwrap());
            continue;
        }
        for entry in std::fs::read_dir(&full).unwrap() {
            queue.push(inner.join(entry.unwrap().file_name()));
        }
    }
    files
}

/// Reads everything that can be read. The memory of its own buffer is not counted.
fn read_all(container: &NamedArrays, only: Option<&str>) {
    let members = container.members().unwrap_or_default();
    for name in members.iter().map(String::as_str).filter(|name| only.is_none_or(|o| o == *name)) {
        let _ = (container.attribute(name), container.strings_size(name));
        let _ = container.for_each_string(name, &mut |_| Ok(()));
        let Ok(array) = container.array(name) else { continue };
        let size = array.value_type().size();
        let all = array.len().checked_mul(size as u64).unwrap();
        assert!(all <= 256 << 20, "{name}: a length of {all} bytes is accepted");
        let mut block = vec![0; 4096 * size];
        let mut first = 0;
        while first < array.len() {
            let now = usize::try_from(array.len() - first).unwrap().min(4096);
            if array.read_bytes(first, &mut block[..now * size]).is_err() {
                break;
            }
            first += now as u64;
        }
        let _ = array.read_bytes(array.len() / 2, &mut block[..size]);
        assert!(array.read_bytes(array.len(), &mut block[..size]).is_err());
        let _ = (array.stored_bytes(), array.trailing_bytes());
    }
}

/// Runs a case with limits of time and memory.
fn bounded(what: &str, most: u64, case: impl FnOnce()) {
    let (start, baseline) = (Instant::now(), allocations::start());
    case();
    let (peak, _) = allocations::since(&baseline);
    assert!(peak <= most, "{what}: {peak} bytes of memory");
    assert!(start.elapsed() < Duration::from_secs(20), "{what}: {:?}", start.elapsed());
}

#[test]
fn mutated_npz_files_give_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.npz");
    let mut originals: Vec<PathBuf> = Vec::new();
    for folder in ["binsparse/valid/py", "binsparse/malformed", "numpy"] {
        let files = std::fs::read_dir(root(folder)).unwrap().map(|entry| entry.unwrap().path());
        originals.extend(files.filter(|path| path.extension().is_some_and(|e| e == "npz")));
    }
    originals.sort();
    assert!(originals.len() > 30);
    for (seed, original) in (1..).zip(originals) {
        let valid = std::fs::read(&original).unwrap();
        let mut random = Random::new(seed);
        for case in 0..rounds() {
            let mut bytes = valid.clone();
            mutate(&mut bytes, &mut random);
            std::fs::write(&path, &bytes).unwrap();
            bounded(&format!("{original:?} {case}"), 4 << 20, || {
                if let Ok(npz) = crate::common::open_npz(&path) {
                    read_all(&npz, None);
                }
            });
        }
    }
}

#[test]
fn mutated_npy_files_give_errors() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(3);
    let originals = load(&root("numpy/directory"));
    for case in 0..rounds() * 10 {
        for (name, bytes) in &originals {
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut random);
            // The header is the most interesting part.
            let front = bytes.len().min(128);
            if front > 0 {
                bytes[random.below(front)] = random.next() as u8;
            }
            std::fs::write(dir.path().join(name), &bytes).unwrap();
        }
        bounded(&format!("{case}"), 4 << 20, || {
            read_all(&crate::common::open_npy(dir.path()).unwrap(), None);
        });
    }
}

#[cfg(feature = "zarr")]
#[test]
fn mutated_zarr_stores_give_errors() {
    let mut stores: Vec<PathBuf> = Vec::new();
    for folder in ["binsparse/valid/py", "binsparse/valid/hand", "zarr"] {
        let files = std::fs::read_dir(root(folder)).unwrap().map(|entry| entry.unwrap().path());
        stores.extend(files.filter(|path| path.extension().is_some_and(|e| e == "zarr")));
    }
    stores.sort();
    assert!(stores.len() > 15);
    for (seed, original) in (1..).zip(stores) {
        let dir = tempfile::tempdir().unwrap();
        let files = load(&original);
        for (name, bytes) in &files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let mut random = Random::new(seed);
        for case in 0..rounds() / 2 {
            for (name, valid) in &files {
                // One file at a time, and one in five of large stores.
                if files.len() > 100 && random.below(5) > 0 {
                    continue;
                }
                let mut bytes = valid.clone();
                mutate(&mut bytes, &mut random);
                std::fs::write(dir.path().join(name), &bytes).unwrap();
                let array = name.components().next().unwrap().as_os_str().to_string_lossy();
                let only = name.components().nth(1).is_some().then_some(&*array);
                bounded(&format!("{original:?} {name:?} {case}"), 80 << 20, || {
                    let _ = groups_with(dir.path(), &["binsparse"]);
                    if let Ok(zarr) =
                        nnz_container::zarr::ZarrGroup::with_threads(dir.path(), "", 1)
                            .map(NamedArrays::new)
                    {
                        read_all(&zarr, only);
                    }
                });
                std::fs::write(dir.path().join(name), valid).unwrap();
            }
        }
    }
}
