//! The step of R: it reads our files, and compares them with its own objects.

use std::process::Command;

use crate::cargo;
use crate::error::Result;

/// Returns why the step cannot run, if so.
pub(crate) fn missing() -> Option<&'static str> {
    if !answers("quit()") {
        Some("R is not installed (Debian: apt install r-base-core r-cran-matrix)")
    } else if !answers("library(Matrix)") {
        Some("the package Matrix of R is not installed (Debian: apt install r-cran-matrix)")
    } else {
        None
    }
}

/// Returns whether R runs some code without an error.
pub(super) fn answers(code: &str) -> bool {
    let mut r = Command::new("Rscript");
    // The message of R on a missing library is replaced by that of a step.
    cargo::runs(r.args(["--vanilla", "-e", code]))
}

/// Builds the `nnz` command and runs the tests of `tests/r` on it.
pub(crate) fn run() -> Result<()> {
    let nnz = cargo::build_nnz_of_workspace()?;
    let tests = cargo::root().join("tests").join("r");
    // The second one says which packages are missing.
    for test in ["test_r_reads_nnz.R", "test_r_reads_objects.R"] {
        let mut r = Command::new("Rscript");
        r.arg("--vanilla")
            .arg(tests.join(test))
            // Names that are not ASCII must be read correctly.
            .env("LC_ALL", "C.UTF-8")
            .env("NNZ_BIN", &nnz)
            .env("NNZ_ROOT", cargo::root());
        cargo::run(&mut r)?;
    }
    Ok(())
}
