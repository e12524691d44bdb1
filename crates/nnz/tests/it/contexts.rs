//! Every function of the library uses the formats and the storage of its context, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz::compute::{Normalization, PcaOptions, TargetSum};
use nnz::engine::Filter;
use nnz::plot::LengthMeasure;
use nnz::report::{Report, ReportOptions, compare};
use nnz::{
    Axis, Cancellation, CatOptions, ConcatOptions, Context, ConvertOptions, CsMatrix, DiffOptions,
    ErrorKind, Location, OpenOptions, Order, Progress, ReadOptions, Result, Selection, Shape,
    StatsOptions, ValidateOptions, WriteMatrix as _,
};
use nnz_storage::{CountingStorage, LocalStorage};

use crate::toy_format::{TEXT, TOY};

/// A file of a format that only the context knows, at a path that only its storage has.
struct Case {
    folder: tempfile::TempDir,
    context: Context,
}

impl Case {
    fn new(context: Context) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.toy", "b.toy"] {
            std::fs::write(folder.path().join(name), TEXT).unwrap();
        }
        Self { folder, context }
    }

    fn at(&self, name: &str) -> Location {
        Location::Path { path: self.folder.path().join(name), group: None }
    }
}

/// A function of the library on a source.
type Call = (&'static str, fn(&Case, &Location) -> Result<()>);

/// All functions that open a location. Targets are named after the function.
const CALLS: &[Call] = &[
    ("open", |case, from| case.context.open(from).map(drop)),
    ("OpenOptions::open", |case, from| OpenOptions::new().open(from, &case.context).map(drop)),
    ("detect", |case, from| case.context.detect(&from.clone(), &OpenOptions::new()).map(drop)),
    ("read", |case, from| nnz::read(from, &ReadOptions::default(), &case.context).map(drop)),
    ("read_dense", |case, from| {
        nnz::read_dense(from, &ReadOptions::default(), &case.context).map(drop)
    }),
    ("stats", |case, from| nnz::stats(from, &StatsOptions::default(), &case.context).map(drop)),
    ("cat", |case, from| nnz::cat(from, &CatOptions::default(), &case.context, &mut Vec::new())),
    ("diff", |case, from| {
        let options = DiffOptions::default();
        nnz::diff(from, case.at("b.toy"), &options, &case.context, &mut |found| panic!("{found:?}"))
    }),
    ("validate", |case, from| {
        let options = ValidateOptions::default();
        nnz::validate(from, &options, &case.context, &mut |found| panic!("{found}"))
    }),
    ("convert", |case, from| {
        nnz::convert(from, case.at("convert.mtx"), &ConvertOptions::default(), &case.context)
            .map(drop)
    }),
    ("slice", |case, from| {
        let (all, options) = (Selection::all(), ConvertOptions::default());
        nnz::slice(from, case.at("slice.mtx"), [&all, &all], &options, &case.context).map(drop)
    }),
    ("filter", |case, from| {
        let (rows, cols) = (Filter::all(), "nnz>0".parse::<Filter>().unwrap());
        let options = ConvertOptions::default();
        nnz::filter(from, case.at("filter.mtx"), [&rows, &cols], None, &options, &case.context)
            .map(drop)
    }),
    ("concat", |case, from| {
        let sources = [from.clone(), case.at("b.toy")];
        let (how, options) = (ConcatOptions::default(), ConvertOptions::default());
        let to = case.at("concat.mtx");
        nnz::concat(&sources, to, Axis::Rows, &how, &options, &case.context).map(drop)
    }),
    ("repair", |case, from| {
        let options = ConvertOptions::default();
        nnz::repair(from, case.at("repair.mtx"), false, &options, &case.context).map(drop)
    }),
    ("normalize", |case, from| {
        let how = Normalization::default().target_sum(TargetSum::Median);
        let (to, options) = (case.at("normalize.mtx"), ConvertOptions::default());
        nnz::compute::normalize(from, to, &how, &options, &case.context).map(drop)
    }),
    ("pca", |case, from| {
        let (how, options) = (Normalization::default(), PcaOptions::default().components(2));
        let (to, convert) = (case.at("pca.npz"), ConvertOptions::default());
        nnz::compute::pca(from, to, &how, &options, &convert, &case.context).map(drop)
    }),
    ("density", |case, from| nnz::plot::density(from, [2, 2], &case.context).map(drop)),
    ("lengths", |case, from| {
        nnz::plot::lengths(from, Axis::Rows, LengthMeasure::Nnz, &case.context).map(drop)
    }),
    ("count_values", |case, from| nnz::plot::count_values(from, &case.context).map(drop)),
    ("report", |case, from| {
        Report::of_location(from, &ReportOptions::default(), &case.context).map(drop)
    }),
    ("beside", |case, from| {
        let other = case.at("b.toy");
        compare(from.clone(), other, &ReportOptions::default(), &case.context).map(drop)
    }),
    ("list_members", |case, from| {
        nnz::formats::list_members(from, &OpenOptions::new(), &case.context).map(drop)
    }),
    ("inspect", |case, from| {
        nnz::formats::inspect(from, &OpenOptions::new(), &case.context).map(drop)
    }),
];

fn context() -> Context {
    Context::default().with_format(TOY).with_threads(1)
}

#[test]
fn functions_use_the_formats_of_their_context() {
    let (case, unknown) = (Case::new(context()), Case::new(Context::default()));
    for (name, call) in CALLS {
        call(&case, &case.at("a.toy")).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Listing the members of a file does not need its format.
        let found = call(&unknown, &unknown.at("a.toy"));
        let refused = found.as_ref().is_err_and(|error| error.to_string().contains("unknown"));
        assert!(refused || *name == "list_members", "{name}: {found:?}");
    }
}

#[test]
fn functions_read_through_the_storage_of_their_context() {
    let storage = CountingStorage::new(Arc::new(LocalStorage));
    let case = Case::new(context().with_storage(Arc::new(storage.clone())));
    for (name, call) in CALLS {
        drop(storage.take());
        call(&case, &case.at("a.toy")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!storage.take().is_empty(), "{name}");
    }
}

#[test]
fn functions_that_read_entries_end_when_their_context_is_cancelled() {
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let case = Case::new(context().with_cancellation(cancellation));
    let without_entries = ["open", "OpenOptions::open", "detect", "inspect", "list_members"];
    for (name, call) in CALLS.iter().filter(|(name, _)| !without_entries.contains(name)) {
        let error = call(&case, &case.at("a.toy")).expect_err(name);
        assert!(matches!(error.kind(), ErrorKind::Cancelled), "{name}: {error}");
    }
    // Only the sources are there.
    assert_eq!(std::fs::read_dir(case.folder.path()).unwrap().count(), 2);
}

/// Counts entries.
#[derive(Default)]
struct Counter(AtomicU64);

impl Progress for Counter {
    fn begin(&self, _: &str, _: Option<u64>) {}

    fn advance(&self, entries: u64) {
        self.0.fetch_add(entries, Ordering::Relaxed);
    }

    fn end(&self) {}
}

#[test]
fn progress_goes_to_the_context() {
    let counter = Arc::new(Counter::default());
    let case = Case::new(context().with_progress(Arc::clone(&counter) as Arc<dyn Progress>));
    nnz::convert(case.at("a.toy"), case.at("x.mtx"), &ConvertOptions::default(), &case.context)
        .unwrap();
    assert_eq!(counter.0.load(Ordering::Relaxed), 3);
}

#[test]
fn temporary_files_are_in_the_directory_of_the_context() {
    let missing = std::path::Path::new("/none/of it");
    assert!(Context::default().with_temporary_directory(missing).is_err());
    let folder = tempfile::tempdir().unwrap();
    let context = Context::default().with_temporary_directory(folder.path()).unwrap();
    assert_eq!(context.temporary_directory(), folder.path());
    assert_eq!(context.spill_directory(std::path::Path::new("/elsewhere")), folder.path());
}

#[test]
fn arrays_of_npz_are_buffered_in_the_directory_of_the_context() {
    let [folder, removed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let context = Context::default().with_temporary_directory(removed.path()).unwrap();
    drop(removed);
    // More than fits into a buffer in memory.
    let shape = Shape { rows: 1, cols: 100_000 };
    let indices: Vec<u32> = (0..100_000).collect();
    let matrix =
        CsMatrix::from_parts(shape, Order::Row, vec![0, 100_000], indices.clone(), indices);
    let target = folder.path().join("m.npz");
    let written = matrix.unwrap().write(target, &ConvertOptions::default(), &context);
    let error = written.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io(_) | ErrorKind::Missing), "{error}");
}
