//! `nnz report`.

use std::io::Write as _;

use nnz::output::WriteOptions;
use nnz::report::{Report, ReportOptions, beside, html, html_beside};
use nnz::storage::staging::StagedFile;
use nnz::{Error, Location, OpenOptions};

use crate::Outcome;
use crate::args::reporting::Report as Args;
use crate::output::{bytes, print_message};
use crate::progress::Bar;

/// Writes a page about a matrix, or about two.
pub(crate) fn report(args: &Args, quiet: bool) -> Result<Outcome, Error> {
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
    let staged =
        StagedFile::create(&args.target, WriteOptions { overwrite: args.force, sync: false })?;
    let options = ReportOptions::default()
        .memory(args.resources.bytes())
        .threads(args.threads.number())
        .open(args.from.set(OpenOptions::new()));
    let bar = Bar::new(quiet);
    let page = match &args.beside {
        None => html(&Report::of_location(args.source.clone(), &options, &bar)?),
        Some(other) => html_beside(&beside(args.source.clone(), other.clone(), &options, &bar)?),
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
