//! Genomic fragments: intervals on chromosomes, each from one cell.
//!
//! [`open`] recognises a store of fragments and returns a [`FragmentSource`], which yields its
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
//! fragments::query(&*fragments, &region, None, &mut |batch| {
//!     println!("{} fragments", batch.starts.len());
//!     Ok(())
//! })?;
//! # Ok::<(), nnz::Error>(())
//! ```

mod import;
mod lists;
mod place;
mod shares;
mod target;
mod verbs;

pub use import::{ImportOptions, import};
pub use lists::read_peaks;
pub use nnz_core::{
    ChromosomeSizes, FragmentBatch, FragmentFields, FragmentHeader, FragmentSink, FragmentSource,
    Segment,
};
pub use nnz_engine::fragments::{
    CountMode, Counts, DiffOptions, FragmentDifference, FragmentSummary, MergeOptions, Peaks,
    Region, Regions, SelectOptions, Tiles, WriteOptions, print, query,
};
pub use nnz_singlecell::fragment_tsv::{Chromosomes, read_cells};
pub use place::{holds, open, open_within};
pub use target::{StoreOptions, is_text};
pub use verbs::{convert, diff, merge, select};
