//! Damaged files give an error or a matrix, without panics, hangs or excessive memory.
//!
//! Every file of the test data is damaged in `NNZ_MUTATIONS` random ways (8 by default), truncated
//! at about twenty positions, and given extreme lengths, shapes and pointers. Each case has a name,
//! such as `basic_uint.packed.col#17`; `NNZ_CASE` runs only that one.

mod damage;

use nnz::Context;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::damage::{Damage, Files};
use crate::common::entries;
use crate::common::{location, root, unsynced};
use nnz::{Axis, Batch, Order, Projection, Values, error::Severity};
use nnz_testing::random::Random;
use nnz_testing::{allocations, watchdog};

/// Memory allowed for any file.
const SLACK: u64 = 64 << 20;

/// A file or folder of the test data.
struct Subject {
    name: String,
    /// The name of its copy, whose extension determines the format.
    file_name: String,
    /// One file with an empty name, or the files of a folder.
    files: Files,
}

impl Subject {
    fn read(path: &Path, prefix: &str) -> Self {
        let file_name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut files = Files::new();
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        } else {
            files.insert(String::new(), fs::read(path).unwrap());
        }
        Self { name: format!("{prefix}{file_name}"), file_name, files }
    }

    fn in_folder(folder: &str, prefix: &str, wanted: impl Fn(&Path) -> bool) -> Vec<Self> {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| wanted(path));
        let mut subjects: Vec<_> = paths.map(|path| Self::read(&path, prefix)).collect();
        subjects.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(!subjects.is_empty(), "{folder}");
        subjects
    }
}

fn stores() -> Vec<Subject> {
    let mut stores = Subject::in_folder("testdata/bpcells/matrix_dir", "", Path::is_dir);
    stores.extend(Subject::in_folder("testdata/bpcells/handmade", "handmade/", Path::is_dir));
    assert!(stores.len() >= 118, "{}", stores.len());
    stores
}

fn texts() -> Vec<Subject> {
    let mut texts = Subject::in_folder("testdata/matrix-market/valid", "", Path::is_file);
    texts.extend(Subject::in_folder("testdata/matrix-market/malformed", "", Path::is_file));
    assert!(texts.len() >= 60, "{}", texts.len());
    texts
}

/// DAPHNE files with a matrix. The tests of nnz-daphne damage frames.
fn daphne() -> Vec<Subject> {
    let is_file = |path: &Path| path.extension().is_some_and(|ending| ending == "dbdf");
    let mut files = Subject::in_folder("testdata/daphne", "daphne/", is_file);
    // The second byte is 3 in a frame.
    files.retain(|file| file.files[""].len() < 10_000 && file.files[""].get(1) != Some(&3));
    assert!(files.len() >= 190, "{}", files.len());
    files
}

/// AnnData files of all layouts: sparse and dense, with tables of all kinds.
fn anndata() -> Vec<Subject> {
    let of = |version: &str, names: &[&str]| {
        let chosen = |path: &Path| names.iter().any(|name| path.file_stem().unwrap() == *name);
        let folder = format!("testdata/anndata/valid/{version}/h5ad");
        Subject::in_folder(&folder, &format!("anndata/{version}/"), chosen)
    };
    let mut files = of("0.5.10", &["full_csr", "dense_f64_lzf"]);
    files.extend(of("0.6.22", &["full_dense", "int32_csc", "categories"]));
    files.extend(of("0.7.8", &["full_csr", "bool_csr", "int_index"]));
    files.extend(of("0.12.19", &["full_gzip", "i64", "dense_chunks_true", "nullable_string"]));
    assert_eq!(files.len(), 12);
    files
}

/// A MuData file.
fn mudata() -> Vec<Subject> {
    Subject::in_folder("testdata/mudata", "mudata/", |path| path.ends_with("cells-0.3.h5mu"))
}

/// Loom files of all versions, valid and broken.
fn loom() -> Vec<Subject> {
    let is_file = |path: &Path| path.extension().is_some_and(|ending| ending == "loom");
    let files = Subject::in_folder("testdata/loom", "loom/", is_file);
    assert_eq!(files.len(), 30);
    files
}

fn tenx_folder() -> Vec<Subject> {
    Subject::in_folder("examples", "", |path| path.ends_with("pbmc_10x_v3_mtx"))
}

