//! Damaged files are errors: no panic, no endless loop, and no memory for data that does not exist.

use nnz_storage::TaskContext;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::Place;
use nnz_hdf5::{Dataset, File, FileOptions, LinkTarget, ObjectId, lookup3};
use nnz_storage::staging::WriteOptions;
use nnz_storage::{FaultyStorage, InputFile, LocalStorage, Opened};
use nnz_testing::mutations::rounds;
use nnz_testing::random::Random;
use nnz_testing::{allocations, hdf5, mutations, watchdog};

use crate::everything::read;

/// Files with more are mutated in other tests.
const LONGEST: u64 = 150_000;

/// The memory that a file of [`LONGEST`] bytes may take: an accepted length of a dataset, decoded chunks.
const MOST_MEMORY: u64 = 600 << 20;

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![testdata()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.metadata().unwrap().len() <= LONGEST {
                let bytes = std::fs::read(&path).unwrap();
                let at = [0, 512]
                    .iter()
                    .any(|at| bytes.get(*at..).is_some_and(|b| b.starts_with(b"\x89HDF\r\n")));
                found.extend(at.then_some(path));
            }
        }
    }
    found.sort();
    assert!(found.len() > 300, "{}", found.len());
    found
}

/// Adds a group to a file, which may be refused.
fn add(path: &Path) {
    let write = WriteOptions::default().overwrite(true).sync(false);
    for name in ["added", "g1"] {
        let options = FileOptions { threads: 1, track_order: true };
        let Ok((mut file, added)) =
            nnz_hdf5::FileChange::add(path, &[name], write.clone(), (options, true))
        else {
            continue;
        };
        let group = file.group(&added.names.join("/")).unwrap();
        file.set_attribute(group, "version", nnz_hdf5::Value::text("1")).unwrap();
        let before = std::fs::read(path).unwrap();
        match file.finish() {
            Ok(staged) => drop(staged.commit()),
            Err(_) => assert_eq!(std::fs::read(path).unwrap(), before),
        }
    }
}

/// Changes the root group of a file and its first group, which may be refused.
fn change(path: &Path) {
    let write = WriteOptions::default().sync(false);
    let options = FileOptions { threads: 1, track_order: false };
    let Ok(mut file) = nnz_hdf5::FileChange::open(path, &[], write, options) else { return };
    let before = std::fs::read(path).unwrap();
    let root = File::open(InputFile::open(path).unwrap()).unwrap().root().unwrap();
    let group = ObjectId::ROOT;
    for (at, link) in root.links().iter().flat_map(|links| links.iter()).enumerate() {
        match at % 3 {
            0 => drop(file.remove(group, &link.name)),
            _ => {
                if let Ok(inner) = file.open_group(group, &link.name) {
                    let _ = file.create_group(inner, "new");
                    let _ = file.set_attribute(inner, "new", nnz_hdf5::Value::text("1"));
                }
            }
        }
    }
    for attribute in root.attributes().iter().flatten().take(2) {
        let _ = file.remove_attribute(group, &attribute.name);
    }
    match file.finish() {
        Ok(staged) => drop(staged.commit()),
        Err(_) => assert_eq!(std::fs::read(path).unwrap(), before),
    }
}

#[test]
fn mutated_files_are_read_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mutated.h5");
    let (slot, root) = (watchdog::slot(), testdata());
    for original in files() {
        let bytes = std::fs::read(&original).unwrap();
        let structures = hdf5::structures(&bytes);
        let checked = hdf5::checked(&bytes, lookup3);
        for round in 0..rounds() {
            // The same mutations wherever the project is.
            let name = original.strip_prefix(&root).unwrap().display();
            let name = format!("{name}, round {round}");
            slot.begin(&name);
            let mut random = Random::of(&name, round);
            let mut mutated = bytes.clone();
            if round % 4 == 3 {
                mutations::mutate(&mut mutated, &mut random);
            } else {
                hdf5::mutate(&mut mutated, &structures, &mut random);
                hdf5::seal(&mut mutated, &checked, lookup3);
            }
            std::fs::write(&path, &mutated).unwrap();
            let baseline = allocations::start();
            let _ = read(&path);
            let (peak, _) = allocations::since(&baseline);
            assert!(peak < MOST_MEMORY, "{name}: {peak} bytes");
            if round % 4 == 0 {
                add(&path);
                let _ = read(&path);
                change(&path);
                let _ = read(&path);
            }
            slot.end();
        }
    }
}

