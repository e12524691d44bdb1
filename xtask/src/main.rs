//! Tasks of the project: `cargo xtask test`, `wheel`, `fuzz`, `stress` and `bench`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks print")]

mod bench;
mod cargo;
mod error;
mod fuzz;
mod stress;
mod test;
mod wheel;

use std::process::ExitCode;

use clap::Parser;

/// Tasks of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Run all tests: those of Rust, then those of Python and R
    Test(test::Options),
    /// Build release wheels of the Python package
    Wheel(wheel::Options),
    /// Run fuzz targets on the test data and variations of it
    Fuzz(fuzz::Options),
    /// Run random pipelines, races of writers, kills and full disks for some minutes
    Stress(stress::Options),
    /// Run benchmarks with a release build
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let done = match Chore::parse() {
        Chore::Test(options) => test::run(&options),
        Chore::Wheel(options) => wheel::run(&options),
        Chore::Fuzz(options) => fuzz::run(&options),
        Chore::Stress(options) => stress::run(&options),
        Chore::Bench(options) => bench::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
