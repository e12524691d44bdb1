//! `nnz cat`.

use clap::Args as Group;
use nnz::{Context, Dataset, Error, Location};

use super::{Run, fragments, frames};
use crate::Outcome;
use crate::args::{Duplicates, Memory, Selecting, location, reading};
use crate::output::with_stdout;

/// Print the stored entries: row, column and value, in storage order
///
/// Rows and columns are printed with their position in the source, counted from 0, in file order.
/// Ranges may extend past the end.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz cat pbmc.bpcells --cols 0:10 | head
  nnz cat filtered_feature_bc_matrix --rows CD3E,CD8A --names")]
pub(crate) struct Cat {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    /// Print names instead of positions, where rows or columns have names
    #[arg(long)]
    pub(crate) names: bool,

    /// Also print the implied entries of a symmetric matrix
    #[arg(long)]
    pub(crate) expand: bool,

    /// How to handle duplicate entries (same row and column) [default: error if the format of SRC does not
    /// allow them, otherwise keep]
    #[arg(long, value_name = "HOW")]
    pub(crate) duplicates: Option<Duplicates>,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

impl Run for Cat {
    /// Prints stored entries.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let found = match self.reading.set().open(&self.source, context)? {
            Dataset::Collection(collection) => Dataset::Matrix(collection.main()?),
            other => other,
        };
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
