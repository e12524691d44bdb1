//! Genomic fragments: intervals on chromosomes, each from one cell.
//!
//! [`open`] recognises a store of fragments and returns a [`FragmentSource`], which hands out its
//! fragments by position or by region, from many threads. [`import`] makes a store of a text,
//! [`convert`] writes a store as another store or as text, [`select`] writes a part of it,
//! [`merge`] makes one of several. [`query`] and [`print()`] hand out what overlaps regions, and
//! [`Counts`] is the matrix of how often each cell was seen in each region: a
//! [`MatrixSource`](crate::MatrixSource) like any other.
//!
//! Bases are counted from 0, and the end of a fragment or a region is the base behind its last one.
//!
//! ```no_run
//! use nnz::Location;
//! use nnz::fragments::{self, Region};
//!
//! let fragments = fragments::open(&Location::parse("pbmc.fragments"))?;
//! let region = Region::parse("chr1:1,000,000-1,100,000", &fragments.chromosome_names()?)?;
//! fragments::query(&*fragments, &region, &mut |batch| {
//!     println!("{} fragments", batch.starts.len());
//!     Ok(())
//! })?;
//! # Ok::<(), nnz::Error>(())
//! ```

mod bed;
mod count;
mod cut;
mod diff;
mod import;
mod merge;
mod names;
mod part;
mod place;
mod print;
mod query;
mod region;
mod run;
mod select;
mod sort;
mod target;
mod write;

pub use bed::Peaks;
pub use count::{CountMode, Counts, Regions, Tiles};
pub use diff::{FragmentDifference, diff};
pub use import::{ImportOptions, import};
pub use merge::{MergeOptions, merge};
pub(crate) use names::shown;
pub use nnz_core::{
    FragmentBatch, FragmentFields, FragmentHeader, FragmentSink, FragmentSource, Segment,
};
pub use nnz_interop::fragment_tsv::{Chromosomes, read_cells};
pub use place::{holds, open, open_within};
pub use print::print;
pub use query::query;
pub use region::Region;
pub use select::{SelectOptions, select};
pub use target::{StoreOptions, is_text};
pub use write::{FragmentSummary, convert};
