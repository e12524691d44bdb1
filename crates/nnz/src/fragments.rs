//! Genomic fragments: intervals on chromosomes, each from one cell.
//!
//! A fragment file is a BPCells directory, a group of a container such as HDF5, or an R object. [`open`] opens
//! one as a [`FragmentSource`], which yields its fragments by position or by region, from many threads.
//! [`import`] converts text to a fragment file, [`convert`] converts one to another or to text, [`select`]
//! writes a part of one, and [`merge`] merges several. [`query`]
//! and [`print()`] return the fragments that overlap regions. [`Counts`] is the matrix of counts of
//! each cell in each region: a [`MatrixSource`](crate::MatrixSource).
//!
//! Positions are counted from 0, and the ends of fragments and regions are exclusive.
//!
//! ```no_run
//! use nnz::{Context, Location};
//! use nnz::fragments::{self, Region};
//!
//! let context = Context::default();
//! let fragments = fragments::open(&Location::parse("pbmc.fragments"), &context)?;
//! let region = Region::parse("chr1:1,000,000-1,100,000", &fragments.chromosome_names()?)?;
//! fragments::query(&*fragments, &region, &context, &mut |batch| {
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
    Region, Regions, SelectOptions, Tiles, print, query,
};
pub use nnz_singlecell::fragment_tsv::{Chromosomes, read_cells};
pub use place::{is_fragments, open, open_with};
pub use target::{StoreOptions, is_text};
pub use verbs::{convert, diff, merge, select, write};
