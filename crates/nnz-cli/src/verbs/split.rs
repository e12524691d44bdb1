//! `nnz split`.

use std::path::PathBuf;

use clap::{Arg, Args as Group};
use nnz::{Context, Error, Location};

use super::Run;
use super::write::{counted, options, summarise};
use crate::Outcome;
use crate::args::{Writing, format_options, location, reading};
use crate::output::print_message;

/// Write the cells of an AnnData, MuData or Loom file to one file per value of a column
///
/// Each file is named after its value, or its values with _ between, and has everything that belongs to its cells, as with slice. Characters that
/// not every system allows in names of files become _, with a note. Cells without a value are not written. All
/// files appear when the last one is complete; if splitting fails or is interrupted, nothing is written.
#[derive(Debug, Group)]
#[command(mut_args(of_split))]
#[command(after_help = "\
Examples:
  nnz split study.h5ad samples --by sample
  nnz split study.h5ad parts --by sample --by cluster --row-annotations clusters.csv
  nnz split cite.h5mu types --by rna:cell_type")]
pub(crate) struct Split {
    /// The AnnData, MuData or Loom file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Directory for the files; created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) target: PathBuf,

    /// Column of the cells: of obs, or an attribute of columns; in MuData also MODALITY:COLUMN. Several make a file of each
    /// combination of their values
    #[arg(long, value_name = "COLUMN", required = true)]
    pub(crate) by: Vec<String>,

    /// Extension (and format) of the files [default: that of the format of the source]
    #[arg(long, value_name = "EXTENSION", value_parser = ["h5ad", "h5mu", "zarr", "loom"])]
    pub(crate) extension: Option<String>,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Hides the options of single matrices and of formats of single matrices, which do not apply to files that
/// are split.
fn of_split(arg: Arg) -> Arg {
    const SINGLE: [&str; 10] = [
        "cell_axis",
        "duplicates",
        "expand",
        "from_dialect",
        "from_format",
        "lossy",
        "order",
        "structure",
        "to",
        "value_type",
    ];
    match arg.get_id().as_str() {
        id if SINGLE.contains(&id) => arg.hide(true),
        "force" => arg.help("Replace existing files"),
        "compress" => {
            arg.help("Compression: none, gzip:N (1 to 9) or zstd:N (1 to 22) [default: none]")
        }
        _ => format_options::of_whole_files(arg),
    }
}

impl Run for Split {
    /// Writes the rows of each value of a column to one file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.reading.of_conversion(options(&self.writing, context)?);
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        let by = (&*by, self.extension.as_deref());
        let done = nnz::collection::split(&self.source, &self.target, by, &options, context)?;
        if quiet {
            return Ok(Outcome::Good);
        }
        if done.missing > 0 {
            let what =
                counted(done.missing, "row without a value was", "rows without a value were");
            print_message(&format!("note: {what} not written"));
        }
        for note in &done.notes {
            print_message(&format!("note: {note}"));
        }
        for (path, summary) in &done.files {
            let target = Location::Path { path: path.clone(), group: None };
            summarise(std::slice::from_ref(&self.source), &target, summary);
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}