/// SciPy and NumPy files.
fn numpy() -> Vec<Subject> {
    let is_file = |path: &Path| path.is_file();
    let mut files = Subject::in_folder("testdata/scipy/npz/scipy1.17.1", "scipy/", is_file);
    files.extend(Subject::in_folder("testdata/scipy/npz/hand", "scipy/hand/", is_file));
    files.extend(Subject::in_folder("testdata/scipy/npy", "npy/", is_file));
    assert!(files.len() >= 150, "{}", files.len());
    files
}

/// Tables as text.
fn tables() -> Vec<Subject> {
    let is_table = |path: &Path| path.extension().is_some_and(|ending| ending != "json");
    Subject::in_folder("testdata/tables", "tables/", is_table)
}

/// MAT-files of both versions.
fn matlab() -> Vec<Subject> {
    let is_file = |path: &Path| path.extension().is_some_and(|ending| ending == "mat");
    let files = Subject::in_folder("testdata/matlab", "matlab/", is_file);
    assert!(files.len() >= 80, "{}", files.len());
    files
}

/// SVMlight files and edge lists.
fn rows_and_edges() -> Vec<Subject> {
    let wanted = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["el", "ncol", "out", "svm", "wel"].contains(&extension))
    };
    let mut files = Subject::in_folder("testdata/svmlight", "svmlight/", wanted);
    files.extend(Subject::in_folder("testdata/edges", "edges/", wanted));
    assert!(files.len() >= 40, "{}", files.len());
    files
}

/// 10x HDF5 files of all layouts.
fn tenx() -> Vec<Subject> {
    let names = ["cr3_gex", "cr7_rust_gex", "cr3_feature_barcode", "cr2_one_genome", "index_mixed"];
    let wanted = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| names.contains(&stem) || stem.starts_with("layout_"))
    };
    Subject::in_folder("testdata/tenx/h5", "tenx/", wanted)
}

fn mutations() -> u64 {
    nnz_testing::mutations::rounds()
}

/// A directory for cases, reused by one thread.
struct Workspace {
    directory: tempfile::TempDir,
    slot: watchdog::Slot,
    /// The present case: subject, location and files.
    there: Option<(String, PathBuf, Files)>,
}

impl Workspace {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), slot: watchdog::slot(), there: None }
    }

    /// Writes the files of a case that are not written yet.
    fn lay_out(&mut self, subject: &Subject, files: &Files) -> PathBuf {
        let path = self.directory.path().join(&subject.file_name);
        let is_file = subject.files.contains_key("");
        let before = match self.there.take() {
            Some((name, _, files)) if name == subject.name => files,
            other => {
                if let Some((_, old, _)) = other {
                    fs::remove_dir_all(&old).or_else(|_| fs::remove_file(&old)).unwrap();
                }
                if !is_file {
                    fs::create_dir(&path).unwrap();
                }
                Files::new()
            }
        };
        let at = |name: &str| if is_file { path.clone() } else { path.join(name) };
        for gone in before.keys().filter(|name| !files.contains_key(*name)) {
            fs::remove_file(at(gone)).unwrap();
        }
        for (name, bytes) in files.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)) {
            fs::write(at(name), bytes).unwrap();
        }
        self.there = Some((subject.name.clone(), path.clone(), files.clone()));
        path
    }
}

/// The results so far.
#[derive(Default)]
struct Tally {
    /// Failures, by the name of the case.
    failures: Mutex<BTreeMap<String, String>>,
    refused: AtomicUsize,
    read: AtomicUsize,
    came_back: AtomicUsize,
}

/// The result of a case without failures.
enum Outcome {
    /// It cannot be read.
    Refused,
    /// It can be read.
    Read,
    /// It is valid, and was converted to another format and back unchanged.
    CameBack { largest: u64 },
}

