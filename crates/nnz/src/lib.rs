//! One engine for sparse data on disk: open anything, convert it, check it.
//!
//! # Reading
//!
//! [`open`] detects the format of a path. A matrix is a [`MatrixSource`]: it has a [`Header`] and yields
//! its entries one by one, or in [`Batch`]es of bounded size.
//!
//! ```no_run
//! let matrix = nnz::open("pbmc.bpcells")?.into_matrix()?;
//! println!("{} of {}", matrix.header().shape, matrix.header().value_type);
//! for entry in matrix.entries()?.take(10) {
//!     let (row, col, value) = entry?;
//!     println!("{row} {col} {value}");
//! }
//! # Ok::<(), nnz::Error>(())
//! ```
//!
//! [`read`] reads a whole matrix into memory as CSR or CSC ([`CsMatrix`]), [`read_dense`] as a dense
//! array.
//!
//! # Writing
//!
//! The extension of the target selects its format, unless the options do; [`formats`] lists them.
//!
//! ```no_run
//! use nnz::{Context, ConvertOptions, CsMatrix, Order, Shape, WriteMatrix as _};
//!
//! // A file to another format, in bounded memory.
//! let context = Context::default().with_memory(1 << 30);
//! let options = ConvertOptions::default().order(Order::Col);
//! let summary = nnz::convert("filtered_feature_bc_matrix", "pbmc.bpcells", &options, &context)?;
//! println!("{} entries", summary.entries);
//!
//! // Three vectors, as in SciPy.
//! let (indptr, indices, data) = (vec![0, 2, 3], vec![0_u32, 2, 1], vec![5_u32, 6, 7]);
//! let shape = Shape { rows: 2, cols: 3 };
//! let matrix = CsMatrix::from_parts(shape, Order::Row, indptr, indices, data)?;
//! matrix.write("small.mtx", &ConvertOptions::default(), &context)?;
//! # Ok::<(), nnz::Error>(())
//! ```
//!
//! # More
//!
//! - [`slice()`], [`filter()`] and [`concat()`] write a part of a matrix, and several as one. [`engine::Slice`],
//!   [`engine::Concat`] and [`engine::Transposed`] are sources, which [`convert_source`] writes.
//! - [`stats`], [`diff`], [`cat`] and [`validate`] summarize, compare, print and check the data of a path.
//!   For a source that is already open, see [`engine`].
//! - [`fragments`] is for genomic fragments, [`frames`] for tables, [`tensor`] for other than two dimensions.
//! - [`mod@plot`] computes the numbers of pictures of a matrix or of fragments, and makes figures of them, which
//!   [`plot::draw`] draws.
//! - [`mod@report`] makes a page of HTML about a matrix.
//! - [`mod@collection`] has files with several matrices and tables along shared axes, such as AnnData, which are
//!   written with everything in them.
//! - [`matrix`] has the types to process batches or to implement a source. Your own [format](formats::Format) and
//!   [storage](storage::Storage) are added to a [`Context`].
//!
//! Options have defaults and setters. All functions that read, write or compute take a [`Context`]: formats, storage,
//! memory, threads, a [`Cancellation`] and what receives [`Progress`]. An [`Error`] gives the location, what was found and what was expected.
//!
//! # Features
//!
//! All are enabled by default except `remote` and `sprs`.
//!
//! - Formats: `bpcells`, `daphne` (with frames), `fragments`, `matlab`, `matrix-market`, `scientific` (SciPy, NumPy, R),
//!   `singlecell` (AnnData, 10x, Loom, fragments as text), `text` (SVMlight, graphs, tables). Binsparse and tensors
//!   are always included.
//! - Containers: `hdf5`, `netcdf`, `npz`, `zarr`, and `pcodec` for the codec of that name in Zarr. Directories and R
//!   objects are always included.
//! - `png`: pictures as PNG.
//! - `remote`: locations that are URLs (`s3://`, `gs://`, `az://`, `https://`).
//! - `sprs`: [`CsMatrix`] to and from `sprs::CsMat`.

// Code that all formats share is compiled also if some of its users are not.
#![cfg_attr(
    not(all(
        feature = "bpcells",
        feature = "daphne",
        feature = "fragments",
        feature = "hdf5",
        feature = "matlab",
        feature = "matrix-market",
        feature = "netcdf",
        feature = "npz",
        feature = "robjects",
        feature = "scientific",
        feature = "singlecell",
        feature = "text",
        feature = "zarr"
    )),
    allow(dead_code, unused_imports)
)]

mod cat;
mod check;
mod concat;
mod container_target;
mod context;
mod convert;
mod dataset;
mod diff;
mod filter;
mod location;
mod open;
mod profile;
mod read;
mod reorder;
mod repair;
mod slice;
mod stats;
mod storages;

pub mod annotations;
pub mod binsparse;
pub mod collection;
pub mod compute;
pub mod container;
#[cfg(feature = "singlecell")]
pub mod edit;
pub mod engine;
pub mod error;
pub mod formats;
#[cfg(feature = "fragments")]
pub mod fragments;
#[cfg(feature = "daphne")]
pub mod frames;
pub mod matrix;
pub mod numpy;
pub mod output;
pub mod plot;
pub mod report;
pub mod storage;
pub mod tensor;
pub mod text;

pub use cat::cat;
pub use check::{ValidateOptions, validate};
pub use concat::{ConcatOptions, concat};
pub use context::Context;
pub use convert::{ConvertOptions, WriteMatrix, convert, convert_source};
pub use dataset::Dataset;
pub use diff::{diff, diff_opened};
#[cfg(feature = "singlecell")]
pub use edit::{EditOptions, EditSummary, edit};
pub use filter::{filter, filtered};
pub use location::Location;
pub use nnz_container::Compression;
pub use nnz_core::{
    Axis, Batch, Error, ErrorKind, Header, MatrixSource, Order, Place, Projection, Result,
    Rounding, Scalar, Shape, ValueType, Values,
};
pub use nnz_engine::{
    Cancellation, CatOptions, CsMatrix, Dense, DiffOptions, Difference, NoProgress, Progress,
    ReadOptions, RunningOperation, Selection, Stats, StatsOptions, Summary,
};
pub use open::{OpenOptions, open};
pub use profile::Profile;
pub use read::{read, read_dense};
pub use repair::{RepairSummary, repair};
pub use slice::slice;
pub use stats::stats;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct PackageReadme;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Compiles the code in the page on the library.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
