//! What is opened is looked at once: detection, opening and the first batch share every byte.
//!
//! For each sample of each format, from looking at its name to the first batch:
//!
//! - no file is opened twice, and no directory listed twice;
//! - no byte of a file is read twice, be it metadata or data. There are three exceptions:
//!   - the last pointer of a compressed matrix, which says how many entries there are, and is read with
//!     the other pointers once more: 8 bytes or fewer, or the deflated chunk of HDF5 that it is in, which
//!     has less than 512 bytes here;
//!   - what lies behind the first 4096 bytes of a file in a dialect of DAPHNE: rows may stand
//!     behind a count: where blocks end is found by going from count to count, before rows are read;
//!   - pointers and names in HDF5 files of 10x and AnnData, which are checked as the file is opened.
//!
//! What samples cannot show: of an npz file, an array that is stored as it is and
//! has more than a mebibyte is read twice, as its check sum is compared before any element is handed out.
//! No more than 16 MiB of metadata are kept of a file.
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

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz::formats::{Registry, list};
use nnz::storage::{CountingStorage, LocalStorage, Opened, Request, Storage};
use nnz::{Batch, Dataset, Location, OpenOptions, Projection, Values};
use nnz_core::{FragmentBatch, FragmentFields};

/// Opens a place and reads the first batch of what it holds; returns the name of the format.
fn look(path: &Path, storage: Arc<dyn Storage>) -> nnz::Result<&'static str> {
    let options = OpenOptions::new().storage(storage);
    let found = Registry::default().detect(&Location::parse(path), &options)?;
    let name = found.format().info().name;
    first_batch(&found.open(&options)?)?;
    Ok(name)
}

fn first_batch(dataset: &Dataset) -> nnz::Result<()> {
    match dataset {
        Dataset::Matrix(matrix) => {
            let header = matrix.header();
            let all = 0..header.shape.major(header.order);
            let mut units = matrix.units(all, Projection::ALL)?;
            if let Some(unit) = units.next_unit()? {
                unit.decode(&mut Batch::new(header.order, Values::new(header.value_type)))?;
            }
        }
        Dataset::Fragments(source) => {
            let all = 0..source.header().count;
            if let Some(unit) = source.units(all, FragmentFields::ALL)?.next_unit()? {
                unit.decode(&mut FragmentBatch::default())?;
            }
        }
        Dataset::Tensor(tensor) => {
            tensor.read(1 << 30)?;
        }
        Dataset::Table(frame) => {
            frame.batches(0..frame.rows())?.next_batch(&mut Default::default())?;
        }
        _ => {}
    }
    Ok(())
}

/// Says what was asked twice. Overlaps that `allowed` knows of are none.
fn repeated(requests: &[Request], allowed: impl Fn(&Range<u64>) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut once = BTreeSet::new();
    let mut ranges: BTreeMap<&Path, Vec<Range<u64>>> = BTreeMap::new();
    for request in requests {
        match request {
            Request::Open(path) | Request::Stream(path) if !once.insert(("opened", path)) => {
                found.push(format!("{} opened twice", path.display()));
            }
            Request::List(path) if !once.insert(("listed", path)) => {
                found.push(format!("{} listed twice", path.display()));
            }
            Request::Read(path, range) => ranges.entry(path).or_default().push(range.clone()),
            _ => {}
        }
    }
    for (path, mut ranges) in ranges {
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut end = 0;
        for range in ranges {
            let before = end;
            end = end.max(range.end);
            if range.start < before.min(range.end) {
                let twice = range.start..before.min(range.end);
                if allowed(&twice) {
                    continue;
                }
                found.push(format!("{} bytes {twice:?} read twice", path.display()));
            }
        }
    }
    found
}

#[test]
fn nothing_is_looked_at_twice() {
    let (_folder, samples) = samples::samples();
    let mut found = BTreeSet::new();
    let (mut looked, mut faults) = (0, Vec::new());
    for path in &samples {
        // A few golden files are refused as they are read.
        let Ok(name) = look(path, Arc::new(LocalStorage)) else { continue };
        looked += 1;
        found.insert(name);
        let storage = CountingStorage::new(Arc::new(LocalStorage));
        assert_eq!(look(path, Arc::new(storage.clone())).unwrap(), name);
        let twice = repeated(&storage.take(), |twice| match name {
            "daphne" => twice.start >= 4096,
            "10x" | "anndata" => true,
            "bpcells" | "binsparse" => twice.end - twice.start < 512,
            _ => false,
        });
        if !twice.is_empty() {
            faults.push(format!("{}:\n    {}", path.display(), twice.join("\n    ")));
        }
    }
    assert!(looked > 300, "{looked} of {} samples", samples.len());
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), samples.len(), faults.join("\n"));
    // Fragments as text are opened by `fragments::import` only.
    let readable = list().into_iter().filter(|info| !info.reads.is_empty());
    let readable: BTreeSet<_> =
        readable.map(|info| info.name).filter(|&name| name != "fragment-text").collect();
    assert_eq!(found, readable);
}

#[test]
fn fragments_as_text_are_looked_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("fragments.tsv");
    let text: String =
        (0..20_000).map(|at| format!("chr1\t{at}\t{}\tAAAC-{}\t1\n", at + 50, at % 7)).collect();
    std::fs::write(&path, text).unwrap();
    let storage = CountingStorage::new(Arc::new(LocalStorage));
    let opened = Opened::new(&(Arc::new(storage.clone()) as Arc<dyn Storage>), &path).unwrap();
    assert!(nnz_singlecell::fragment_tsv::recognise(opened.file().unwrap()).unwrap());
    let source = nnz_singlecell::fragment_tsv::from_opened(&opened).unwrap();
    let mut reading = source.read(Default::default()).unwrap();
    let unit = reading.units.next_unit().unwrap().unwrap();
    unit.decode(&mut Default::default()).unwrap();
    assert_eq!(repeated(&storage.take(), |_| false), Vec::<String>::new());
}
