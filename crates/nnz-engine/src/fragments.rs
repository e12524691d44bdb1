//! Genomic fragments: intervals on chromosomes, each from one cell.
//!
//! [`convert`] writes a [`FragmentSource`](nnz_core::FragmentSource) to a [`FragmentTarget`], [`select`]
//! a part of one, and [`merge`] makes one of several. [`query`] and [`print()`] hand out what overlaps
//! regions, [`diff`] compares, and [`Counts`] is the matrix of how often each cell was seen in each
//! region: a [`MatrixSource`](nnz_core::MatrixSource) like any other. [`SortedRuns`] sorts fragments that
//! come in any order, out of core.
//!
//! Bases are counted from 0, and the end of a fragment or a region is the base behind its last one.

mod count;
mod cut;
mod diff;
mod merge;
mod names;
mod part;
mod peaks;
mod print;
mod query;
mod region;
mod run;
mod select;
mod sort;
mod target;
mod write;

pub use count::{CountMode, Counts, Regions, Tiles};
pub use diff::{DiffOptions, FragmentDifference, diff};
pub use merge::{MergeOptions, merge};
pub(crate) use names::shown;
pub use peaks::Peaks;
pub use print::print;
pub use query::query;
pub use region::Region;
pub use select::{SelectOptions, select};
pub use sort::{SortedRun, SortedRuns};
pub use target::FragmentTarget;
pub use write::{FragmentSummary, WriteOptions, convert};
