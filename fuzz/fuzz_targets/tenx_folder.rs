//! 10x folders: valid ones can be read, whole and in units, and the number of names is as stated.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{Axis, Context, MatrixSource as _, error::Severity};
use nnz_fuzz::members;
use nnz_fuzz::read::{agree, backwards, in_order};
use nnz_fuzz::scratch::{Scratch, location};
use nnz_matrix_market::tenx_folder;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

/// The files of a folder, by the byte that selects the name.
const FILES: &[&str] = &[
    "matrix.mtx",
    "matrix.mtx.gz",
    "barcodes.tsv",
    "barcodes.tsv.gz",
    "features.tsv",
    "features.tsv.gz",
    "genes.tsv",
    "genes.tsv.gz",
];

fuzz_target!(|input: &[u8]| -> Corpus {
    let folder = SCRATCH.path("folder");
    SCRATCH.clear(&["folder"]);
    std::fs::create_dir(&folder).unwrap();
    for (name, content) in members::cut(input) {
        let name = FILES[usize::from(name) % FILES.len()];
        std::fs::write(folder.join(name), content).unwrap();
    }
    let mut faults = Vec::new();
    let context = Context::default().with_memory(1 << 20).with_threads(1);
    let validated = nnz::validate(
        &location(&folder),
        &nnz::ValidateOptions::default(),
        &context,
        &mut |finding| {
            if finding.severity == Severity::Fault {
                faults.push(finding);
            }
        },
    );
    let valid = validated.is_ok() && faults.is_empty();
    let source = match tenx_folder::open(&folder) {
        Ok(source) => source,
        Err(error) => {
            assert!(!valid, "{error}");
            return Corpus::Keep;
        }
    };
    let read = in_order(&source);
    agree(&read, &backwards(&source));
    let _ = (source.about(), source.extras(), source.notes());
    for axis in [Axis::Rows, Axis::Cols] {
        match source.names(axis) {
            Ok(names) => assert_eq!(names.unwrap().len(), source.header().shape.len(axis)),
            Err(error) => assert!(!valid, "{error}"),
        }
    }
    if let Err(error) = read {
        assert!(!valid, "{error}");
    }
    Corpus::Keep
});
