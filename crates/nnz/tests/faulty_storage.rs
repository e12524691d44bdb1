//! A storage that returns few bytes at a time changes nothing, and one that fails is an error.
//!
//! For each sample of each format, and each container, opened and read to the end:
//!
//! - reads that return 1 byte, or an odd number of them, yield what a sound storage yields;
//! - a call that fails, whichever it is, makes opening or reading fail with just that error: nothing is
//!   taken for missing, broken or another format because it could not be read. A directory may also
//!   fail in the middle of a listing.
//!
//! Where a sample takes many calls, a spread of them fails, each in a run of its own.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "a test stops where it fails, and uses what it needs of what tests share"
)]

mod common;
#[path = "common/samples.rs"]
mod samples;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::whole::{Whole, whole};
use nnz::formats::{Registry, list};
use nnz::storage::{FaultyStorage, LocalStorage, Opened, Storage};
use nnz::{Location, OpenOptions};
use nnz_container::npy::read_array_from;
use nnz_core::{ErrorKind, FragmentBatch};
use nnz_daphne::csv::CsvReader;
use nnz_daphne::{FrameBatch, FrameReader as _};
use nnz_singlecell::fragment_tsv::{self, Reading};

/// The most calls of a sample that fail, and how many of the first and last are among them.
const MOST: u64 = 40;
const FIRST: u64 = 16;
const LAST: u64 = 4;

/// Opens a place and reads all it holds; returns the name of the format, too.
fn read(path: &Path, storage: Arc<dyn Storage>) -> nnz::Result<(&'static str, Whole)> {
    let options = OpenOptions::new().storage(storage);
    let found = Registry::default().detect(&Location::parse(path), &options)?;
    let name = found.format().info().name;
    Ok((name, whole(&found.open(&options)?)?))
}

/// Selects calls of so many.
fn spread(calls: u64) -> BTreeSet<u64> {
    if calls <= MOST {
        return (0..calls).collect();
    }
    let between = MOST - FIRST - LAST;
    let middle = (0..between).map(|at| FIRST + at * (calls - FIRST - LAST) / between);
    (0..FIRST).chain(middle).chain(calls - LAST..calls).collect()
}

/// Returns what is wrong with how a sample is read where a call fails.
fn wrong(path: &Path, call: u64) -> Option<String> {
    let storage = Arc::new(FaultyStorage::failing(Arc::new(LocalStorage), call));
    let shared: Arc<dyn Storage> = Arc::<FaultyStorage>::clone(&storage);
    let Ok(result) = catch_unwind(AssertUnwindSafe(|| read(path, shared))) else {
        return Some("panics".to_owned());
    };
    match result {
        _ if !storage.has_failed() => None,
        Ok((name, _)) => Some(format!("is read as {name}, and no error")),
        Err(error) if !matches!(error.kind(), ErrorKind::Io(_)) || !error.is_system() => {
            Some(format!("is no error of the system: {error}"))
        }
        Err(error) if !error.to_string().contains(FaultyStorage::FAULT) => {
            Some(format!("has another cause: {error}"))
        }
        Err(_) => None,
    }
}

