//! `cargo xtask bench`: benchmarks.

#[allow(
    unreachable_pub,
    clippy::cast_possible_truncation,
    reason = "a table of a few small numbers"
)]
pub(crate) mod bitpack;
mod chart;
mod compare;
mod python;
mod r;

use clap::{Args, Subcommand};

use crate::cargo;
use crate::error::Result;

/// The benchmark to run.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    /// The benchmark; by default nnz compared with other programs
    #[command(subcommand)]
    bench: Option<Bench>,
    /// Run nothing: draw docs/benchmarks.svg from the tables of docs/benchmarks.md
    #[arg(long, exclusive = true)]
    chart: bool,
    #[command(flatten)]
    compare: compare::Compare,
}

/// Other benchmarks.
#[derive(Subcommand)]
enum Bench {
    /// Packing and unpacking of integers, by width.
    Bitpack,
    /// The Python package compared with bpcells, anndata and h5py.
    Python(python::Options),
    /// Computing on disk, compared with SciPy, scanpy, anndata and annbatch.
    Compute(python::Options),
    /// Statistics, products and a pipeline, in multiples of the time that NumPy needs in memory, and compared with
    /// scanpy and, if R has it, BPCells.
    Headline {
        #[command(flatten)]
        options: python::Options,
        /// Also the pipeline on 14 times the cells. Needs 5 GB of disk.
        #[arg(long)]
        large: bool,
    },
    /// Bytes per entry, and seconds to write and read, of formats and profiles.
    Sizes(python::Options),
    /// Whole commands on 14 times the cells: 2.6 billion entries by default. Needs 20 GB of disk.
    Large(python::Options),
    /// A Seurat object of 60 million entries converted to AnnData, compared with readRDS alone. Needs R.
    Robjects(python::Options),
    /// The R package compared with HDF5Array. Needs R with it.
    R(r::Options),
    /// Reading text, compared with pandas, scikit-learn and networkx.
    Text(python::Options),
    /// Reading over a network, compared with anndata.
    Remote {
        #[command(flatten)]
        options: python::Options,
        /// Milliseconds before each answer of the server
        #[arg(long, value_name = "MS", default_value_t = 30)]
        delay: u32,
    },
}

/// Runs a benchmark.
pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.bench {
        None if options.chart => chart::run(),
        None => compare::run(&options.compare),
        Some(Bench::Python(options)) => python::run("python", options, &[]),
        Some(Bench::Compute(options)) => python::run("compute", options, &[]),
        Some(Bench::Headline { options, large }) => {
            let more = if *large { vec!["--large".to_owned()] } else { Vec::new() };
            python::run("headline", options, &more)
        }
        Some(Bench::Sizes(options)) => python::run("sizes", options, &[]),
        Some(Bench::Large(options)) => python::run("large", options, &[]),
        Some(Bench::Robjects(options)) => python::run("robjects", options, &[]),
        Some(Bench::R(options)) => r::run(options),
        Some(Bench::Text(options)) => python::run("text", options, &[]),
        Some(Bench::Remote { options, delay }) => {
            python::run("remote", options, &["--delay".to_owned(), delay.to_string()])
        }
        // A debug build runs the release build of itself.
        Some(Bench::Bitpack) if cfg!(debug_assertions) => {
            let mut release = cargo::cargo();
            release.args(["run", "--quiet", "--release", "--package", "xtask"]);
            release.args(["--", "bench", "bitpack"]);
            cargo::run(&mut release)
        }
        Some(Bench::Bitpack) => {
            bitpack::run();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    fn parse(words: &[&str]) -> Option<Options> {
        let command = Options::augment_args(Command::new("bench"));
        let words = std::iter::once(&"bench").chain(words);
        Options::from_arg_matches(&command.try_get_matches_from(words).ok()?).ok()
    }

    #[test]
    fn the_default_benchmark_is_the_comparison() {
        Options::augment_args(Command::new("bench")).debug_assert();
        assert!(parse(&[]).is_some_and(|options| options.bench.is_none()));
        assert!(parse(&["--cells", "5000", "--runs", "1"]).is_some());
        assert!(parse(&["bitpack"]).is_some_and(|options| options.bench.is_some()));
        assert!(parse(&["python", "--runs", "1"]).is_some_and(|options| options.bench.is_some()));
        assert!(
            parse(&["compute", "--cells", "2000"]).is_some_and(|options| options.bench.is_some())
        );
        assert!(
            parse(&["sizes", "--cells", "2000"]).is_some_and(|options| options.bench.is_some())
        );
        assert!(
            parse(&["large", "--cells", "2000"]).is_some_and(|options| options.bench.is_some())
        );
        assert!(parse(&["--runs", "1", "bitpack"]).is_none());
        assert!(parse(&["--chart"]).is_some_and(|options| options.chart));
        assert!(parse(&["--chart", "--runs", "1"]).is_none());
        assert!(parse(&["--cells", "10"]).is_none());
        assert!(parse(&["--runs", "0"]).is_none());
    }
}
