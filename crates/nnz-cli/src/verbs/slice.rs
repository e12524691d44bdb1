//! `nnz slice`.

use clap::Args as Group;
use nnz::{Context, Error, Location};

use super::Run;
use super::write::{header_of, options};
use super::written::Written;
use crate::Outcome;
use crate::args::{Selecting, Writing, location, reading};

/// Extract selected rows and columns of a matrix, in the given order
///
/// A LIST has ranges A:B (from A to B - 1; either may be omitted), positions counted from 0, and
/// names, separated by commas. @FILE reads positions or names from a file, one per line. The target
/// has the order of the list. A row or column can be selected only once, and names must be unique.
/// Of AnnData and Loom files, everything that belongs to the selected rows and columns is written. Any
/// annotation whose values are unique can be used as names, such as gene ids or symbols.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz slice pbmc.bpcells first.bpcells --cols 0:1000
  nnz slice filtered_feature_bc_matrix markers.mtx --rows CD3E,CD8A,MS4A1
  nnz slice pbmc.bpcells kept.bpcells --cols @barcodes.txt --rows @genes.txt
  nnz slice study.h5ad tumor.h5ad --cells \"tissue=tumor\" --cells \"n_counts>=500\"")]
pub(crate) struct Slice {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the selection
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

impl Run for Slice {
    /// Writes selected rows and columns.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        self.written.check(&self.target)?;
        if self.selecting.is_empty() {
            return Err(Error::argument(
                "nothing is selected; use --rows, --cols, --cells or --features",
            ));
        }
        let [rows, cols] = self
            .selecting
            .of_axes(&self.source, || header_of(&self.source, &self.reading, context))?
            .map(Option::unwrap_or_default);
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
