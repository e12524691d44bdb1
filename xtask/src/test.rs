//! `cargo xtask test`: every test there is.

mod python;
mod venv;

use std::time::Instant;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};

/// How much to test.
#[derive(Args)]
pub(crate) struct Options {
    /// Mutate each file 200 times and kill a write 200 times, instead of 20.
    #[arg(long)]
    full: bool,
    /// Leave out the tests that need Python.
    #[arg(long)]
    skip_python: bool,
}

/// Runs every step, also after one has failed, and ends with a summary.
pub(crate) fn run(options: &Options) -> Result<()> {
    let rounds = if options.full { "200" } else { "20" };
    let mut summary = Summary::default();
    summary.step("cargo test --workspace", || {
        println!("    each file mutated {rounds} times, writes killed {rounds} times");
        let mut test = cargo::cargo();
        test.args(["test", "--workspace", "--no-fail-fast"])
            .env("NNZ_MUTATIONS", rounds)
            .env("NNZ_KILLS", rounds);
        cargo::run(&mut test)
    });
    if options.skip_python {
        summary.skip("pytest tests/python", "--skip-python");
    } else {
        summary.step("pytest tests/python", python::run);
    }
    summary.end()
}

/// What became of the steps so far.
#[derive(Default)]
struct Summary {
    lines: Vec<String>,
    failed: bool,
}

impl Summary {
    fn step(&mut self, name: &str, step: impl FnOnce() -> Result<()>) {
        println!("\n==> {name}");
        let start = Instant::now();
        let done = step();
        let seconds = start.elapsed().as_secs_f64();
        let line = match done {
            Ok(()) => format!("ok       {name} ({seconds:.1} s)"),
            Err(error) => {
                self.failed = true;
                format!("FAILED   {name} ({seconds:.1} s): {error}")
            }
        };
        self.lines.push(line);
    }

    fn skip(&mut self, name: &str, why: &str) {
        self.lines.push(format!("skipped  {name}: {why}"));
    }

    fn end(self) -> Result<()> {
        println!("\n==> summary");
        for line in &self.lines {
            println!("{line}");
        }
        if self.failed { Err(Error::new("a step failed, see the summary")) } else { Ok(()) }
    }
}
