//! A cancelled conversion leaves no files and can be repeated.

use nnz::Context;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use nnz::fragments::{self, ImportOptions, StoreOptions};
use nnz::{
    Cancellation, ConvertOptions, CsMatrix, ErrorKind, Order, Progress, Shape, WriteMatrix as _,
};

/// Cancels after the first progress of a part of the work.
struct CancelAt {
    work: &'static str,
    cancellation: Cancellation,
    current: Mutex<String>,
}

impl CancelAt {
    fn new(work: &'static str) -> Self {
        Self { work, cancellation: Cancellation::new(), current: Mutex::default() }
    }
}

impl Progress for CancelAt {
    fn begin(&self, what: &str, _: Option<u64>) {
        what.clone_into(&mut self.current.lock().unwrap());
    }

    fn advance(&self, entries: u64) {
        if entries > 0 && *self.current.lock().unwrap() == self.work {
            self.cancellation.cancel();
        }
    }

    fn end(&self) {}
}

/// Creates a matrix of 1000 rows with an entry in every other of 2000 columns.
fn matrix() -> CsMatrix {
    let shape = Shape { rows: 1000, cols: 2000 };
    let indptr: Vec<u64> = (0..=1000).map(|row| row * 1000).collect();
    let indices: Vec<u32> = (0..1000).flat_map(|_| (0..1000).map(|col| 2 * col)).collect();
    let values: Vec<u32> = (0..1_000_000).map(|entry| entry % 91 + 1).collect();
    CsMatrix::from_parts(shape, Order::Row, indptr, indices, values).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn cancelled_conversions_leave_no_files() {
    let source = matrix().into_source().unwrap();
    for name in ["a.bpcells", "a.mtx", "a.bsp.h5", "a.bsp.zarr", "a.rds"] {
        for threads in [1, 2] {
            for (work, order) in
                [("writing", Order::Row), ("sorting", Order::Col), ("writing", Order::Col)]
            {
                let directory = tempfile::tempdir().unwrap();
                let to = nnz::Location::parse(directory.path().join(name));
                let bar = Arc::new(CancelAt::new(work));
                let context = Context::default().with_memory(4 << 20).with_threads(threads);
                let cancelled =
                    context.clone().with_cancellation(bar.cancellation.clone()).with_progress(bar);
                let options = ConvertOptions::default().order(order).overwrite(true).sync(false);
                let convert =
                    |context: &Context| nnz::convert_source(&*source, &to, &options, context);
                let case = format!("{name} {threads} {work} {order}");
                // An existing file is unchanged.
                let replaces = name == "a.mtx";
                if replaces {
                    std::fs::write(directory.path().join(name), "before").unwrap();
                }
                let error = convert(&cancelled).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Cancelled), "{case}: {error}");
                if replaces {
                    assert_eq!(names(directory.path()), [name], "{case}");
                    let left = std::fs::read(directory.path().join(name)).unwrap();
                    assert_eq!(left, b"before", "{case}");
                } else {
                    assert_eq!(names(directory.path()), [""; 0], "{case}");
                }

                assert_eq!(convert(&context).unwrap().entries, 1_000_000, "{case}");
                assert_eq!(names(directory.path()), [name], "{case}");
            }
        }
    }
}

/// Cancels when all entries have been passed to the target, which has not written all of them.
#[derive(Default)]
struct CancelAtEnd(Cancellation);

impl Progress for CancelAtEnd {
    fn begin(&self, _: &str, _: Option<u64>) {}

    fn advance(&self, _: u64) {}

    fn end(&self) {
        self.0.cancel();
    }
}

#[test]
fn a_file_that_is_written_at_the_end_is_cancelled() {
    let source = matrix().into_source().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let to = nnz::Location::parse(directory.path().join("a.rds"));
    let bar = Arc::new(CancelAtEnd::default());
    let context = Context::default().with_cancellation(bar.0.clone()).with_progress(bar);
    let options = ConvertOptions::default();
    let error = nnz::convert_source(&*source, &to, &options, &context).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    assert_eq!(names(directory.path()), [""; 0]);
}

#[test]
fn cancelled_imports_leave_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let text: String = (0..200_000_u32)
        .map(|at| format!("chr1\t{}\t{}\tcell{}\n", at / 2 * 3, at / 2 * 3 + 50, at % 7))
        .collect();
    let from = directory.path().join("fragments.tsv");
    std::fs::write(&from, text).unwrap();
    let (from, to) =
        (nnz::Location::parse(&from), nnz::Location::parse(directory.path().join("store")));
    for (work, sort) in [("importing", false), ("sorting", true), ("writing", true)] {
        for threads in [1, 2] {
            let bar = Arc::new(CancelAt::new(work));
            let context = Context::default().with_memory(12 << 20).with_threads(threads);
            let cancelled =
                context.clone().with_cancellation(bar.cancellation.clone()).with_progress(bar);
            let options = StoreOptions::default().overwrite(true).sync(false);
            let reading = || ImportOptions::default().sort(sort);
            let error = fragments::import(&from, &to, reading(), &options, &cancelled).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Cancelled), "{work}: {error}");
            assert_eq!(names(directory.path()), ["fragments.tsv"], "{work}");

            let done = fragments::import(&from, &to, reading(), &options, &context).unwrap();
            assert_eq!(done.fragments, 200_000);
            std::fs::remove_dir_all(directory.path().join("store")).unwrap();
        }
    }
}

#[test]
fn printing_and_checking_are_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let is_cancelled =
        |done: nnz::Result<()>| matches!(done.unwrap_err().kind(), ErrorKind::Cancelled);
    for name in ["a.bpcells", "a.mtx", "a.bsp.h5", "a.rds", "a.dbdf"] {
        let at = nnz::Location::parse(directory.path().join(name));
        matrix().write(&at, &ConvertOptions::default(), &Context::default()).unwrap();
        let context = Context::default().with_cancellation(cancelled.clone());
        let cat = nnz::CatOptions::default();
        assert!(is_cancelled(nnz::cat(&at, &cat, &context, &mut Vec::new())), "{name}");
        let context = Context::default().with_cancellation(cancelled.clone());
        let validate = nnz::ValidateOptions::default();
        let mut findings = Vec::new();
        let done = nnz::validate(&at, &validate, &context, &mut |finding| findings.push(finding));
        assert!(is_cancelled(done) && findings.is_empty(), "{name}: {findings:?}");
    }
    let text = directory.path().join("a.tsv");
    std::fs::write(&text, "chr1\t1\t5\tA\nchr1\t3\t9\tB\n").unwrap();
    let store = nnz::Location::parse(directory.path().join("a.fragments"));
    let options = StoreOptions::default();
    let context = Context::default();
    fragments::import(&text.into(), &store, ImportOptions::default(), &options, &context).unwrap();
    let source = fragments::open(&store, &context).unwrap();
    let region = fragments::Region::parse("chr1", &source.chromosome_names().unwrap()).unwrap();
    let context = Context::default().with_cancellation(cancelled.clone());
    let printed = fragments::print(&*source, &[], &context, &mut Vec::new());
    let queried = fragments::query(&*source, &region, &context, &mut |_| Ok(()));
    let context = Context::default().with_cancellation(cancelled.clone());
    let comparing = fragments::DiffOptions::default();
    let compared = fragments::diff(&store, &store, &comparing, &context, &mut |_| ());
    let context = Context::default().with_cancellation(cancelled);
    let validate = nnz::ValidateOptions::default();
    let validated = nnz::validate(&store, &validate, &context, &mut |_| ());
    for done in [printed, queried, compared, validated] {
        assert!(is_cancelled(done));
    }
}
