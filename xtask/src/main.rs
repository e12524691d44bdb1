//! The project's own chores: `cargo xtask test` and `cargo xtask bench`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the developer who runs it"
)]

mod bench;
mod cargo;
mod error;
mod test;

use std::process::ExitCode;

use clap::Parser;

/// The project's own chores.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Run every test: the Rust ones, then the Python ones.
    Test(test::Options),
    /// Measure what we claim, in a release build.
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let done = match Chore::parse() {
        Chore::Test(options) => test::run(&options),
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
