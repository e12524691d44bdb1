//! BPCells matrices and fragments, read and written on any nnz container.
//!
//! A BPCells matrix is a compressed sparse matrix in named arrays: `idxptr` has the start of each
//! major vector, `index` the minor indices and `val` the values. In *packed* matrices the latter
//! two are bit-packed. The published description is the BPCells article "BPCells matrix formats".
//! Where files of the program differ from it, this crate follows the files (see
//! `docs/formats/bpcells.md`).
//!
//! ```no_run
//! use nnz_bpcells::MatrixSource;
//! use nnz_container::NamedArrays;
//! use nnz_core::{Batch, Projection, MatrixSource as _, Values};
//!
//! let arrays = NamedArrays::open("pbmc.bpcells".as_ref(), "")?;
//! let matrix = MatrixSource::open(arrays)?;
//! let header = matrix.header();
//! let mut batch = Batch::new(header.order, Values::new(header.value_type));
//! let mut reader = matrix.batches(0..header.shape.major(header.order), Projection::ALL)?;
//! while reader.next_batch(&mut batch)? {
//!     println!("{} entries", batch.entries());
//! }
//! # Ok::<(), nnz_core::Error>(())
//! ```
//!
//! BPCells fragments are intervals on chromosomes, each from one cell: `cell`, `start` and `end`,
//! with `chr_ptr` for the range of each chromosome, and `end_max` to find the fragments of a
//! region.
//!
//! ```no_run
//! use nnz_bpcells::FragmentSource;
//! use nnz_container::NamedArrays;
//! use nnz_core::{FragmentBatch, FragmentFields, FragmentSource as _};
//!
//! let arrays = NamedArrays::open("pbmc.fragments".as_ref(), "")?;
//! let fragments = FragmentSource::open(arrays)?;
//! let region = 1_000_000..1_100_000;
//! let positions = fragments.overlapping(0, region.clone())?;
//! let mut batch = FragmentBatch::default();
//! let mut units = fragments.units(positions, FragmentFields::ALL)?;
//! while let Some(unit) = units.next_unit()? {
//!     unit.decode(&mut batch)?;
//!     for (&start, &end) in batch.starts.iter().zip(&batch.ends) {
//!         if start < region.end && end > region.start {
//!             println!("{start} to {end}");
//!         }
//!     }
//! }
//! # Ok::<(), nnz_core::Error>(())
//! ```

mod arrays;
mod check;
mod fragments;
mod matrix;
mod r_object;
mod version;

pub use fragments::{FRAGMENT_MEMBERS, FragmentSink, FragmentSource, validate_fragments};
pub use matrix::{CAPABILITIES, MEMBERS, MatrixSink, MatrixSource, SinkOptions, validate};
pub use r_object::{RObject, RObjectOptions, RObjectWriter};
pub use version::{FormatVersion, FragmentVersion, Packing, Version, holds_fragments};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
