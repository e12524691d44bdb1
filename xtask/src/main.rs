//! Tasks of the project: `cargo xtask test`, `check`, `wheel`, `r-package`, `dist`, `fuzz`, `stress` and `bench`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks print")]

mod bench;
mod cargo;
mod check;
mod dist;
mod error;
mod fuzz;
mod r_package;
#[cfg(unix)]
mod stress;
mod summary;
mod test;
mod wheel;

use std::process::ExitCode;

use clap::Parser;

/// Tasks of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Run all tests: of Rust, then of Python and R
    Test(test::Options),
    /// Check what the tests leave out: other systems, features, packages, spelling, ...
    Check(check::Options),
    /// Build archives of the programs for a release.
    Dist(dist::Options),
    /// Build wheels of the Python package, in a release build.
    Wheel(wheel::Options),
    /// Make the source package of R, with all crates that it needs
    RPackage(r_package::Options),
    /// Run fuzz targets on the test data and variations of it
    Fuzz(fuzz::Options),
    /// Run random pipelines, races of writers, kills and full disks for some minutes.
    #[cfg(unix)]
    Stress(stress::Options),
    /// Run benchmarks with a release build
    Bench(bench::Options),
}

fn main() -> ExitCode {
    if let Some(done) = check::api::as_rustdoc() {
        return if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let done = match Chore::parse() {
        Chore::Test(options) => test::run(&options),
        Chore::Check(options) => check::run(&options),
        Chore::Dist(options) => dist::run(&options),
        Chore::Wheel(options) => wheel::run(&options),
        Chore::RPackage(options) => r_package::run(&options),
        Chore::Fuzz(options) => fuzz::run(&options),
        #[cfg(unix)]
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
