//! Text in the engine: valid text can be read, threads do not change the result, and conversions
//! round-trip.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{Context, ConvertOptions, DiffOptions, Order, error::Severity};
use nnz_fuzz::scratch::{Scratch, location};

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

/// Maximum number of columns to write: eight bytes each.
const LONGEST: u64 = 1 << 16;

const MEMORY: u64 = 1 << 20;

fuzz_target!(|input: &[u8]| -> Corpus {
    // The first byte selects the options, the rest is the text.
    let Some((&how, text)) = input.split_first() else { return Corpus::Reject };
    SCRATCH.clear(&["one", "two", "back.mtx"]);
    let path = SCRATCH.write("m.mtx", text);
    let here = location(&path);
    let Ok(opened) = nnz::open(&here).and_then(nnz::Dataset::into_matrix) else {
        return Corpus::Reject;
    };
    let shape = opened.header().shape;
    let mut faults = Vec::new();
    let context = context();
    nnz::validate(&here, &nnz::ValidateOptions::default(), &context, &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding);
        }
    })
    .unwrap();
    let options = nnz::CatOptions::default();
    let catted = nnz::cat(&here, &options, &context, &mut std::io::sink());
    if faults.is_empty() {
        catted.unwrap();
    }
    if shape.rows.max(shape.cols) > LONGEST {
        return Corpus::Keep;
    }

    let options = ConvertOptions::default()
        .format("bpcells")
        .order([None, Some(Order::Row), Some(Order::Col), None][usize::from(how & 3)])
        .format_options(
            nnz::formats::FormatOptions::new()
                .with("unpacked", (how & 4 != 0).to_string())
                .with("format-version", if how & 8 != 0 { "1" } else { "2" }),
        )
        .transpose(how & 16 != 0)
        .duplicates(
            [
                None,
                Some(nnz::output::DuplicatePolicy::Keep),
                Some(nnz::output::DuplicatePolicy::Sum),
                None,
            ][usize::from(how >> 5 & 3)],
        )
        .overwrite(true)
        .sync(false);
    let outcomes = [("one", 1), ("two", 2)].map(|(name, threads)| {
        let context = context.clone().with_threads(threads);
        let target = SCRATCH.path(name);
        let done = nnz::convert(&here, &location(&target), &options, &context);
        let text = |error: nnz::Error| error.to_string().replace(&*target.to_string_lossy(), "");
        done.map(|summary| summary.entries).map_err(text)
    });
    assert_eq!(outcomes[0], outcomes[1]);
    if outcomes[0].is_err() {
        assert!(!SCRATCH.path("one").exists() && !SCRATCH.path("two").exists());
        return Corpus::Keep;
    }
    for entry in fs::read_dir(SCRATCH.path("one")).unwrap() {
        let name = entry.unwrap().file_name();
        let files = ["one", "two"].map(|store| fs::read(SCRATCH.path(store).join(&name)).unwrap());
        assert!(files[0] == files[1], "{name:?}");
    }

    // The output is valid for any source.
    let store = location(&SCRATCH.path("one"));
    nnz::validate(&store, &nnz::ValidateOptions::default(), &context, &mut |finding| {
        assert!(finding.severity != Severity::Fault, "{finding}");
    })
    .unwrap();
    if options.transpose || options.duplicates.is_some() {
        return Corpus::Keep;
    }
    // Only matrices without duplicates were converted.
    assert!(faults.is_empty(), "{faults:?}");
    same(&here, &store);
    let back = location(&SCRATCH.path("back.mtx"));
    let options = ConvertOptions::default()
        .format_options(nnz::formats::FormatOptions::new().with("layout", "coordinate"))
        .overwrite(true)
        .sync(false);
    nnz::convert(&store, &back, &options, &context).unwrap();
    same(&here, &back);
    Corpus::Keep
});

fn context() -> Context {
    Context::default().with_memory(MEMORY).with_threads(1)
}

fn same(one: &nnz::Location, other: &nnz::Location) {
    let (options, context) = (DiffOptions::default().stored(false).max_diffs(3), context());
    let mut found = Vec::new();
    nnz::diff(one, other, &options, &context, &mut |difference| found.push(difference)).unwrap();
    assert!(found.is_empty(), "{found:?}");
}