/// Runs one case and records its failures.
fn check(workspace: &mut Workspace, subject: &Subject, case: &str, files: &Files, tally: &Tally) {
    let name = format!("{}#{case}", subject.name);
    if std::env::var("NNZ_CASE").is_ok_and(|only| only != name) {
        return;
    }
    let path = workspace.lay_out(subject, files);
    let target = workspace.directory.path().join("target");
    let back = workspace.directory.path().join("back");
    workspace.slot.begin(&name);
    let baseline = allocations::start();
    let outcome = catch_unwind(AssertUnwindSafe(|| examine(&path, &target, &back)));
    let (peak, left) = allocations::since(&baseline);
    clear(&[&target, &back]);
    // Without threads, because allocations are counted by thread.
    let agreed = catch_unwind(AssertUnwindSafe(|| threads_agree(&path, &target, &back)));
    workspace.slot.end();

    let bytes: u64 = files.values().map(|file| file.len() as u64).sum();
    let mut wrong = Vec::new();
    match outcome {
        Ok(Ok(outcome)) => {
            let (counter, largest) = match outcome {
                Outcome::Refused => (&tally.refused, 0),
                Outcome::Read => (&tally.read, 0),
                Outcome::CameBack { largest } => (&tally.came_back, largest),
            };
            counter.fetch_add(1, Ordering::Relaxed);
            // The larger of what was read: the damaged files, or their conversion.
            let allowed = 2 * bytes.max(largest) + SLACK;
            if peak > allowed {
                wrong.push(format!("took {peak} bytes of memory, {allowed} are allowed"));
            }
            // Growth of statics, and error messages; not the data.
            if left > 1 << 16 {
                wrong.push(format!("leaked {left} bytes of memory"));
            }
        }
        Ok(Err(complaint)) => wrong.push(complaint),
        Err(panic) => {
            wrong.push(format!("panicked: {}", panic_message(&*panic)));
        }
    }
    match agreed {
        Ok(Ok(())) => {}
        Ok(Err(complaint)) => wrong.push(complaint),
        Err(panic) => wrong.push(format!("panicked with threads: {}", panic_message(&*panic))),
    }
    clear(&[&target, &back]);
    let mut others = fs::read_dir(workspace.directory.path()).unwrap();
    if let Some(other) = others.find(|e| e.as_ref().unwrap().path() != path) {
        wrong.push(format!("left {:?}", other.unwrap().file_name()));
    }
    if !wrong.is_empty() {
        tally.failures.lock().unwrap().insert(name, wrong.join("; "));
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?")
}

fn clear(paths: &[&PathBuf]) {
    for path in paths.iter().filter(|path| path.symlink_metadata().is_ok()) {
        fs::remove_dir_all(path).or_else(|_| fs::remove_file(path)).unwrap();
    }
}

/// Any number of threads gives the same bytes, or the same error.
fn threads_agree(path: &Path, one: &Path, several: &Path) -> Result<(), String> {
    if let Ok(opened) = nnz::open(location(path)).and_then(nnz::Dataset::into_matrix)
        && is_too_large(&*opened)
    {
        return Ok(());
    }
    let mut options = unsynced();
    options = options.format("bpcells");
    let convert = |threads: usize| {
        let context = crate::common::sparing().with_threads(threads);
        let done = nnz::convert(location(path), location(several), &options, &context);
        done.map(|summary| summary.entries).map_err(|error| error.to_string())
    };
    let alone = convert(1);
    if alone.is_ok() {
        fs::rename(several, one).unwrap();
    }
    let together = convert(3);
    // The free space of a disk changes over time.
    let room = |done: &Result<u64, String>| done.as_ref().is_err_and(|e| e.contains("bytes free"));
    if alone != together && !(room(&alone) && room(&together)) {
        return Err(format!("one thread: {alone:?}, three: {together:?}"));
    }
    if alone.is_ok() {
        for entry in fs::read_dir(one).unwrap() {
            let name = entry.unwrap().file_name();
            if fs::read(one.join(&name)).ok() != fs::read(several.join(&name)).ok() {
                return Err(format!("three threads write another {}", name.display()));
            }
        }
    }
    Ok(())
}

/// Returns whether a place is a path, a file in it, or a group of it.
fn names(place: &Path, path: &Path) -> bool {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    place.starts_with(path) || text(place).starts_with(&format!("{}::", text(path)))
}

/// Runs all operations on a file, and returns an inconsistency as an error.
fn examine(path: &Path, target: &Path, back: &Path) -> Result<Outcome, String> {
    let here = location(path);
    let check = |threads| {
        let mut faults = Vec::new();
        let allowed = nnz::ValidateOptions::default();
        let context = Context::default().with_memory(32 << 20).with_threads(threads);
        let validated = nnz::validate(&here, &allowed, &context, &mut |finding| {
            if finding.severity == Severity::Fault {
                faults.push(finding);
            }
        });
        (validated, faults)
    };
    let (validated, faults) = check(1);
    let (_, by_many) = check(3);
    if faults.iter().map(ToString::to_string).ne(by_many.iter().map(ToString::to_string)) {
        return Err(format!("{by_many:?} with three threads, not {faults:?}"));
    }
    let valid = validated.is_ok() && faults.is_empty();
    if path.extension().is_some_and(|extension| extension == "h5ad") {
        edit_copy(path, target, valid)?;
        clear(&[&target.to_path_buf()]);
    }
    if path.extension().is_some_and(|extension| extension == "h5mu") {
        copy_whole(path, target, valid)?;
        clear(&[&target.to_path_buf()]);
    }
    for finding in &faults {
        if !finding.place.path.as_deref().is_some_and(|place| names(place, path)) {
            return Err(format!("a finding without a path: {finding}"));
        }
    }
    let read = read_everything(path);
    let mut text = Vec::new();
    let context = Context::default().with_memory(32 << 20);
    let catted = nnz::cat(&here, &nnz::CatOptions::default(), &context, &mut text);
    drop(text);
    let expand =
        nnz::CatOptions::default().expand(true).rows("1:7".parse::<nnz::Selection>().unwrap());
    let _ = nnz::cat(&here, &expand, &context, &mut std::io::sink());
    for error in
        [read.as_ref().err(), catted.as_ref().err(), validated.as_ref().err()].into_iter().flatten()
    {
        if !error.place().path.as_deref().is_some_and(|place| names(place, path)) {
            return Err(format!("an error without a path: {error}"));
        }
    }
    if nnz::frames::is_frame(&here, &nnz::OpenOptions::new(), &context).unwrap()
        || matches!(nnz::open(&here), Ok(nnz::Dataset::Tensor(_)))
    {
        return Ok(Outcome::Refused);
    }
    let source = match (read, valid) {
        (Ok(source), _) => source,
        // AnnData without X is valid, and its other matrices have to be selected.
        (Err(error), true) if matches!(error.kind(), nnz::ErrorKind::Argument(_)) => {
            return Ok(Outcome::Refused);
        }
        (Err(error), true) => return Err(format!("is valid, and cannot be read: {error}")),
        (Err(_), false) => return convert_broken(&here, target).map(|()| Outcome::Refused),
    };
    if valid && let Err(error) = catted {
        return Err(format!("is valid, and cat fails: {error}"));
    }
    // The maximum number of rows of one block, which is the default.
    let tall = source.opened.header().shape.rows > u32::MAX.into();
    let fitting = order_that_fits(&source).filter(|_| !(source.daphne && tall));
    let Some(order) = fitting else {
        return Ok(Outcome::Read);
    };

    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let endings = [
        "npz", "npy", "mat", "csv", "tsv", "txt", "gct", "svm", "el", "wel", "ncol", "out", "graph",
    ];
    let any_type = endings.iter().any(|own| name.ends_with(&format!(".{own}")));
    let (there, again) = match source.store {
        // It supports all types.
        _ if any_type => ("binsparse", "binsparse"),
        true if source.daphne => ("mtx", "daphne"),
        true if source.anndata => ("mtx", "anndata"),
        true if source.loom => ("mtx", "loom"),
        true => ("mtx", "bpcells"),
        false => ("bpcells", "mtx"),
    };
    let mut options = unsynced();
    options.order = Some(order);
    options.format = Some(there.into());
    if there == "mtx" {
        options.order = None;
        options.format_options.set("layout", "coordinate");
    }
    if nnz::convert(&here, location(target), &options, &crate::common::sparing()).is_err() {
        // The other format does not support all matrices. Files that are left are checked later.
        return Ok(Outcome::Read);
    }
    if !valid {
        return Ok(Outcome::Read);
    }
    let largest = size(target);
    options.format = Some(again.into());
    options.order = None;
    options.format_options = nnz::formats::FormatOptions::new();
    if again == "mtx" {
        options.format_options.set("layout", "coordinate");
    }
    nnz::convert(location(target), location(back), &options, &crate::common::sparing())
        .map_err(|error| format!("does not come back from {there}: {error}"))?;
    let largest = largest.max(size(back));
    let found = nnz::open(location(back))
        .and_then(nnz::Dataset::into_matrix)
        .and_then(|back| entries::logical(&*back));
    let found = found.map_err(|error| format!("what came back cannot be read: {error}"))?;
    let expected = entries::logical(&*source.opened).map_err(|error| error.to_string())?;
    if found != expected {
        let at = found.iter().zip(&expected).position(|(a, b)| a != b);
        let at = at.unwrap_or(found.len().min(expected.len()));
        return Err(format!(
            "came back from {there} as {} entries instead of {}; entry {at}: {:?}, expected {:?}",
            found.len(),
            expected.len(),
            found.get(at),
            expected.get(at)
        ));
    }
    Ok(Outcome::CameBack { largest })
}

/// Changes a copy of an AnnData file, one step after the other. A valid file stays valid, and a refused change leaves it.
fn edit_copy(path: &Path, target: &Path, valid: bool) -> Result<(), String> {
    fs::copy(path, target).unwrap();
    let here = location(target);
    let context = Context::default().with_memory(32 << 20).with_threads(1);
    for removed in ["uns", "layers", "obsm", "raw", "obs/batch", "obs/n_counts", "var/n_cells"] {
        let before = fs::read(target).unwrap();
        let changes = nnz::edit::Changes::default().removed(vec![removed.to_owned()]);
        let options = nnz::EditOptions::default().changes(changes).sync(false);
        if let Err(error) = nnz::edit(&here, &options, &context) {
            if !error.place().path.as_deref().is_some_and(|place| names(place, target)) {
                return Err(format!("an error without a path: {error}"));
            }
            if fs::read(target).unwrap() != before {
                return Err(format!("changed although {removed} was not removed: {error}"));
            }
        }
    }
    let mut faults = Vec::new();
    let validated =
        nnz::validate(&here, &nnz::ValidateOptions::default(), &context, &mut |found| {
            if found.severity == Severity::Fault {
                faults.push(found);
            }
        });
    match valid && (validated.is_err() || !faults.is_empty()) {
        true => Err(format!("not valid after an edit: {validated:?} {faults:?}")),
        false => Ok(()),
    }
}

/// Writes a file of several matrices as a whole, and some of its rows. A valid file is written.
fn copy_whole(path: &Path, target: &Path, valid: bool) -> Result<(), String> {
    let options = unsynced().format("mudata").overwrite(true);
    let context = Context::default().with_memory(32 << 20).with_threads(1);
    let (rows, all) = (nnz::Selection::ranges([2..4, 0..1]), nnz::Selection::all());
    let whole = nnz::convert(location(path), location(target), &options, &context);
    let part = nnz::slice(location(path), location(target), [&rows, &all], &options, &context);
    for done in [whole, part] {
        match done {
            Err(error) if valid => return Err(format!("is valid, and is not written: {error}")),
            Err(error)
                if !error.place().path.as_deref().is_some_and(|place| names(place, path)) =>
            {
                return Err(format!("an error without a path: {error}"));
            }
            _ => {}
        }
    }
    Ok(())
}

struct Read {
    opened: Box<dyn nnz::MatrixSource>,
    store: bool,
    daphne: bool,
    anndata: bool,
    loom: bool,
}

/// Reads a matrix whole and in parts, and returns it.
fn read_everything(path: &Path) -> nnz::Result<Read> {
    let opened = nnz::open(location(path))?.into_matrix()?;
    let source = &*opened;
    let header = source.header().clone();
    source.about()?;
    source.extras()?;
    let names = [source.names(Axis::Rows), source.names(Axis::Cols)];
    let majors = header.shape.major(header.order);
    let mut counts = Vec::new();
    for fields in [Projection::ALL, Projection::MINORS, Projection::VALUES] {
        let mut batch = Batch::new(header.order, Values::new(header.value_type));
        let mut reader = source.batches(0..majors, fields)?;
        let mut count = 0;
        while reader.next_batch(&mut batch)? {
            count += batch.entries() as u64;
        }
        counts.push(count);
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?} entries");
    assert!(header.nnz.is_none_or(|stored| stored == counts[0]), "{counts:?} entries");
    let mut random = Random::new(majors);
    for _ in 0..6 {
        let start = random.next() % (majors + 1);
        let end = start + random.next() % (majors - start + 1);
        let range = source.stored_before(start)?.zip(source.stored_before(end)?);
        if source.random_access() {
            let mut batch = Batch::new(header.order, Values::new(header.value_type));
            let mut reader = source.batches(start..end, Projection::ALL)?;
            let mut count = 0;
            while reader.next_batch(&mut batch)? {
                count += batch.entries() as u64;
            }
            assert!(range.is_none_or(|(a, b)| b - a == count), "{range:?}, {count} entries");
        }
    }
    source.locate(0, 0)?;
    source.notes();
    for names in names {
        names?;
    }
    let store = opened.header().ordered;
    let format = opened.about()?.format;
    let (daphne, anndata) = (format.starts_with("DAPHNE"), format == "AnnData");
    let loom = format == "Loom";
    Ok(Read { opened, store, daphne, anndata, loom })
}

/// A file that cannot be read cannot be converted, and no files are left.
fn convert_broken(here: &nnz::Location, target: &Path) -> Result<(), String> {
    // Unless it states too many columns for a store that is only written to fail.
    if let Ok(opened) = nnz::open(here).and_then(nnz::Dataset::into_matrix)
        && is_too_large(&*opened)
    {
        return Ok(());
    }
    let mut options = unsynced();
    options = options.format("bpcells");
    let _ = nnz::convert(here, location(target), &options, &crate::common::sparing());
    options = options.format("mtx");
    let _ = nnz::convert(here, location(target), &options, &crate::common::sparing());
    Ok(())
}

/// Returns whether a store would need space for too many vectors.
fn is_too_large(source: &dyn nnz::MatrixSource) -> bool {
    let header = source.header();
    let own = if header.ordered { header.shape.major(header.order) } else { 0 };
    own.max(header.shape.cols) > LONGEST
}

/// The longest major axis that is written to a store, whose pointers need space for each.
const LONGEST: u64 = 1 << 16;

/// The order in which a store of a matrix has a reasonable size.
fn order_that_fits(read: &Read) -> Option<Order> {
    let header = read.opened.header();
    let fits = |order: Order| header.shape.major(order) <= LONGEST;
    let own = if read.store { header.order } else { Order::Col };
    // The store that is written from text is stored by column.
    if read.store && !fits(Order::Col) {
        return None;
    }
    let other = if own == Order::Col { Order::Row } else { Order::Col };
    [own, other].into_iter().find(|order| fits(*order))
}

fn size(path: &Path) -> u64 {
    if path.is_file() {
        return path.metadata().unwrap().len();
    }
    fs::read_dir(path).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}

/// Runs all cases of all subjects on two threads, and fails with all failures.
fn run(subjects: &[Subject], cases: impl Fn(&Subject, &mut dyn FnMut(&str, Files)) + Sync) {
    let tally = Tally::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut workspace = Workspace::new();
                while let Some(subject) = subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    cases(subject, &mut |case, files| {
                        check(&mut workspace, subject, case, &files, &tally);
                    });
                }
            });
        }
    });
    let Tally { failures, refused, read, came_back } = tally;
    println!("{refused:?} refused, {read:?} read, {came_back:?} converted there and back");
    let failures = failures.into_inner().unwrap();
    let shown: Vec<_> = failures.iter().take(40).map(|(c, what)| format!("{c}: {what}")).collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), shown.join("\n"));
}

