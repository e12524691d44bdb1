//! The benchmark of the R package, beside HDF5Array.

use std::fs;
use std::process::Command;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};

/// Options of the benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Cells of the counts
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1000..=100_000))]
    cells: u32,
    /// Runs of nnz; the median is reported
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// Installs a release build of the package into a library of its own, and runs the benchmark.
pub(crate) fn run(options: &Options) -> Result<()> {
    let (root, target) = (cargo::root(), cargo::target_directory()?);
    let library = target.join("r-bench-library");
    fs::create_dir_all(&library)
        .map_err(|error| Error::new(format!("{}: {error}", library.display())))?;
    let mut install = Command::new("R");
    install
        .args(["CMD", "INSTALL", "--clean", "--no-test-load"])
        .arg(format!("--library={}", library.display()))
        .arg(root.join("r"))
        .env("NNZ_R_TARGET_DIR", &target);
    cargo::run(&mut install)?;
    let mut bench = Command::new("Rscript");
    bench
        .arg(root.join("benches").join("r").join("bench.R"))
        .args([options.cells.to_string(), options.runs.to_string()])
        .env("R_LIBS", &library);
    cargo::run(&mut bench)
}
