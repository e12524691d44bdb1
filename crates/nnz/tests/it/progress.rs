//! Long operations report progress: each part ends, and reports as many entries as it began with.

use nnz::Context;
use std::path::Path;
use std::sync::{Arc, Mutex};

use nnz::compute::{Normalization, PcaOptions, TargetSum};
use nnz::engine::Filter;
use nnz::report::{Report, ReportOptions};
use nnz::{ConvertOptions, DiffOptions, Location, Progress, ValidateOptions};
use nnz_testing::command::testdata;

/// The name of a part, its total, and what was finished.
type PartProgress = (String, Option<u64>, u64);

#[derive(Default)]
struct Recorder {
    parts: Mutex<Vec<PartProgress>>,
    open: Mutex<bool>,
}

impl Progress for Recorder {
    fn begin(&self, what: &str, total: Option<u64>) {
        assert!(
            !std::mem::replace(&mut self.open.lock().unwrap(), true),
            "{what} begins in a part"
        );
        self.parts.lock().unwrap().push((what.to_owned(), total, 0));
    }

    fn advance(&self, entries: u64) {
        self.parts.lock().unwrap().last_mut().unwrap().2 += entries;
    }

    fn end(&self) {
        assert!(std::mem::replace(&mut self.open.lock().unwrap(), false), "ends twice");
    }
}

/// Returns the parts that an operation reports.
fn parts(operation: impl FnOnce(&Context)) -> Vec<PartProgress> {
    let recorder = Arc::new(Recorder::default());
    let progress: Arc<dyn Progress> = Arc::<Recorder>::clone(&recorder);
    operation(&Context::default().with_progress(progress));
    assert!(!*recorder.open.lock().unwrap(), "a part does not end");
    std::mem::take(&mut *recorder.parts.lock().unwrap())
}

fn part(what: &str, entries: u64) -> PartProgress {
    (what.to_owned(), Some(entries), entries)
}

fn at(path: &Path) -> Location {
    Location::Path { path: path.to_owned(), group: None }
}

const ENTRIES: u64 = 23_866;

/// Converts the example into a directory.
fn example(directory: &Path, name: &str) -> Location {
    let source = at(&testdata().join("../examples/pbmc_10x_v3_mtx"));
    let target = at(&directory.join(name));
    nnz::convert(source, target.clone(), &ConvertOptions::default(), &Context::default()).unwrap();
    target
}

#[test]
fn validation_reports_the_entries_of_every_format() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["a.bpcells", "a.h5ad", "a.npz", "a.mtx", "a.mat", "a.loom", "a.bsp.h5"] {
        let location = example(scratch.path(), name);
        let found = parts(|context| {
            let options = ValidateOptions::default();
            nnz::validate(&location, &options, context, &mut |_| {}).unwrap();
        });
        let [(what, total, done)] = &found[..] else { panic!("{name}: {found:?}") };
        // Loom stores all elements.
        let entries = if name.ends_with("loom") { 507 * 1107 } else { ENTRIES };
        assert_eq!((&**what, *total), ("checking", Some(entries)), "{name}");
        // Not every array of Binsparse and BPCells is read in each pass.
        let least = if name.contains(".b") { entries / 4 } else { entries };
        assert!((least..=entries).contains(done), "{name}: {done}");
    }
}

#[test]
fn comparisons_report_the_entries_of_both() {
    let scratch = tempfile::tempdir().unwrap();
    let first = example(scratch.path(), "a.bpcells");
    let with_ids = |name: &str| {
        let (source, target) =
            (at(&testdata().join("../examples/pbmc_10x_v3_mtx")), at(&scratch.path().join(name)));
        let labels = nnz::annotations::Labels::default().names_from(Some("id".to_owned()));
        let options = ConvertOptions::default().row_labels(labels);
        nnz::convert(source, target.clone(), &options, &Context::default()).unwrap();
        target
    };
    for (name, by_name) in [("b.npz", false), ("c.h5ad", false), ("d.h5ad", true)] {
        let second = with_ids(name);
        let found = parts(|context| {
            let options = DiffOptions::default().by_name(by_name);
            nnz::diff(&first, &second, &options, context, &mut |found| panic!("{found:?}"))
                .unwrap();
        });
        assert_eq!(found, [part("comparing", 2 * ENTRIES)], "{name}");
    }
    let [first, second] = ["e.h5ad", "f.h5ad"].map(|name| example(scratch.path(), name));
    let found = parts(|context| {
        let each = &mut |found| panic!("{found:?}");
        nnz::diff(&first, &second, &DiffOptions::default(), context, each).unwrap();
    });
    assert_eq!(found, [part("comparing", 2 * ENTRIES)]);
}

#[test]
fn measuring_and_computing_are_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let source = example(scratch.path(), "a.h5ad");
    let target = |name: &str| at(&scratch.path().join(name));
    let options = ConvertOptions::default();
    let found = parts(|context| {
        let filter = "nnz>=1".parse::<Filter>().unwrap();
        let filters = [&filter, &Filter::all()];
        nnz::filter(source.clone(), target("f.bpcells"), filters, None, &options, context).unwrap();
    });
    assert_eq!(found[0], part("measuring", ENTRIES));
    assert_eq!(found[1].0, "writing");
    let found = parts(|context| {
        let how = Normalization::default().target_sum(TargetSum::Median);
        nnz::compute::normalize(source.clone(), target("n.h5ad"), &how, &options, context).unwrap();
    });
    assert_eq!(found, [part("measuring", ENTRIES), part("writing", ENTRIES)]);
    let found = parts(|context| {
        let (how, components) =
            (Normalization::default(), PcaOptions::default().components(2).iterations(Some(2)));
        let to = target("p.npz");
        nnz::compute::pca(source.clone(), to, &how, &components, &options, context).unwrap();
    });
    let passes = (1..=6).map(|pass| part(&format!("computing, pass {pass} of 6"), ENTRIES));
    assert_eq!(found, passes.collect::<Vec<_>>());
}

#[test]
fn every_pass_of_a_report_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let source = example(scratch.path(), "a.bpcells");
    let found = parts(|context| {
        Report::of_location(source, &ReportOptions::default(), context).unwrap();
    });
    let count = |what: &str| found.iter().filter(|(name, ..)| name == what).count();
    // Three kinds of pictures, one of them of both axes, and sums.
    assert!(count("reading") >= 5, "{found:?}");
    // Formats whose size is measured.
    assert!(count("writing") >= 5, "{found:?}");
    assert_eq!(count("checking"), 1);
}
