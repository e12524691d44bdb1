//! Short reads change nothing, and failing reads are errors.
//!
//! For each sample of each format and container, opened and read to the end:
//!
//! - reads that return 1 byte, or an odd number of them, give the same result as full reads;
//! - if any call fails, opening or reading fails with that error: a file that cannot be read is not
//!   treated as missing, broken or of another format. Listing a directory can also fail in the middle.
//!
//! The same applies to checking, listing, and asking whether a location has fragments or a frame.
//!
//! If a sample needs many calls, a selection of them fails, each in a separate run.

use nnz::Context;
use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::samples;
use crate::common::whole::{Whole, whole};
use nnz::formats::list;
use nnz::numpy::{TensorArrays, from_arrays, to_arrays};
use nnz::{Location, OpenOptions, ValidateOptions, fragments, frames};
use nnz_container::npy::read_array_from;
use nnz_core::{ErrorKind, FragmentBatch};
use nnz_daphne::csv::CsvReader;
use nnz_daphne::{FrameBatch, FrameReader as _};
use nnz_singlecell::fragment_tsv::{self, Reading};
use nnz_storage::{FaultyStorage, ListedEntry, LocalStorage, Metadata, Opened, ReadAt, Storage};

/// The maximum number of failing calls of a sample, and how many of them are at the start and end.
const MOST: u64 = 40;
const FIRST: u64 = 16;
const LAST: u64 = 4;

/// Reads all data of a location; returns also the name of the format.
fn read(path: &Path, storage: Arc<dyn Storage>) -> nnz::Result<(&'static str, Whole)> {
    let context = Context::default().with_storage(storage);
    let options = OpenOptions::new();
    let found = context.detect(&Location::parse(path), &options)?;
    let name = found.format().info().name.as_str();
    Ok((name, whole(&found.open(&options)?)?))
}

/// Selects some of the calls.
fn spread(calls: u64) -> BTreeSet<u64> {
    if calls <= MOST {
        return (0..calls).collect();
    }
    let between = MOST - FIRST - LAST;
    let middle = (0..between).map(|at| FIRST + at * (calls - FIRST - LAST) / between);
    (0..FIRST).chain(middle).chain(calls - LAST..calls).collect()
}

/// Returns what is wrong with reading a sample in which one call fails.
fn wrong(path: &Path, call: u64) -> Option<String> {
    let storage = Arc::new(FaultyStorage::failing(Arc::new(LocalStorage), call));
    let shared: Arc<dyn Storage> = Arc::<FaultyStorage>::clone(&storage);
    let Ok(result) = catch_unwind(AssertUnwindSafe(|| read(path, shared))) else {
        return Some("panics".to_owned());
    };
    match result {
        _ if !storage.has_failed() => None,
        Ok((name, _)) => Some(format!("is read as {name} without an error")),
        Err(error) if !matches!(error.kind(), ErrorKind::Io(_)) || !error.is_system() => {
            Some(format!("is not an I/O error: {error}"))
        }
        Err(error) if !error.to_string().contains(FaultyStorage::FAULT) => {
            Some(format!("has another cause: {error}"))
        }
        Err(_) => None,
    }
}