#[test]
fn freed_memory_is_part_of_the_peak() {
    let baseline = allocations::start();
    drop(std::hint::black_box(vec![1_u8; 1 << 20]));
    let kept = std::hint::black_box(vec![1_u8; 1 << 10]);
    let (peak, left) = allocations::since(&baseline);
    assert!((1 << 20..1 << 21).contains(&peak), "{peak}");
    assert!((1 << 10..1 << 11).contains(&left), "{left}");
    drop(kept);
}

#[test]
fn undamaged_files_pass() {
    for subjects in [stores(), texts(), tenx_folder(), daphne(), anndata(), mudata()] {
        as_they_are(&subjects);
    }
}

fn as_they_are(subjects: &[Subject]) {
    run(subjects, |subject, each| each("whole", subject.files.clone()));
}

#[test]
fn randomly_damaged_files() {
    let (stores, texts, folder) = (stores(), texts(), tenx_folder());
    let (daphne, anndata) = (daphne(), anndata());
    damaged_at_random(&stores, damage::STORE, mutations());
    damaged_at_random(&texts, damage::TEXT, mutations());
    damaged_at_random(&folder, damage::FOLDER, mutations());
    // The tests of nnz-daphne damage its files as often as others are damaged here.
    damaged_at_random(&daphne, damage::FILE, mutations().div_ceil(4));
    damaged_at_random(&anndata, damage::FILE, mutations());
    damaged_at_random(&mudata(), damage::FILE, 4 * mutations());
}

