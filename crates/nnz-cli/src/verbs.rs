//! The verbs, each a thin layer over one call of the library.

mod annotations;
mod compute;
mod diff;
mod filter;
mod formats;
pub(crate) mod fragments;
mod frames;
mod generate;
mod head;
mod info;
mod plot;
mod report;
mod stats;
mod validate;
mod write;

use nnz::Context;
use nnz::matrix::StringReader;
use nnz::{Axis, Dataset, Error, Location, MatrixSource};

use crate::output::{print_message, with_stdout};
use crate::{Outcome, args};

pub(crate) use annotations::annotations;
pub(crate) use compute::{aggregate, normalize, pca};
pub(crate) use diff::diff;
pub(crate) use filter::filter;
pub(crate) use formats::{format_table, formats};
pub(crate) use generate::{completions, help, man};
pub(crate) use head::head;
pub(crate) use info::info;
pub(crate) use plot::plot;
pub(crate) use report::report;
pub(crate) use stats::stats;
pub(crate) use validate::validate;
pub(crate) use write::{concat, convert, repair, sample, slice, split};

/// Prints stored entries.
pub(crate) fn cat(args: &args::Cat, context: &Context) -> Result<Outcome, Error> {
    let found = args.reading.set().open(&args.source, context)?;
    let [rows, cols] = args.selecting.of_axes(&args.source, || match &found {
        Dataset::Matrix(matrix) => Ok(matrix.header().clone()),
        _ => Err(Error::argument("--cells and --features apply to matrices only")),
    })?;
    let options = nnz::CatOptions::default()
        .rows(rows)
        .cols(cols)
        .names(args.names)
        .expand(args.expand)
        .duplicates(args.duplicates.map(Into::into));
    let place = args.source.source_place();
    let mut read = Ok(());
    // Entries read before an error are printed, too.
    match found {
        Dataset::Fragments(source) => return fragments::cat(args, &*source, context),
        Dataset::Table(frame) => return frames::cat(args, &options, &frame),
        Dataset::Tensor(tensor) => with_stdout(|out| {
            read = tensor.cat(&options, context, out).map_err(|error| error.with_context(&place));
            Ok(())
        })?,
        other => {
            let opened = other.into_matrix()?;
            with_stdout(|out| {
                read = nnz::engine::cat(&*opened, &options, context, out);
                Ok(())
            })?;
        }
    }
    read.map(|()| Outcome::Good)
}

/// Prints names; `what` is used in messages.
fn print_names(names: &mut dyn StringReader, of: &Location, what: &str) -> Result<Outcome, Error> {
    let place = of.source_place().with_array(format!("names of {what}"));
    with_stdout(|out| {
        nnz::engine::print_names(names, out).map_err(|error| error.with_context(&place))
    })?;
    Ok(Outcome::Good)
}

/// Returns the annotations of a file without a main matrix, or the error of opening it as a matrix.
fn tables(
    source: &Location,
    options: &nnz::OpenOptions,
    error: Error,
    context: &Context,
) -> Result<Box<dyn MatrixSource>, Error> {
    nnz::whole::tables(source, options, context)?.ok_or(error)
}

/// Opens a matrix, or the annotations of a file without a main matrix.
fn open_tables(
    source: &Location,
    options: &nnz::OpenOptions,
    context: &Context,
) -> Result<Box<dyn MatrixSource>, Error> {
    match options.open(source, context) {
        Ok(opened) => opened.into_matrix(),
        Err(error) => tables(source, options, error, context),
    }
}

/// Returns what is along an axis.
fn plural(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "rows",
        Axis::Cols => "columns",
    }
}

/// Prints names.
pub(crate) fn names(args: &args::Names, quiet: bool, context: &Context) -> Result<Outcome, Error> {
    let options = nnz::OpenOptions::new();
    let options = args.from.set(options);
    let opened = match options.open(&args.source, context) {
        Ok(Dataset::Fragments(source)) => return fragments::names(args, &*source),
        Ok(Dataset::Table(frame)) => return frames::names(args, &frame, quiet),
        Ok(other) => other.into_matrix()?,
        Err(error) => tables(&args.source, &options, error, context)?,
    };
    let Some(axis) = args.axis.of_matrix() else {
        return Err(Error::argument("a matrix has names of rows and columns only"));
    };
    let axis = axis.axis(&args.source, || Ok(opened.header().clone()))?;
    let Some(mut names) = opened.read_names(axis)? else {
        if !quiet {
            print_message(&format!("note: the {} have no names", plural(axis)));
        }
        return Ok(Outcome::Good);
    };
    print_names(&mut *names, &args.source, &axis.to_string())
}
