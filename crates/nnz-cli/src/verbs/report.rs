//! `nnz report`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args as Group;
use nnz::output::StagedFile;
use nnz::report::{Report as Contents, ReportOptions, compare, comparison_html, html};
use nnz::{Context, Error, Location, OpenOptions};

use super::Run;
use super::write::counted;
use crate::Outcome;
use crate::args::reading::From;
use crate::args::{Memory, Threads, location};
use crate::output::{bytes, print_message};

/// Write a page about a matrix: properties, pictures, summaries and findings of the validation
///
/// OUT is one HTML file without scripts or links to other files, which can be opened offline, printed and sent. The
/// entries are read several times, and a sample of them is converted to other formats to estimate its sizes there.
///
/// The page of a broken file lists its errors, as nnz validate prints them, and shows what can be read; the exit
/// status is 1. It is 2 if there is no page, because SRC is missing, cannot be read or is not a matrix.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz report pbmc.bpcells pbmc.html
  nnz report study.h5ad study.html --force
  nnz report pbmc.bpcells both.html --beside other.bpcells")]
pub(crate) struct Report {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// The page to write: .html
    #[arg(value_name = "OUT")]
    pub(crate) target: PathBuf,

    /// Another matrix to show beside SRC, with their differences
    #[arg(long, value_name = "OTHER", value_parser = location())]
    pub(crate) beside: Option<Location>,

    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) from: From,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

impl Run for Report {
    /// Writes a page about a matrix, or about two.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let extension = self.target.extension().map(|extension| extension.to_ascii_lowercase());
        if !extension.is_some_and(|extension| extension == "html" || extension == "htm") {
            return Err(Error::argument("a report is a file with the extension .html"));
        }
        for source in std::iter::once(&self.source).chain(&self.beside) {
            if matches!(source, Location::Stream) {
                let what =
                    "a report reads entries several times, which standard input does not allow";
                return Err(Error::argument(format!("{what}; write it to a file first")));
            }
        }
        // Before anything is read.
        let staged = StagedFile::create(&self.target, &context.output(self.force, false))?;
        let options = ReportOptions::default().open(self.from.set(OpenOptions::new()));
        let (page, reports) = match &self.beside {
            None => {
                let report = Contents::of_location(self.source.clone(), &options, context)?;
                (html(&report), vec![report])
            }
            Some(other) => {
                let both = compare(self.source.clone(), other.clone(), &options, context)?;
                (comparison_html(&both), Vec::from(both.reports))
            }
        };
        let written = staged.file().write_all(page.as_bytes());
        written.map_err(|error| Error::io(&self.target, error))?;
        let size = staged.commit()?;
        if !quiet {
            let place = nnz::text::escaped(&self.target.to_string_lossy()).into_owned();
            print_message(&format!("{place}: {}", bytes(size)));
        }
        let mut outcome = Outcome::Good;
        for report in reports.iter().filter(|report| report.faults() > 0) {
            let errors = counted(report.faults(), "error", "errors");
            print_message(&format!("{} is broken: the page lists {errors}", report.place));
            outcome = Outcome::Bad;
        }
        Ok(outcome)
    }

    fn answers_by_status(&self) -> bool {
        true
    }
}