fn damaged_at_random(subjects: &[Subject], damages: &[Damage], count: u64) {
    run(subjects, |subject, each| {
        for number in 0..count {
            let mut random = Random::of(&subject.name, number);
            let mut files = subject.files.clone();
            let mut case = number.to_string();
            // Usually one fault, sometimes two or three.
            let count = [1, 1, 1, 2, 3][random.below(5)];
            for _ in 0..count {
                let damage: Damage = *random.pick(damages);
                let others = &random.pick(subjects).files;
                case += &format!(" {}", damage::apply(damage, &mut files, others, &mut random));
            }
            each(&case, files);
        }
    });
}

#[test]
fn truncated_files() {
    for subjects in [stores(), texts(), tenx_folder(), daphne(), anndata(), mudata()] {
        cut_short(&subjects, 16);
    }
}

fn cut_short(subjects: &[Subject], parts: usize) {
    run(subjects, |subject, each| {
        for (name, bytes) in &subject.files {
            // Including empty files, a part of the header, only the header, and all but one byte.
            let ends = (0..parts).map(|part| bytes.len() * part / parts);
            let mut ends: Vec<_> = ends.chain([4, 8, 12, bytes.len().saturating_sub(1)]).collect();
            ends.sort_unstable();
            ends.dedup();
            for end in ends.into_iter().filter(|end| *end < bytes.len()) {
                let mut files = subject.files.clone();
                files.insert(name.clone(), bytes[..end].to_vec());
                each(&format!("{name} cut at {end}"), files);
            }
        }
    });
}