/// Checks samples. Returns the names of their formats, and the errors of those that cannot be read, which
/// must be the same with short reads.
fn check(samples: &[PathBuf]) -> (BTreeSet<&'static str>, Vec<String>) {
    let (mut formats, mut refused) = (BTreeSet::new(), Vec::new());
    let mut faults = Vec::new();
    for path in samples {
        let read = |storage| read(path, storage).map_err(|error| error.to_string());
        let storage = Arc::new(FaultyStorage::short(Arc::new(LocalStorage), usize::MAX));
        let full = read(Arc::<FaultyStorage>::clone(&storage) as _);
        match &full {
            Ok((name, _)) => drop(formats.insert(*name)),
            Err(error) => refused.push(error.clone()),
        }
        for most in [1, 7, 4099] {
            let short = read(Arc::new(FaultyStorage::short(Arc::new(LocalStorage), most)));
            if short != full {
                let result = short.map(|(name, _)| name);
                faults.push(format!("{}, {most} bytes: {result:?}", path.display()));
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
fn written_files_of_all_formats() {
    let (folder, mut samples) = samples::written(300, 200, 3000);
    samples.push(folder.path().join("groups.h5::/d"));
    let (_, refused) = check(&samples);
    assert_eq!(refused, [""; 0]);
}

/// Reads all fragments of a text.
fn fragments_of_text(path: &Path, storage: &Arc<dyn Storage>) -> nnz::Result<Vec<FragmentBatch>> {
    let source = fragment_tsv::from_opened(&Opened::new(
        &nnz::engine::TaskContext::default().with_storage(Arc::clone(storage)),
        path,
    )?)?;
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
    let mut reader = CsvReader::from_opened(
        &Opened::new(&nnz::engine::TaskContext::default().with_storage(Arc::clone(storage)), path)?,
        &Default::default(),
    )?;
    let (mut batch, mut all) = (FrameBatch::default(), Vec::new());
    while reader.next_batch(&mut batch)? {
        all.push(format!("{batch:?}"));
    }
    Ok(all)
}

/// Reads a NumPy array.
fn array(path: &Path, storage: &Arc<dyn Storage>) -> nnz::Result<String> {
    let opened =
        Opened::new(&nnz::engine::TaskContext::default().with_storage(Arc::clone(storage)), path)?;
    // As text, in which all NaN are equal.
    Ok(format!("{:?}", read_array_from(opened.file().unwrap(), 1 << 20)?))
}

/// Checks other ways of reading: each call fails in a separate run.
fn check_each<T: PartialEq + std::fmt::Debug>(
    path: &Path,
    read: impl Fn(&Path, &Arc<dyn Storage>) -> nnz::Result<T>,
) {
    let of = |storage: &FaultyStorage| -> Arc<dyn Storage> { Arc::new(storage.clone()) };
    let storage = FaultyStorage::short(Arc::new(LocalStorage), usize::MAX);
    let full = read(path, &of(&storage)).unwrap();
    for most in [1, 7] {
        let short = FaultyStorage::short(Arc::new(LocalStorage), most);
        assert_eq!(read(path, &of(&short)).unwrap(), full);
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
fn single_texts_and_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text: String =
        (0..2000).map(|at| format!("chr1\t{at}\t{}\tAAAC-{}\t1\n", at + 50, at % 7)).collect();
    std::fs::write(at("fragments.tsv"), &text).unwrap();
    check_each(&at("fragments.tsv"), fragments_of_text);
    let packed = "testdata/bpcells/interop/fragments_tsv/frag_basic.tsv.gz";
    check_each(&crate::common::root().join(packed), fragments_of_text);
    let rows: String = (0..2000).map(|row| format!("{row},{}.5\n", row * 7)).collect();
    std::fs::write(at("frame.csv"), format!("a,b\n{rows}")).unwrap();
    check_each(&at("frame.csv"), cells);
    let npy = crate::common::root().join("testdata/scipy/npy");
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
fn all_golden_files() {
    let samples = samples::all_golden();
    let (formats, mut refused) = check(&samples);
    // Some malformed files have a broken entry. So does a folder whose uncompressed list of features belongs to another
    // matrix.
    refused.retain(|error| !error.contains("/bad"));
    let other = "both_genes_and_features/features.tsv.gz";
    assert!(refused.len() == 1 && refused[0].contains(other), "{refused:?}");
    // Only `fragments::import` opens fragments as text. There are no METIS graphs of other programs; written ones are
    // checked below.
    let others = ["fragment-text", "metis"];
    let readable = list().into_iter().filter(|info| !info.reads.is_empty());
    let readable: BTreeSet<_> =
        readable.map(|info| info.name.as_str()).filter(|name| !others.contains(name)).collect();
    assert_eq!(formats, readable);
}

/// Checks questions about locations: each of some calls fails in a separate run.
fn check_answers<T: PartialEq + std::fmt::Debug>(
    samples: &[PathBuf],
    ask: impl Fn(&Location, &Arc<dyn Storage>) -> nnz::Result<T>,
) -> Vec<T> {
    let of = |storage: &FaultyStorage| -> Arc<dyn Storage> { Arc::new(storage.clone()) };
    let (mut answers, mut faults) = (Vec::new(), Vec::new());
    for path in samples {
        let place = Location::parse(path);
        let storage = FaultyStorage::short(Arc::new(LocalStorage), usize::MAX);
        answers.push(ask(&place, &of(&storage)).unwrap());
        let calls = storage.calls();
        assert!(calls > 0, "{place}");
        for call in spread(calls) {
            let failing = FaultyStorage::failing(Arc::new(LocalStorage), call);
            let wrong = match ask(&place, &of(&failing)) {
                _ if !failing.has_failed() => continue,
                Err(error) if !error.is_system() => format!("is not an I/O error: {error}"),
                Err(error) if !error.to_string().contains(FaultyStorage::FAULT) => {
                    format!("has another cause: {error}")
                }
                Err(_) => continue,
                Ok(answer) => format!("is {answer:?} instead of an error"),
            };
            faults.push(format!("{place}, call {call} of {calls}: {wrong}"));
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
    answers
}

/// Checks a location and returns the findings.
fn findings(place: &Location, storage: &Arc<dyn Storage>) -> nnz::Result<Vec<String>> {
    let context = Context::default().with_threads(1).with_storage(Arc::clone(storage));
    let options = ValidateOptions::default();
    let mut found = Vec::new();
    nnz::validate(place, &options, &context, &mut |finding| found.push(finding.to_string()))?;
    Ok(found)
}

fn context(storage: &Arc<dyn Storage>) -> Context {
    crate::common::sparing().with_storage(Arc::clone(storage))
}

#[test]
fn checks_fail_on_io_errors() {
    let (folder, mut samples) = samples::written(40, 30, 200);
    samples.push(folder.path().join("groups.h5::/d"));
    let daphne = crate::common::root().join("testdata/daphne");
    samples.extend(golden_files(&daphne, "dbdf"));
    let stores = crate::common::root().join("testdata/bpcells/fragments_dir");
    samples.extend(std::fs::read_dir(stores).unwrap().map(|entry| entry.unwrap().path()));
    samples.retain(|path| findings(&Location::parse(path), &nnz_storage::local()).is_ok());
    assert!(samples.len() > 50, "{}", samples.len());
    check_answers(&samples, findings);
}

/// Returns the files of a directory with an extension.
fn golden_files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(golden_files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found
}

#[test]
fn listings_fail_on_io_errors() {
    let (folder, mut samples) = samples::written(40, 30, 200);
    let several = folder.path().join("groups.h5");
    let tenx = crate::common::root().join("testdata/tenx");
    samples.extend(golden_files(&tenx, "h5"));
    samples.retain(|path| nnz::open(path).is_ok());
    let others = |place: &Location, storage: &Arc<dyn Storage>| {
        nnz::formats::other_groups(place, &OpenOptions::new(), &context(storage))
    };
    assert!(check_answers(&samples, others).iter().any(Vec::is_empty));
    let root = folder.path().join("root.h5");
    std::fs::copy(&several, &root).unwrap();
    let whole = nnz::ConvertOptions::default().format("binsparse");
    let to = Location::Path { path: root.clone(), group: Some("e".to_owned()) };
    nnz::convert(&samples[0], &to, &whole, &crate::common::sparing()).unwrap();
    let of_root = Location::Path { path: root.clone(), group: Some(String::new()) };
    let listed = check_answers(&[PathBuf::from(of_root.to_string())], others);
    assert_eq!(listed, [["d", "e", "a/b/c"]]);
    check_answers(&samples, |place, storage| {
        let members = nnz::formats::list_members(place, &OpenOptions::new(), &context(storage))?;
        Ok(members.into_iter().map(|member| (member.path, member.kind)).collect::<Vec<_>>())
    });
    // A directory with several matrices.
    check_answers(&[folder.path().to_path_buf()], |place, storage| {
        match context(storage).detect(place, &OpenOptions::new()) {
            Err(error) if matches!(error.kind(), ErrorKind::Argument(_)) => Ok(error.to_string()),
            found => found.map(|_| String::new()),
        }
    });
    let binsparse = ["m.bsp.h5", "m.nc", "m.zarr", "m.npz", "m.bsp", "root.h5", "root.h5::e"];
    let binsparse = binsparse.map(|name| folder.path().join(name));
    let listed = check_answers(&binsparse, |place, storage| {
        let listed = nnz::formats::list_binsparse(place, &OpenOptions::new(), &context(storage))?;
        Ok(listed.into_iter().map(|(group, found)| (group, found.is_ok())).collect::<Vec<_>>())
    });
    assert!(listed.iter().all(|listed| listed.len() == 1 && listed[0].1), "{listed:?}");
}

#[test]
fn detection_fails_on_io_errors() {
    let (folder, mut samples) = samples::written(40, 30, 200);
    for file in ["frame.csv", "empty.csv"] {
        samples.push(folder.path().join(file));
    }
    std::fs::write(folder.path().join("frame.csv"), "a,b\n1,2\n").unwrap();
    std::fs::write(folder.path().join("empty.csv"), "").unwrap();
    let golden = crate::common::root().join("testdata");
    samples.extend(golden_files(&golden.join("daphne"), "dbdf"));
    samples.extend(golden_files(&golden.join("bpcells"), "rds"));
    let count = |answers: Vec<bool>| answers.into_iter().filter(|yes| *yes).count();
    let holds = check_answers(&samples, |place, storage| {
        fragments::is_fragments(place, &OpenOptions::new(), &context(storage))
    });
    assert!(count(holds) > 0);
    let holds = check_answers(&samples, |place, storage| {
        frames::is_frame(place, &OpenOptions::new(), &context(storage))
    });
    assert!(count(holds) > 0);
    let texts = ["frame.csv", "empty.csv"].map(|name| folder.path().join(name));
    let texts = check_answers(&texts, |place, storage| {
        frames::is_text(place, &OpenOptions::new(), &context(storage))
    });
    assert_eq!(texts, [true, true]);
}

#[test]
fn tensors_from_arrays_fail_on_io_errors() {
    let (folder, _) = samples::written(20, 10, 50);
    let at = |name: &str| folder.path().join(name);
    let [tensor, pattern, fill] = ["t.npy", "p.npy", "f.npy"].map(at);
    let arrays = TensorArrays { tensor, pattern, fill };
    let write = || nnz::output::WriteOptions::default().sync(false);
    to_arrays(
        &at("m.bsp").into(),
        &arrays,
        &OpenOptions::new(),
        write(),
        &crate::common::sparing(),
    )
    .unwrap();
    std::fs::write(at("header.json"), r#"{"format": "CSR"}"#).unwrap();
    check_answers(&[at("header.json")], |header, storage| {
        let Location::Path { path, .. } = header else { panic!("{header}") };
        from_arrays(
            &arrays,
            path,
            &at("made.bsp").into(),
            write().overwrite(true),
            &context(storage),
        )
    });
}

/// A storage in which directories named `denied` cannot be read.
#[derive(Debug)]
struct Denying(Arc<dyn Storage>);

impl Denying {
    fn allow(path: &Path) -> io::Result<()> {
        match path.components().any(|part| part.as_os_str() == "denied") {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(()),
        }
    }
}

impl Storage for Denying {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        Self::allow(path).and_then(|()| self.0.metadata(path))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        Self::allow(path).and_then(|()| self.0.open(path))
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        Self::allow(path).and_then(|()| self.0.open_stream(path))
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        Self::allow(path)?;
        Ok(Arc::new(Self(self.0.open_directory(path)?)))
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        Self::allow(path).and_then(|()| self.0.list(path, each))
    }
}

#[test]
fn unreadable_directories_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("denied")).unwrap();
    let message = || {
        let context = Context::default().with_storage(Arc::new(Denying(nnz_storage::local())));
        context.open(folder.path()).unwrap_err()
    };
    let error = message();
    assert!(
        error.is_system() && error.to_string().contains("denied: permission denied"),
        "{error}"
    );
    std::fs::write(folder.path().join("m.mtx"), "").unwrap();
    let error = message().to_string();
    let lines: Vec<&str> = error.lines().skip(1).collect();
    assert!(lines[0].ends_with("/m.mtx"), "{error}");
    assert!(lines[1].contains("denied: permission denied") && lines.len() == 2, "{error}");
}

/// A storage with the files of a directory under a path that does not exist.
#[derive(Debug)]
struct Elsewhere(PathBuf);

impl Elsewhere {
    const ROOT: &str = "/another/root";

    fn inner(&self, path: &Path) -> io::Result<PathBuf> {
        let inner = path.strip_prefix(Self::ROOT).map_err(|_| io::ErrorKind::NotFound)?;
        Ok(self.0.join(inner))
    }
}

impl Storage for Elsewhere {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        LocalStorage.metadata(&self.inner(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        LocalStorage.open(&self.inner(path)?)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        LocalStorage.open_stream(&self.inner(path)?)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        LocalStorage.open_directory(&self.inner(path)?)
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        LocalStorage.list(&self.inner(path)?, each)
    }
}

/// Sizes, findings and lists come from the storage.
#[test]
fn the_file_system_is_not_accessed() {
    let (folder, mut samples) = samples::written(40, 30, 200);
    let scipy = crate::common::root().join("testdata/scipy");
    let tensors = ["npz/scipy1.18.1/coo_array_3d.npz", "npy/shape_3d.npy", "npy/shape_1d.npy"];
    for (number, tensor) in tensors.iter().enumerate() {
        let extension = Path::new(tensor).extension().unwrap().to_str().unwrap();
        let copy = folder.path().join(format!("tensor{number}.{extension}"));
        std::fs::copy(scipy.join(tensor), &copy).unwrap();
        samples.push(copy);
    }
    let other: Arc<dyn Storage> = Arc::new(Elsewhere(folder.path().to_path_buf()));
    for path in &samples {
        let place = Path::new(Elsewhere::ROOT).join(path.strip_prefix(folder.path()).unwrap());
        let asked = |place: &Path, storage: &Arc<dyn Storage>| {
            let context = context(storage);
            let bytes = match context.open(place).unwrap() {
                nnz::Dataset::Tensor(tensor) => tensor.about().unwrap().bytes,
                other => other.into_matrix().unwrap().about().unwrap().bytes,
            };
            let place = Location::parse(place);
            let found = findings(&place, storage).unwrap().len();
            let options = OpenOptions::new();
            let others = nnz::formats::other_groups(&place, &options, &context).unwrap();
            let members = nnz::formats::list_members(&place, &options, &context).unwrap().len();
            (bytes, found, others, members)
        };
        let expected = asked(path, &nnz_storage::local());
        assert!(expected.0.is_some(), "{}", path.display());
        assert_eq!(asked(&place, &other), expected, "{}", path.display());
    }
}
