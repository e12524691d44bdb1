//! The step of the R package: installs it into a library of its own, and runs its tests and the examples of its help.

use std::fs;
use std::process::Command;

use super::r;
use crate::cargo;
use crate::error::{Error, Result};

/// Packages that some tests need; without them, these are skipped.
const OPTIONAL: [&str; 4] = ["DelayedArray", "HDF5Array", "SingleCellExperiment", "scuttle"];

/// Returns why the step cannot run, if so.
pub(crate) fn missing() -> Option<&'static str> {
    r::missing().or_else(|| {
        let has_testthat = r::answers("library(testthat)");
        (!has_testthat).then_some(
            "the package testthat of R is not installed (Debian: apt install r-cran-testthat)",
        )
    })
}

/// Builds and installs the package with the development profile, which shares the built dependencies, and tests it.
pub(crate) fn run() -> Result<()> {
    let (root, target) = (cargo::root(), cargo::target_directory()?);
    let library = target.join("r-library");
    // What an earlier run installed is replaced as a whole.
    let _ = fs::remove_dir_all(&library);
    fs::create_dir_all(&library)
        .map_err(|error| Error::new(format!("{}: {error}", library.display())))?;
    let mut install = Command::new("R");
    install
        .args(["CMD", "INSTALL", "--strip", "--clean", "--no-test-load"])
        .arg(format!("--library={}", library.display()))
        .arg(root.join("r"))
        .env("NNZ_R_PROFILE", "dev")
        .env("NNZ_R_TARGET_DIR", &target);
    cargo::run(&mut install)?;
    for package in OPTIONAL {
        if !r::answers(&format!("library({package})")) {
            println!("    SKIPPED: tests with the package {package} of R, which is not installed");
        }
    }
    let tests = r#"testthat::test_dir(".", package = "nnz", load_package = "installed", reporter = "summary", stop_on_failure = TRUE)"#;
    let examples = r#"
        library(nnz)
        for (page in tools::Rd_db("nnz")) {
          file <- tempfile(fileext = ".R")
          tools::Rd2ex(page, file)
          if (file.exists(file)) source(file, local = new.env())
        }
    "#;
    let scratch = target.join("r-examples");
    let _ = fs::create_dir_all(&scratch);
    for (code, directory) in [(tests, root.join("r/tests/testthat")), (examples, scratch)] {
        let mut r = Command::new("Rscript");
        r.args(["-e", code])
            .current_dir(directory)
            .env("R_LIBS", &library)
            .env("LC_ALL", "C.UTF-8")
            // Tests that take longer than a check of CRAN may.
            .env("NOT_CRAN", "true")
            .env("NNZ_ROOT", &root);
        cargo::run(&mut r)?;
    }
    Ok(())
}