#[test]
fn randomly_damaged_10x_hdf5_files() {
    let subjects = tenx();
    as_they_are(&subjects);
    damaged_at_random(&subjects, damage::FILE, 4 * mutations());
    cut_short(&subjects, 16);
}

#[test]
fn randomly_damaged_loom_files() {
    let subjects = loom();
    as_they_are(&subjects);
    damaged_at_random(&subjects, damage::FILE, mutations());
    cut_short(&subjects, 8);
}

/// Tables as text. The tests of nnz-text damage them more often.
#[test]
fn randomly_damaged_tables() {
    let subjects = tables();
    as_they_are(&subjects);
    damaged_at_random(&subjects, damage::FILE, mutations().div_ceil(4));
    cut_short(&subjects, 4);
}

#[test]
fn randomly_damaged_mat_files() {
    let subjects = matlab();
    as_they_are(&subjects);
    damaged_at_random(&subjects, damage::FILE, mutations().div_ceil(2));
    cut_short(&subjects, 8);
}

#[test]
fn randomly_damaged_rows_and_edges() {
    let subjects = rows_and_edges();
    as_they_are(&subjects);
    damaged_at_random(&subjects, damage::TEXT, mutations());
    cut_short(&subjects, 16);
}

/// SciPy and NumPy files. There are many similar ones.
#[test]
fn randomly_damaged_numpy_files() {
    let subjects = numpy();
    as_they_are(&subjects);
    damaged_at_random(&subjects, damage::FILE, mutations().div_ceil(4));
    cut_short(&subjects, 4);
}

