//! The verbs, each a thin layer over one call.

mod diff;
pub(crate) mod fragments;
mod generate;
mod info;
mod stats;
mod validate;
mod write;

use nnz::Error;

use crate::output::{failed, with_stdout};
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
        read = nnz::cat(&args.source, &options, out);
        Ok(())
    })?;
    read.map(|()| Outcome::Good)
}

/// Prints names.
pub(crate) fn names(args: &args::Names) -> Result<Outcome, Error> {
    if nnz::fragments::holds(&args.source, args.resources.bytes()) {
        return fragments::names(args);
    }
    let Some(axis) = args.axis.axis() else {
        return Err(Error::argument("a matrix has names of rows and of cols"));
    };
    let opened = nnz::open_within(&args.source, args.resources.bytes())?;
    let Some(mut names) = opened.source.read_names(axis)? else {
        return Ok(Outcome::Good);
    };
    with_stdout(|out| {
        while let Some(name) = names.next_string()? {
            out.write_all(name).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        }
        Ok(())
    })?;
    Ok(Outcome::Good)
}
