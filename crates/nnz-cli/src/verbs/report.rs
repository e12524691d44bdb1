//! `nnz report`.

use nnz::Context;
use std::io::Write as _;

use nnz::output::StagedFile;
use nnz::report::{Report, ReportOptions, beside, html, html_beside};
use nnz::{Error, Location, OpenOptions};

use super::Run;
use crate::Outcome;
use crate::args::reporting::Report as Args;
use crate::output::{bytes, print_message};

impl Run for Args {
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
        let page = match &self.beside {
            None => html(&Report::of_location(self.source.clone(), &options, context)?),
            Some(other) => {
                html_beside(&beside(self.source.clone(), other.clone(), &options, context)?)
            }
        };
        let written = staged.file().write_all(page.as_bytes());
        written.map_err(|error| Error::io(&self.target, error))?;
        let size = staged.commit()?;
        if !quiet {
            let place = nnz::text::escaped(&self.target.to_string_lossy()).into_owned();
            print_message(&format!("{place}: {}", bytes(size)));
        }
        Ok(Outcome::Good)
    }
}
