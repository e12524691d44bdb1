//! Benchmarks of the Python package: beside other packages, and of reading over a network.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};
use crate::test::venv;
use crate::wheel::{self, Build};

/// Options of the benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Directory of the inputs, which are created if missing [default: bench-data in the target
    /// directory]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Cells of the counts; goals of `bench python` are evaluated at 100000 only
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..))]
    cells: u64,
    /// Only rows whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Runs of each contender; the median is reported
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
}

/// Builds and installs a release wheel, and runs the benchmark in a directory of `benches` with more arguments.
pub(crate) fn run(name: &str, options: &Options, more: &[String]) -> Result<()> {
    let target = cargo::target_directory()?;
    let data = options.data.clone().unwrap_or_else(|| target.join("bench-data"));
    let bench = cargo::root().join("benches").join(name);
    let requirements = bench.join("requirements.txt");
    // Packages to compare with may need a later Python than the oldest.
    let python = match name {
        "compute" => venv::python_between(&requirements, (3, 12), (3, 13))?
            .ok_or_else(|| Error::new("no Python 3.12 or 3.13 was found, which annbatch needs"))?,
        "headline" => venv::python_between(&requirements, (3, 11), (3, 13))?
            .ok_or_else(|| Error::new("no Python 3.11 to 3.13 was found, which scanpy needs"))?,
        _ => venv::python(&requirements)?,
    };
    let out = target.join("wheels");
    let build = Build { python: &python, out: &out, release: true, target: None };
    wheel::install(&python, &build.run(&python)?)?;
    let mut command = Command::new(&python);
    command.arg(bench.join("bench.py")).arg(data);
    command.args(["--cells", &options.cells.to_string(), "--runs", &options.runs.to_string()]);
    if let Some(only) = &options.only {
        command.args(["--only", only]);
    }
    cargo::run(command.args(more))
}
