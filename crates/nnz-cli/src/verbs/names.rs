//! `nnz names`.

use clap::{Args as Group, ValueEnum};
use nnz::matrix::StringReader;
use nnz::{Context, Dataset, Error, Location};

use super::{Run, fragments, frames, plural};
use crate::Outcome;
use crate::args::selecting::FEATURES;
use crate::args::{AxisArg, Memory, location, reading};
use crate::output::{print_message, with_stdout};

/// Print the names of rows, columns, cells, features or chromosomes, one per line
///
/// If there are no names, prints only a note on standard error.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz names pbmc.bpcells rows")]
pub(crate) struct Names {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Names to print
    #[arg(value_name = "AXIS")]
    pub(crate) axis: NamesArg,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamesArg {
    Rows,
    Cols,
    /// The cells of fragments, or the axis of the matrix that has cells
    #[value(alias = "obs")]
    Cells,
    /// The axis that has features
    #[value(aliases = FEATURES)]
    Features,
    /// The chromosomes of fragments
    Chromosomes,
}

impl NamesArg {
    /// Returns the axis of a matrix that is meant, if any.
    pub(crate) fn of_matrix(self) -> Option<AxisArg> {
        match self {
            Self::Rows => Some(AxisArg::Rows),
            Self::Cols => Some(AxisArg::Cols),
            Self::Cells => Some(AxisArg::Cells),
            Self::Features => Some(AxisArg::Features),
            Self::Chromosomes => None,
        }
    }
}

impl Run for Names {
    /// Prints names.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let options = nnz::OpenOptions::new();
        let options = self.from.set(options);
        let opened = match options.open(&self.source, context) {
            Ok(Dataset::Fragments(source)) => return fragments::names(self, &*source),
            Ok(Dataset::Table(frame)) => return frames::names(self, &frame, quiet),
            other => other?.into_axes()?,
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

/// Prints names; `what` is used in messages.
pub(super) fn print_names(
    names: &mut dyn StringReader,
    of: &Location,
    what: &str,
) -> Result<Outcome, Error> {
    let place = of.source_place().with_array(format!("names of {what}"));
    with_stdout(|out| {
        nnz::engine::print_names(names, out).map_err(|error| error.with_context(&place))
    })?;
    Ok(Outcome::Good)
}
