//! The verbs, each a thin layer over one call.

mod diff;
pub(crate) mod fragments;
mod frames;
mod generate;
mod info;
mod stats;
mod validate;
mod write;

use nnz::{Error, Location, Place, StringReader};

use crate::output::with_stdout;
use crate::{Outcome, args};

pub(crate) use diff::diff;
pub(crate) use generate::{completions, man};
pub(crate) use info::info;
pub(crate) use stats::stats;
pub(crate) use validate::validate;
pub(crate) use write::{concat, convert, slice};

/// Prints stored entries.
pub(crate) fn cat(args: &args::Cat) -> Result<Outcome, Error> {
    if nnz::fragments::holds(&args.source, args.resources.bytes()) {
        return fragments::cat(args);
    }
    if nnz::frames::holds(&args.source, args.reading.dialect) {
        return frames::cat(args);
    }
    let options = nnz::CatOptions {
        rows: args.rows.clone(),
        cols: args.cols.clone(),
        expand: args.expand,
        duplicates: args.duplicates.into(),
        memory: args.resources.bytes(),
    };
    let mut read = Ok(());
    with_stdout(|out| {
        // What was read before an error is printed all the same.
        read = match args.reading.dialect {
            Some(dialect) => nnz::daphne::open_as(&args.source, dialect).and_then(|opened| {
                let place = nnz::Place::path(args.source.to_string());
                nnz::cat_opened(&opened, &place, &options, out)
            }),
            None => nnz::cat(&args.source, &options, out),
        };
        Ok(())
    })?;
    read.map(|()| Outcome::Good)
}

/// Prints names of what is called `what`.
fn print_names(names: &mut dyn StringReader, of: &Location, what: &str) -> Result<Outcome, Error> {
    let place = Place::array(of.to_string(), format!("names of {what}"));
    with_stdout(|out| nnz::print_names(names, out).map_err(|error| error.within(&place)))?;
    Ok(Outcome::Good)
}

/// Prints names.
pub(crate) fn names(args: &args::Names) -> Result<Outcome, Error> {
    if nnz::fragments::holds(&args.source, args.resources.bytes()) {
        return fragments::names(args);
    }
    if nnz::frames::holds(&args.source, None) {
        return frames::names(args);
    }
    let Some(axis) = args.axis.axis() else {
        return Err(Error::argument("a matrix has names of rows and of cols"));
    };
    let opened = nnz::open_within(&args.source, args.resources.bytes())?;
    let Some(mut names) = opened.source.read_names(axis)? else {
        return Ok(Outcome::Good);
    };
    print_names(&mut *names, &args.source, &axis.to_string())
}
