//! `nnz sample`.

use clap::Args as Group;
use nnz::{Axis, Context, Error, Header, Location, Selection};

use super::Run;
use super::write::{header_of, options};
use super::written::Written;
use crate::Outcome;
use crate::args::selecting::{FEATURES, by_axis};
use crate::args::{Writing, location, reading};

/// Write random rows or columns
///
/// Each set of rows or columns is equally likely; the seed determines which is written, whatever the format. They keep
/// the order of SRC. Of AnnData and Loom files, everything that belongs to them is written.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz sample atlas.h5ad small.h5ad --cells 10000
  nnz sample pbmc.bpcells small.bpcells --rows 500 --cols 1000 --seed 1")]
pub(crate) struct Sample {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the sample
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) sampling: Sampling,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// How many rows and columns are sampled.
#[derive(Debug, Group)]
pub(crate) struct Sampling {
    /// Number of rows [default: all]
    #[arg(long, value_name = "N", value_parser = count)]
    rows: Option<u64>,

    /// Number of columns [default: all]
    #[arg(long, value_name = "N", value_parser = count)]
    cols: Option<u64>,

    /// Number of cells: like --rows or --cols, for the axis that has cells
    #[arg(long, alias = "obs", value_name = "N", value_parser = count)]
    cells: Option<u64>,

    /// Number of features: like --rows or --cols, for the axis that has features
    #[arg(long, aliases = FEATURES, value_name = "N", value_parser = count)]
    features: Option<u64>,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Allow a sample of 0 rows or columns
    #[arg(long)]
    allow_empty: bool,
}

/// A sample of an axis, and whether another one of the same axis is given.
type OfAxis = (Selection, bool);

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a count, such as 1000".to_owned())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a number from 0 to {}", u64::MAX))
}

impl Sampling {
    /// Returns the selections of rows and columns.
    pub(crate) fn of_axes(
        &self,
        source: &Location,
        header: impl FnOnce() -> Result<Header, Error>,
    ) -> Result<[Selection; 2], Error> {
        let sample =
            |count: Option<u64>| count.map(|count| (Selection::sample(count, self.seed), false));
        let axes = [sample(self.rows), sample(self.cols)];
        let kinds = [sample(self.cells), sample(self.features)];
        let of_kind = |(sample, _): OfAxis, kind| (Selection::of_kind(sample, kind), false);
        let twice = |first: OfAxis, _| (first.0, true);
        let found = by_axis(axes, kinds, (source, header), of_kind, twice)?;
        for (axis, found) in [Axis::Rows, Axis::Cols].into_iter().zip(&found) {
            if matches!(found, Some((_, true))) {
                return Err(Error::argument(format!("two numbers of {axis} are given")));
            }
        }
        let sample = |(sample, _): OfAxis| sample.allow_empty(self.allow_empty);
        Ok(found.map(|found| found.map(sample).unwrap_or_default()))
    }

    /// Returns whether nothing is sampled.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { rows, cols, cells, features, seed: _, allow_empty: _ } = self;
        [rows, cols, cells, features].into_iter().all(Option::is_none)
    }
}

impl Run for Sample {
    /// Writes random rows and columns.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        if self.sampling.is_empty() {
            let what = "nothing is sampled; use --rows, --cols, --cells or --features";
            return Err(Error::argument(what));
        }
        let header = || header_of(&self.source, &self.reading, context);
        let [rows, cols] = self.sampling.of_axes(&self.source, header)?;
        let options = self.reading.of_conversion(options(&self.writing, context)?);
        let summary = nnz::slice(&self.source, &self.target, [&rows, &cols], &options, context)?;
        let places = (std::slice::from_ref(&self.source), &self.target);
        self.written.print(quiet, places, &summary, None)?;
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}
