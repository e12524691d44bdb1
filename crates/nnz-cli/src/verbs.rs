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

pub(crate) use formats::format_table;

/// The arguments of a verb.
pub(crate) trait Run {
    /// Runs the verb.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error>;

    /// The options for writing a matrix, if the verb writes one.
    fn writing(&mut self) -> Option<&mut args::Writing> {
        None
    }

    /// Whether status 1 is the answer "no", so that errors need another status.
    fn answers_by_status(&self) -> bool {
        false
    }
}

impl Run for args::Cat {
    /// Prints stored entries.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let found = self.reading.set().open(&self.source, context)?;
        let [rows, cols] = self.selecting.of_axes(&self.source, || match &found {
            Dataset::Matrix(matrix) => Ok(matrix.header().clone()),
            _ => Err(Error::argument("--cells and --features apply to matrices only")),
        })?;
        let options = nnz::CatOptions::default()
            .rows(rows)
            .cols(cols)
            .names(self.names)
            .expand(self.expand)
            .duplicates(self.duplicates.map(Into::into));
        let place = self.source.source_place();
        let mut read = Ok(());
        // Entries read before an error are printed, too.
        match found {
            Dataset::Fragments(source) => return fragments::cat(self, &*source, context),
            Dataset::Table(frame) => return frames::cat(self, &options, &frame),
            Dataset::Tensor(tensor) => with_stdout(|out| {
                read =
                    tensor.cat(&options, context, out).map_err(|error| error.with_context(&place));
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

impl Run for args::Names {
    /// Prints names.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = nnz::OpenOptions::new();
        let options = self.from.set(options);
        let opened = match options.open(&self.source, context) {
            Ok(Dataset::Fragments(source)) => return fragments::names(self, &*source),
            Ok(Dataset::Table(frame)) => return frames::names(self, &frame, quiet),
            Ok(other) => other.into_matrix()?,
            Err(error) => tables(&self.source, &options, error, context)?,
        };
        let Some(axis) = self.axis.of_matrix() else {
            return Err(Error::argument("a matrix has names of rows and columns only"));
        };
        let axis = axis.axis(&self.source, || Ok(opened.header().clone()))?;
        let Some(mut names) = opened.read_names(axis)? else {
            if !quiet {
                print_message(&format!("note: the {} have no names", plural(axis)));
            }
            return Ok(Outcome::Good);
        };
        print_names(&mut *names, &self.source, &axis.to_string())
    }
}