/// Checks samples. Returns the names of their formats, and why some are refused as they are read: then it
/// is for the same reason where reads are short.
fn check(samples: &[PathBuf]) -> (BTreeSet<&'static str>, Vec<String>) {
    let (mut formats, mut refused) = (BTreeSet::new(), Vec::new());
    let mut faults = Vec::new();
    for path in samples {
        let read = |storage| read(path, storage).map_err(|error| error.to_string());
        let storage = Arc::new(FaultyStorage::short(Arc::new(LocalStorage), usize::MAX));
        let sound = read(Arc::<FaultyStorage>::clone(&storage) as _);
        match &sound {
            Ok((name, _)) => drop(formats.insert(*name)),
            Err(error) => refused.push(error.clone()),
        }
        for most in [1, 7, 4099] {
            let short = read(Arc::new(FaultyStorage::short(Arc::new(LocalStorage), most)));
            if short != sound {
                let said = short.map(|(name, _)| name);
                faults.push(format!("{}, {most} bytes: {said:?}", path.display()));
            }
        }
        let calls = storage.calls();
        for call in spread(calls) {
            if let Some(wrong) = wrong(path, call) {
                faults.push(format!("{}, call {call} of {calls}: {wrong}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
    (formats, refused)
}

#[test]
fn every_format_as_it_is_written() {
    let (folder, mut samples) = samples::written(300, 200, 3000);
    samples.push(folder.path().join("groups.h5::/d"));
    let (_, refused) = check(&samples);
    assert_eq!(refused, [""; 0]);
}

/// Reads all fragments of a text.
fn fragments(path: &Path, storage: &Arc<dyn Storage>) -> nnz::Result<Vec<FragmentBatch>> {
    let source = fragment_tsv::from_opened(&Opened::new(storage, path)?)?;
    let Reading { mut units, mut joiner } = source.read(Default::default())?;
    let mut all = Vec::new();
    while let Some(unit) = units.next_unit()? {
        let mut block = Default::default();
        unit.decode(&mut block)?;
        let joint = joiner.join(&block)?;
        all.extend(block.resolve(joint).into_batches());
    }
    Ok(all)
}

/// Reads all cells of a frame.
fn cells(path: &Path, storage: &Arc<dyn Storage>) -> nnz::Result<Vec<String>> {
    let mut reader = CsvReader::from_opened(&Opened::new(storage, path)?, &Default::default())?;
    let (mut batch, mut all) = (FrameBatch::default(), Vec::new());
    while reader.next_batch(&mut batch)? {
        all.push(format!("{batch:?}"));
    }
    Ok(all)
}

/// Reads an array of NumPy.
fn array(path: &Path, storage: &Arc<dyn Storage>) -> nnz::Result<String> {
    let opened = Opened::new(storage, path)?;
    // As text, in which NaN is what NaN is.
    Ok(format!("{:?}", read_array_from(opened.file().unwrap(), 1 << 20)?))
}

/// Checks what is read otherwise than by opening a place: each call fails in turn.
fn check_each<T: PartialEq + std::fmt::Debug>(
    path: &Path,
    read: impl Fn(&Path, &Arc<dyn Storage>) -> nnz::Result<T>,
) {
    let of = |storage: &FaultyStorage| -> Arc<dyn Storage> { Arc::new(storage.clone()) };
    let storage = FaultyStorage::short(Arc::new(LocalStorage), usize::MAX);
    let sound = read(path, &of(&storage)).unwrap();
    for most in [1, 7] {
        let short = FaultyStorage::short(Arc::new(LocalStorage), most);
        assert_eq!(read(path, &of(&short)).unwrap(), sound);
    }
    assert!(storage.calls() > 2, "{}", storage.calls());
    for call in 0..storage.calls() {
        let failing = FaultyStorage::failing(Arc::new(LocalStorage), call);
        let error = read(path, &of(&failing)).unwrap_err();
        assert!(failing.has_failed() && error.is_system(), "call {call}: {error}");
        assert!(error.to_string().contains(FaultyStorage::FAULT), "call {call}: {error}");
    }
}

#[test]
fn texts_and_arrays_that_are_read_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text: String =
        (0..2000).map(|at| format!("chr1\t{at}\t{}\tAAAC-{}\t1\n", at + 50, at % 7)).collect();
    std::fs::write(at("fragments.tsv"), &text).unwrap();
    check_each(&at("fragments.tsv"), fragments);
    let packed = "testdata/bpcells/interop/fragments_tsv/frag_basic.tsv.gz";
    check_each(&common::root().join(packed), fragments);
    let rows: String = (0..2000).map(|row| format!("{row},{}.5\n", row * 7)).collect();
    std::fs::write(at("frame.csv"), format!("a,b\n{rows}")).unwrap();
    check_each(&at("frame.csv"), cells);
    let npy = common::root().join("testdata/scipy/npy");
    let mut arrays = 0;
    for entry in std::fs::read_dir(npy).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".npy") && nnz_container::npy::read_array(&path, 1 << 20).is_ok() {
            check_each(&path, array);
            arrays += 1;
        }
    }
    assert!(arrays > 10, "{arrays}");
}

#[test]
fn every_golden_file() {
    let samples = samples::all_golden();
    let (formats, mut refused) = check(&samples);
    // Of some malformed files, it is an entry that is wrong. So is NA in a logical matrix of R, and a folder
    // whose plain list of features is not that of its matrix.
    refused.retain(|error| !error.contains("/bad"));
    let others = ["lgC_na.rds: x", "both_genes_and_features/features.tsv.gz"];
    let known = |error: &String| others.iter().any(|other| error.contains(other));
    assert!(refused.len() == others.len() && refused.iter().all(known), "{refused:?}");
    // Fragments as text are opened by `fragments::import` only.
    let readable = list().into_iter().filter(|info| !info.reads.is_empty());
    let readable: BTreeSet<_> =
        readable.map(|info| info.name).filter(|&name| name != "fragment-text").collect();
    assert_eq!(formats, readable);
}
