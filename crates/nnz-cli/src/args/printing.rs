//! Arguments of commands that print a matrix.

use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};
use nnz::Location;

use super::{AxisArg, Duplicates, Memory, Selecting, location, reading};

/// Print format, shape, types and sizes of a matrix
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz info pbmc.bpcells")]
pub(crate) struct Info {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

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

/// Print the names and annotations of rows or columns as a table
///
/// The first line is a header, followed by one line per row or column. Fields are separated by commas if
/// OUT ends in .csv, otherwise by tabs. Missing values are empty. If there are neither names
/// nor annotations, prints only a note on standard error; with OUT, that is an error.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz annotations study.h5ad rows cells.csv
  nnz annotations peaks.bpcells rows peaks.bed")]
pub(crate) struct Annotations {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Axis to print
    #[arg(value_name = "AXIS")]
    pub(crate) axis: AxisArg,

    /// File to write: .csv, .tsv or .txt, or .bed with the names as regions, such as chr1:100-200 [default: standard
    /// output]
    #[arg(value_name = "OUT")]
    pub(crate) target: Option<PathBuf>,

    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,

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
    Cells,
    /// The axis that has features
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