#[test]
fn sealed_files_are_valid() {
    let mut count = 0;
    for path in files() {
        let bytes = std::fs::read(&path).unwrap();
        let checked = hdf5::checked(&bytes, lookup3);
        let mut sealed = bytes.clone();
        hdf5::seal(&mut sealed, &checked, lookup3);
        assert!(sealed == bytes, "{}", path.display());
        count += checked.len();
    }
    // So that mutations reach what checksums cover.
    assert!(count > 500, "{count}");
}

/// The bytes of a dataset whose data is in other files were not limited, and overflowed where its extent is checked.
#[test]
fn external_data_of_more_than_2_to_the_64_bytes_is_refused() {
    let mut bytes = std::fs::read(testdata().join("hdf5/neighbours_earliest.h5")).unwrap();
    // Its length and its greatest length, in the dataspace.
    for at in [7336, 7344] {
        assert_eq!(bytes[at..at + 8], 4_u64.to_le_bytes());
        bytes[at..at + 8].copy_from_slice(&(1_u64 << 62).to_le_bytes());
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.h5");
    std::fs::write(&path, &bytes).unwrap();
    let root = File::open(InputFile::open(&path).unwrap()).unwrap().root().unwrap();
    let opened = Dataset::open(&root.open("external").unwrap(), Place::default(), 1);
    assert!(opened.err().unwrap().to_string().contains("2^64 bytes"));
}

/// A failed read of a committed type was an attribute of an unsupported type, which readers leave out.
#[test]
fn failed_reads_are_no_unsupported_attributes() {
    // Of all attributes whose values can be read.
    let count = |storage: FaultyStorage, path: &Path| -> nnz_core::Result<usize> {
        let context = TaskContext::default().with_storage(Arc::new(storage));
        let Opened::File(file) = Opened::new(&context, path)? else { panic!("no file") };
        let file = File::open(file)?;
        let (mut count, mut pending) = (0, vec![(file.root()?, 0)]);
        while let Some((object, depth)) = pending.pop() {
            let attributes = object.attributes()?;
            count += attributes.iter().filter(|attribute| attribute.value.is_ok()).count();
            for link in object.links()?.iter().filter(|_| depth < 3) {
                if let LinkTarget::Hard(address) = link.target {
                    pending.push((file.object(address)?, depth + 1));
                }
            }
        }
        Ok(count)
    };
    // With the headers of the committed types in pages of their own, which are read when an attribute is.
    let original = testdata().join("reports/corpora/committed_attribute.mat");
    let mut bytes = std::fs::read(&original).unwrap();
    let types = File::open(InputFile::open(&original).unwrap()).unwrap().root().unwrap();
    let types = types.open("__DATA_TYPES__").unwrap();
    for link in types.links().unwrap().iter() {
        let LinkTarget::Hard(address) = link.target else { continue };
        let start = usize::try_from(address).unwrap();
        let moved = (bytes.len() + 8192).next_multiple_of(4096);
        bytes.resize(moved + 4096, 0);
        bytes.copy_within(start..start + 2048, moved);
        for at in 0..moved - 8 {
            if bytes[at..at + 8] == address.to_le_bytes() {
                bytes[at..at + 8].copy_from_slice(&(moved as u64).to_le_bytes());
            }
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("moved.h5");
    std::fs::write(&path, &bytes).unwrap();
    let storage = FaultyStorage::short(Arc::new(LocalStorage), usize::MAX);
    let expected = count(storage.clone(), &path).unwrap();
    assert!(expected > 0);
    for call in 0..storage.calls() {
        match count(FaultyStorage::failing(Arc::new(LocalStorage), call), &path) {
            Ok(found) => assert_eq!(found, expected, "call {call}"),
            Err(error) => assert!(error.is_system(), "call {call}: {error}"),
        }
    }
}
