//! `nnz repair`.

use clap::Args as Group;
use nnz::{Context, Error, Location};

use super::Run;
use super::write::{file_size, options, summarise};
use crate::Outcome;
use crate::args::{Writing, location, reading};
use crate::output::print_message;

const REPAIRED_FORMAT: &str = "Format to write: a name from nnz formats, or a Binsparse format such as CSR, \
                               COOR or \"dense(sparse(element))\" [default: from the extension of DST; \
                               without a known extension, the format of SRC]";

/// Write a corrected copy of a broken file
///
/// Corrects and lists errors with a single possible correction: overflowed indptr of AnnData, 10x and SciPy; a wrong
/// number of entries in the header; unsorted entries; end_max of fragments. Anything else is an error, and nothing
/// is written. An AnnData file is written with everything in it.
#[derive(Debug, Group)]
#[command(mut_arg("to", |arg| arg.help(REPAIRED_FORMAT)))]
#[command(after_help = "Example:\n  nnz repair broken.h5ad good.h5ad")]
pub(crate) struct Repair {
    /// The file
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write it, in the format of SRC unless the extension or --to selects another
    #[arg(value_name = "DST", value_parser = location())]
    pub(crate) target: Location,

    /// Correct the number of entries of a Matrix Market file even if the file may be truncated: if it has fewer
    /// entries than it states, or no newline at its end
    #[arg(long)]
    pub(crate) complete: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,
}

impl Run for Repair {
    /// Writes a corrected copy of a broken file.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.reading.of_conversion(options(&self.writing, context)?);
        let bytes_before = file_size(&self.source);
        let mut done = nnz::repair(&self.source, &self.target, self.complete, &options, context)?;
        if quiet {
            return Ok(Outcome::Good);
        }
        for repair in &done.repairs {
            print_message(&format!("repaired: {repair}"));
        }
        if done.repairs.is_empty() {
            print_message("nothing to repair");
        }
        if let Some(summary) = &mut done.matrix {
            summary.bytes_before = bytes_before.or(summary.bytes_before);
            summarise(std::slice::from_ref(&self.source), &self.target, summary);
        }
        if let Some(summary) = &done.fragments {
            let source = std::slice::from_ref(&self.source);
            summarise(source, &self.target, &summary.clone().into());
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}
