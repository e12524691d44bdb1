//! Inputs of public bug reports, and small files of the test suites of other projects: `testdata/reports`.

mod archives;
mod columns;
mod containers;
mod found;
mod labels;
mod lost;
mod matlab;
mod r_objects;
mod selections;
mod text;

use nnz_testing::command::{testdata, text};

/// Returns the path of a file in `testdata/reports`.
fn report(path: &str) -> String {
    text(&testdata().join("reports").join(path)).to_owned()
}
