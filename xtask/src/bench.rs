//! `cargo xtask bench`: what we claim, measured.

#[allow(
    unreachable_pub,
    clippy::cast_possible_truncation,
    reason = "a table of a few small numbers, for one caller"
)]
pub(crate) mod bitpack;

use clap::{Args, ValueEnum};

use crate::cargo;
use crate::error::Result;

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// The benchmark.
    bench: Bench,
}

/// The benchmarks there are.
#[derive(Clone, Copy, ValueEnum)]
enum Bench {
    /// Packing and unpacking of integers, by width.
    Bitpack,
}

/// Runs a benchmark; a debug build starts the release build of itself instead.
pub(crate) fn run(options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let name = match options.bench {
            Bench::Bitpack => "bitpack",
        };
        let mut release = cargo::cargo();
        release.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench", name]);
        return cargo::run(&mut release);
    }
    match options.bench {
        Bench::Bitpack => bitpack::run(),
    }
    Ok(())
}