#[test]
fn stores_with_extreme_numbers_in_all_arrays() {
    let subjects: Vec<_> = stores()
        .into_iter()
        .filter(|store| {
            let of = |prefix: &str| store.name.starts_with(prefix);
            of("basic_") || of("one_") || of("nnz0_") || of("zero") || of("handmade/")
        })
        .collect();
    run(&subjects, |subject, each| {
        for (name, bytes) in &subject.files {
            let size = match bytes.get(..8) {
                Some(b"UINT32v1") => 4,
                Some(b"UINT64v1") => 8,
                _ => continue,
            };
            let len = (bytes.len() - 8) / size;
            let mut places = vec![0, 1, len / 2, len.saturating_sub(2), len.saturating_sub(1)];
            places.sort_unstable();
            places.dedup();
            for place in places.into_iter().filter(|place| *place < len) {
                for extreme in damage::EXTREMES {
                    let mut files = subject.files.clone();
                    let file = files.get_mut(name).unwrap();
                    file[8 + place * size..][..size]
                        .copy_from_slice(&extreme.to_le_bytes()[..size]);
                    each(&format!("{name}[{place}] = {extreme:#x}"), files);
                }
            }
        }
    });
}

#[test]
fn texts_with_extreme_numbers() {
    let extreme = [
        "0",
        "1",
        "2147483648",
        "4294967295",
        "4294967296",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "-1",
        "1e9",
        "nan",
        "",
    ];
    run(&texts(), |subject, each| {
        let text = String::from_utf8_lossy(&subject.files[""]).into_owned();
        let lines: Vec<&str> = text.split('\n').collect();
        let content =
            lines.iter().enumerate().filter(|(_, l)| !l.starts_with('%') && !l.is_empty());
        // The sizes, the first entries and the last one.
        let content: Vec<_> = content.map(|(number, _)| number).collect();
        let mut chosen: Vec<_> = content.iter().take(3).chain(content.last()).copied().collect();
        chosen.dedup();
        for number in chosen {
            let fields: Vec<_> = lines[number].split(' ').collect();
            for field in 0..fields.len() {
                for extreme in extreme {
                    let mut fields = fields.clone();
                    fields[field] = extreme;
                    let changed = fields.join(" ");
                    let mut lines = lines.clone();
                    lines[number] = &changed;
                    let files = Files::from([(String::new(), lines.join("\n").into_bytes())]);
                    each(&format!("line {} field {} = {extreme}", number + 1, field + 1), files);
                }
            }
        }
    });
}

