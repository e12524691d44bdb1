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
use nnz::storage::{FaultyStorage, LocalStorage, Storage};
use nnz::{Location, OpenOptions};
use nnz_core::ErrorKind;

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
