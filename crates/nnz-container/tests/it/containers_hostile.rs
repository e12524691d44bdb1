//! Damaged files of NumPy and Zarr give errors: no panic, no hang, no memory beyond what is there.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "of what counts allocations"
)]

#[path = "../../nnz/tests/common/allocations.rs"]
#[allow(unreachable_pub)]
mod allocations;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nnz_container::Container;
use nnz_container::npy::NpyDirectory;
use nnz_container::npz::Npz;
#[cfg(feature = "zarr")]
use nnz_container::zarr::{Zarr, groups_with};

/// Files of a store by their paths in it; a single file has none.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A generator of numbers that need not be good.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }
}

/// Bytes that mean the most where a length or a place is expected, in binary and in text.
const NASTY: [&[u8]; 12] = [
    &[0xff; 8],
    &[0; 4],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0, 0, 0, 0, 1, 0, 0, 0],
    &[0xff],
    &[0x80],
    b"9999999999",
    b"18446744073709551615",
    b"-1",
    b"{",
    b"[]",
    b"null",
];

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(folder)
}

fn count() -> usize {
    std::env::var("NNZ_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(20)
}

fn load(path: &Path) -> Files {
    let mut files = Files::new();
    let mut ahead = vec![PathBuf::new()];
    while let Some(inner) = ahead.pop() {
        let full = path.join(&inner);
        if full.is_file() {
            files.insert(inner, std::fs::read(&full).unwrap());
            continue;
        }
        for entry in std::fs::read_dir(&full).unwrap() {
            ahead.push(inner.join(entry.unwrap().file_name()));
        }
    }
    files
}

fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    match numbers.next(8) {
        0 => bytes.truncate(numbers.next(bytes.len())),
        1 => {
            let more = [1, 4, 512][numbers.next(3)];
            bytes.resize(bytes.len() + more, u8::try_from(numbers.next(256)).unwrap());
        }
        2 => {
            // A part of the file in a wrong place.
            let len = numbers.next(256).min(bytes.len() / 2);
            let (from, to) = (numbers.next(bytes.len() - len), numbers.next(bytes.len() - len));
            bytes.copy_within(from..from + len, to);
        }
        3 => {
            let nasty = NASTY[numbers.next(NASTY.len())];
            let at = numbers.next(bytes.len());
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            bytes.splice(at..at + digits, nasty.iter().copied());
        }
        _ => {
            for _ in 0..=numbers.next(4) {
                let at = numbers.next(bytes.len());
                let nasty = NASTY[numbers.next(NASTY.len())];
                match (numbers.next(2), bytes.get_mut(at)) {
                    (_, None) => {}
                    (0, Some(byte)) => *byte ^= 1 << numbers.next(8),
                    (_, Some(_)) => {
                        let end = (at + nasty.len()).min(bytes.len());
                        bytes[at..end].copy_from_slice(&nasty[..end - at]);
                    }
                }
            }
        }
    }
}

/// Reads whatever can be read. The memory for it is the reader's, and is not counted.
fn read_all(container: &dyn Container, only: Option<&str>) {
    let members = container.members().unwrap_or_default();
    for name in members.iter().map(String::as_str).filter(|name| only.is_none_or(|o| o == *name)) {
        let _ = (container.attribute(name), container.strings_size(name));
        let _ = container.for_each_string(name, &mut |_| Ok(()));
        let Ok(array) = container.array(name) else { continue };
        let size = array.value_type().size();
        let all = array.len().checked_mul(size as u64).unwrap();
        assert!(all <= 256 << 20, "{name}: a length of {all} bytes is believed");
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

/// Runs a case, which may take neither long nor much memory.
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
        let sound = std::fs::read(&original).unwrap();
        let mut numbers = Numbers(seed);
        for case in 0..count() {
            let mut bytes = sound.clone();
            mutate(&mut bytes, &mut numbers);
            std::fs::write(&path, &bytes).unwrap();
            bounded(&format!("{original:?} {case}"), 4 << 20, || {
                if let Ok(npz) = Npz::open(&path) {
                    read_all(&npz, None);
                }
            });
        }
    }
}

#[test]
fn mutated_npy_files_give_errors() {
    let dir = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(3);
    let originals = load(&root("numpy/directory"));
    for case in 0..count() * 10 {
        for (name, bytes) in &originals {
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut numbers);
            // Headers are where it counts.
            let front = bytes.len().min(128);
            if front > 0 {
                bytes[numbers.next(front)] = u8::try_from(numbers.next(256)).unwrap();
            }
            std::fs::write(dir.path().join(name), &bytes).unwrap();
        }
        bounded(&format!("{case}"), 4 << 20, || {
            read_all(&NpyDirectory::open(dir.path()).unwrap(), None);
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
        let mut numbers = Numbers(seed);
        for case in 0..count() / 2 {
            for (name, sound) in &files {
                // One file after the other, and of large stores one in five each time.
                if files.len() > 100 && !numbers.next(100).is_multiple_of(5) {
                    continue;
                }
                let mut bytes = sound.clone();
                mutate(&mut bytes, &mut numbers);
                std::fs::write(dir.path().join(name), &bytes).unwrap();
                let array = name.components().next().unwrap().as_os_str().to_string_lossy();
                let only = name.components().nth(1).is_some().then_some(&*array);
                bounded(&format!("{original:?} {name:?} {case}"), 80 << 20, || {
                    let _ = groups_with(dir.path(), &["binsparse"]);
                    if let Ok(zarr) = Zarr::open(dir.path(), "") {
                        read_all(&zarr.with_threads(1), only);
                    }
                });
                std::fs::write(dir.path().join(name), sound).unwrap();
            }
        }
    }
}
