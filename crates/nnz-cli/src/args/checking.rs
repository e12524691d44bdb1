//! Arguments of commands that check, compare and summarize.

use clap::{Args as Group, ValueEnum};
use nnz::Location;
use nnz::engine::Measures;

use super::values::count;
use super::{AxisArg, Memory, Selecting, Threads, location, reading};

/// Check a file for errors; prints nothing if it is valid
///
/// Errors are printed one per line with their position, and the exit status is 1, also if the format
/// of SRC is not recognized. It is 2 if SRC is missing or cannot be read. All matrices of a file are
/// checked, unless SRC names one; the check of the entries of a matrix stops at the first error.
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz validate pbmc.bpcells && echo valid")]
pub(crate) struct Validate {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Also print notes on valid but unusual data, such as unsorted rows or missing chunks of Zarr
    #[arg(long)]
    pub(crate) notes: bool,

    /// Print errors and notes as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Compare two matrices of any formats, or two AnnData files; prints nothing if they are equal
///
/// Matrices are equal if all elements have equal values; types and storage order are ignored. -0.0 differs
/// from 0.0, also from an implicit one. If matrices differ, the first differences are printed as
/// row, column and both values, with - for a missing one, and the exit status is 1. It is 2 if the
/// matrices cannot be compared: one is missing, unreadable, broken, or not a matrix.
///
/// AnnData files are compared with all tables, matrices and uns. Each line starts with the part that
/// differs (obs, X, ...). A.h5ad::X is only the matrix.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz diff counts.mtx counts.bpcells && echo equal
  nnz diff before.h5ad after.h5ad
  nnz diff pbmc.bpcells packed.bpcells --by-name
  nnz diff before.h5ad::X after.h5ad::X")]
pub(crate) struct Diff {
    /// The first matrix
    #[arg(value_name = "A", value_parser = location())]
    pub(crate) first: Location,

    /// The second matrix
    #[arg(value_name = "B", value_parser = location())]
    pub(crate) second: Location,

    /// Compare stored entries, including explicit zeros; for AnnData files also types
    #[arg(long)]
    pub(crate) stored: bool,

    /// Match rows and columns by name: only their order may differ; an axis without names is compared by position
    #[arg(long)]
    pub(crate) by_name: bool,

    /// Maximum number of differences to print; for AnnData files, of each part
    #[arg(long, value_name = "N", default_value = "10")]
    #[arg(value_parser = count, allow_negative_numbers = true)]
    pub(crate) max_diffs: usize,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) from: reading::From,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// Print sum, mean, variance, minimum and maximum of a matrix, or of each row or column
///
/// Elements that are not stored count as zeros; nnz is the number of stored entries, in a dense matrix of
/// nonzero elements. The variance is the sample variance, with n - 1 in the denominator. With --rows or
/// --cols, only the selected rows and columns are included; they are printed with their position in the
/// source, in file order. Ranges may extend past the end.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz stats pbmc.bpcells
  nnz stats pbmc.bpcells --axis rows > genes.tsv
  nnz stats pbmc.bpcells --axis rows --cols @tumor.txt > genes.tsv
  nnz stats pbmc.bpcells --axis cols --measures sums > depth.tsv")]
pub(crate) struct Stats {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    /// Print a table with a line for each row or column; repeat it for both, in one pass
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: Vec<AxisArg>,

    /// Measures to compute; fewer are faster, because unused data is not decoded
    #[arg(long, value_name = "WHAT", default_value = "all")]
    pub(crate) measures: MeasuresArg,

    /// Print comma-separated values, for one axis at most
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuresArg {
    /// The number of stored entries, in a dense matrix of nonzero elements
    Nnz,
    /// nnz, sum and mean
    Sums,
    /// nnz, sum, mean, variance, minimum and maximum
    All,
}

impl From<MeasuresArg> for Measures {
    fn from(measures: MeasuresArg) -> Self {
        match measures {
            MeasuresArg::Nnz => Self::Nnz,
            MeasuresArg::Sums => Self::Sums,
            MeasuresArg::All => Self::All,
        }
    }
}
