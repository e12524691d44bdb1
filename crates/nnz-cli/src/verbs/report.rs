//! `nnz report`.

use nnz::Context;
use std::io::Write as _;

use nnz::output::StagedFile;
use nnz::report::{Report, ReportOptions, beside, html, html_beside};
use nnz::{Error, Location, OpenOptions};

use crate::Outcome;
use crate::args::reporting::Report as Args;
use crate::output::{bytes, print_message};

/// Writes a page about a matrix, or about two.
pub(crate) fn report(args: &Args, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    let extension = args.target.extension().map(|extension| extension.to_ascii_lowercase());
    if !extension.is_some_and(|extension| extension == "html" || extension == "htm") {
        return Err(Error::argument("a report is a file with the extension .html"));
    }
    for source in std::iter::once(&args.source).chain(&args.beside) {
        if matches!(source, Location::Stream) {
            let what = "a report reads entries several times, which standard input does not allow";
            return Err(Error::argument(format!("{what}; write it to a file first")));
        }
    }
    // Before anything is read.
    let staged = StagedFile::create(&args.target, &context.output(args.force, false))?;
    let options = ReportOptions::default().open(args.from.set(OpenOptions::new()));
    let page = match &args.beside {
        None => html(&Report::of_location(args.source.clone(), &options, context)?),
        Some(other) => html_beside(&beside(args.source.clone(), other.clone(), &options, context)?),
    };
    let written = staged.file().write_all(page.as_bytes());
    written.map_err(|error| Error::io(&args.target, error))?;
    let size = staged.commit()?;
    if !quiet {
        let place = nnz::text::escaped(&args.target.to_string_lossy()).into_owned();
        print_message(&format!("{place}: {}", bytes(size)));
    }
    Ok(Outcome::Good)
}
