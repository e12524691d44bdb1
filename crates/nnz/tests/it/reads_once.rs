//! Detection, opening and the first batch read each byte once.
//!
//! For each sample of each format, from detection to the first batch:
//!
//! - no file is opened twice, and no directory is listed twice;
//! - no byte of a file is read twice, with four exceptions:
//!   - HDF5 metadata is read in pages of 4096 bytes, as needed. A page can contain data that was read
//!     before, such as the shape of a matrix, or pointers;
//!   - in one DAPHNE file, data after the first 4096 bytes: each row follows its count, so the end of
//!     each of its many blocks is found by following the counts, before rows are read;
//!   - SVMlight, edge lists and METIS graphs, whose shape is found by reading the whole file;
//!   - the last pointer of a MAT-file: it says how many of the stored elements are entries, which is needed before
//!     pointers are read.
//!
//! The samples do not cover the following: stored (uncompressed) arrays of an npz file of more than 1 MiB
//! are read twice, because their checksum is verified before any element is returned. For compressed
//! pointers of more than 64 KiB, the chunk with the last one is read twice. At most 16 MiB of metadata
//! are cached per file.

use nnz::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::samples;
use nnz::formats::list;
use nnz::{Batch, Dataset, Location, OpenOptions, Projection, Values};
use nnz_core::{FragmentBatch, FragmentFields};
use nnz_storage::{CountingStorage, LocalStorage, Opened, Request, Storage};

/// Opens a location and reads the first batch; returns the name of the format.
fn look(path: &Path, storage: Arc<dyn Storage>) -> nnz::Result<&'static str> {
    let context = Context::default().with_storage(storage);
    let options = OpenOptions::new();
    let found = context.detect(&Location::parse(path), &options)?;
    let name = found.format().info().name.as_str();
    first_batch(&found.open(&options)?)?;
    Ok(name)
}

fn first_batch(dataset: &Dataset) -> nnz::Result<()> {
    match dataset {
        Dataset::Collection(collection) if collection.has_main()? => {
            first_batch(&Dataset::Matrix(collection.main()?))?;
        }
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

/// Bytes of a page of metadata.
const PAGE: u64 = 4096;

/// The DAPHNE file with many blocks of rows with counts.
const COUNTED: &str = "daphne_csr_chunks.dbdf";

/// Returns what was read twice, except for what `allowed` accepts, given the path and the ranges of two
/// overlapping reads in order.
fn repeated(
    requests: &[Request],
    allowed: impl Fn(&Path, &Range<u64>, &Range<u64>) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut once = BTreeSet::new();
    let mut ranges: BTreeMap<&Path, Vec<&Range<u64>>> = BTreeMap::new();
    for request in requests {
        match request {
            Request::Open(path) | Request::Stream(path) if !once.insert(("opened", path)) => {
                found.push(format!("{} opened twice", path.display()));
            }
            Request::List(path) if !once.insert(("listed", path)) => {
                found.push(format!("{} listed twice", path.display()));
            }
            Request::Read(path, range) => {
                let before = ranges.entry(path).or_default();
                for first in before.iter() {
                    let twice = first.start.max(range.start)..first.end.min(range.end);
                    if !twice.is_empty() && !allowed(path, first, range) {
                        found.push(format!("{} bytes {twice:?} read twice", path.display()));
                    }
                }
                before.push(range);
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a page of HDF5 metadata contains data that was read before.
fn is_page_with_data(path: &Path, data: &Range<u64>, page: &Range<u64>) -> bool {
    let len = path.metadata().unwrap().len();
    let whole = |range: &Range<u64>| {
        range.start.is_multiple_of(PAGE) && (range.end.is_multiple_of(PAGE) || range.end == len)
    };
    let mut start = Vec::new();
    File::open(path).unwrap().take(4).read_to_end(&mut start).unwrap();
    start == b"\x89HDF" && whole(page) && !whole(data)
}

/// Returns whether a read is of a pointer in a MAT-file, the last of which states how many of the stored elements are
/// entries.
fn is_last_pointer(path: &Path, range: &Range<u64>) -> bool {
    path.extension().is_some_and(|extension| extension == "mat") && range.end - range.start <= 8
}

/// Returns whether a file is text that does not state its shape.
fn has_no_shape(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".svm", ".el", ".wel", ".ncol", ".out", ".graph"]
        .iter()
        .any(|extension| name.ends_with(extension))
}

#[test]
fn nothing_is_read_twice() {
    let (_folder, samples) = samples::samples();
    let mut found = BTreeSet::new();
    let (mut refused, mut faults) = (Vec::new(), Vec::new());
    for path in &samples {
        let storage = CountingStorage::new(Arc::new(LocalStorage));
        let name = match look(path, Arc::new(storage.clone())) {
            Ok(name) => name,
            Err(error) => {
                refused.push(error.to_string());
                continue;
            }
        };
        found.insert(name);
        let twice = repeated(&storage.take(), |path, first, second| {
            is_page_with_data(path, first, second)
                || has_no_shape(path)
                || is_last_pointer(path, first)
                || (path.ends_with(COUNTED) && first.start.max(second.start) >= PAGE)
        });
        if !twice.is_empty() {
            faults.push(format!("{} ({name}):\n    {}", path.display(), twice.join("\n    ")));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), samples.len(), faults.join("\n"));
    // Some malformed files have a broken first entry.
    let others = refused.iter().filter(|error| !error.contains("/bad")).collect::<Vec<_>>();
    assert!(others.is_empty(), "{others:?}");
    // Only `fragments::import` opens fragments as text.
    let readable = list().into_iter().filter(|info| !info.reads.is_empty());
    let readable: BTreeSet<_> =
        readable.map(|info| info.name.as_str()).filter(|&name| name != "fragment-text").collect();
    assert_eq!(found, readable);
}

#[test]
fn fragments_as_text_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("fragments.tsv");
    let text: String =
        (0..20_000).map(|at| format!("chr1\t{at}\t{}\tAAAC-{}\t1\n", at + 50, at % 7)).collect();
    std::fs::write(&path, text).unwrap();
    let storage = CountingStorage::new(Arc::new(LocalStorage));
    let opened = Opened::new(
        &nnz::engine::TaskContext::default().with_storage(Arc::new(storage.clone())),
        &path,
    )
    .unwrap();
    assert!(nnz_singlecell::fragment_tsv::recognise(opened.file().unwrap()).unwrap());
    let source = nnz_singlecell::fragment_tsv::from_opened(&opened).unwrap();
    let mut reading = source.read(Default::default()).unwrap();
    let unit = reading.units.next_unit().unwrap().unwrap();
    unit.decode(&mut Default::default()).unwrap();
    assert_eq!(repeated(&storage.take(), |_, _, _| false), Vec::<String>::new());
}
