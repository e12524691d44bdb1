//! Genomic fragments: intervals on chromosomes, each from one cell.
//!
//! [`convert`] writes a [`FragmentSource`](nnz_core::FragmentSource) to a [`FragmentTarget`], [`select`]
//! writes a part of one, and [`merge`] merges several. [`query`] and [`print()`] return the fragments that
//! overlap regions, [`diff`] compares, and [`Counts`] is the matrix of counts of each cell in each region,
//! a [`MatrixSource`](nnz_core::MatrixSource). [`SortedRuns`] sorts fragments in any order, out of core.
//!
//! Positions are counted from 0, and the ends of fragments and regions are exclusive.

mod count;
mod cut;
mod diff;
mod merge;
mod names;
mod peaks;
mod print;
mod query;
mod ranges;
mod region;
mod run;
mod select;
mod sort;
mod target;
mod write;

pub use count::{CountMode, Counts, Regions, Tiles};
pub use diff::{DiffOptions, FragmentDifference, diff};
pub use merge::{MergeOptions, merge};
pub use names::NameNumbers;
pub(crate) use names::shown;
pub use peaks::Peaks;
pub use print::print;
pub use query::query;
pub use ranges::{FragmentRange, RangeReader};
pub use region::Region;
pub use select::{SelectOptions, select};
pub use sort::{SortedRun, SortedRuns};
pub use target::FragmentTarget;
pub use write::{FragmentSummary, convert};
