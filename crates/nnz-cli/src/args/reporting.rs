//! `nnz report`.

use std::path::PathBuf;

use clap::Args as Group;
use nnz::Location;

use super::reading::From;
use super::{Memory, Threads, location};

/// Write a page about a matrix: properties, pictures, summaries and findings of the validation
///
/// OUT is one HTML file without scripts or links to other files, which can be opened offline, printed and sent. The
/// entries are read several times, and a sample of them is converted to other formats to estimate its sizes there.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz report pbmc.bpcells pbmc.html
  nnz report study.h5ad study.html --force
  nnz report pbmc.bpcells both.html --beside other.bpcells")]
pub(crate) struct Report {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// The page to write: .html
    #[arg(value_name = "OUT")]
    pub(crate) target: PathBuf,

    /// Another matrix to show beside SRC, with their differences
    #[arg(long, value_name = "OTHER", value_parser = location())]
    pub(crate) beside: Option<Location>,

    /// Replace OUT if it exists
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) from: From,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}