/// Huge shapes with few entries.
#[test]
fn huge_shapes_take_no_memory() {
    let deep = |sizes: &str, entries: &str| Subject {
        name: format!("deep {sizes}"),
        file_name: "deep.mtx".to_owned(),
        files: Files::from([(
            String::new(),
            format!("%%MatrixMarket matrix coordinate real general\n{sizes}\n{entries}")
                .into_bytes(),
        )]),
    };
    let last = "9223372036854775807";
    let subjects = [
        deep(&format!("{last} {last} 2"), &format!("1 1 1.5\n{last} {last} 2.5\n")),
        deep(&format!("{last} 3 2"), &format!("{last} 3 2.5\n1 1 1.5\n")),
        deep(&format!("3 {last} 2"), &format!("3 {last} 2.5\n3 1 -0.0\n")),
        deep("4294967295 4294967295 0", ""),
        deep("4294967296 4294967296 1", "4294967296 4294967296 7\n"),
        deep("4294967297 4294967297 1", "4294967297 4294967297 7\n"),
        deep(&format!("0 {last} 0"), ""),
    ];
    run(&subjects, |subject, each| each("whole", subject.files.clone()));
    // Also from text to text, sorted.
    let directory = tempfile::tempdir().unwrap();
    for subject in &subjects {
        let from = directory.path().join("from.mtx");
        let to = directory.path().join("to.mtx");
        fs::write(&from, &subject.files[""]).unwrap();
        let before = nnz::open(location(&from)).and_then(nnz::Dataset::into_matrix).unwrap();
        let expected = entries::logical(&*before).unwrap();
        for order in [None, Some(Order::Col), Some(Order::Row)] {
            let mut options = unsynced();
            options.order = order;
            let done =
                nnz::convert(location(&from), location(&to), &options, &crate::common::sparing());
            done.unwrap_or_else(|error| panic!("{}: {error}", subject.name));
            let after = nnz::open(location(&to)).and_then(nnz::Dataset::into_matrix).unwrap();
            assert_eq!(after.header().shape, before.header().shape);
            assert_eq!(entries::logical(&*after).unwrap(), expected, "{}", subject.name);
        }
    }
}
