//! One engine for sparse data on disk: open anything, convert it, check it.
//!
//! [`open`] detects what a path holds by its content and returns a [`Dataset`]; [`convert`]
//! streams any source into any format, in bounded memory; [`validate`] finds what is wrong with a
//! file. The formats themselves live in crates of their own and know nothing of each other.
//!
//! ```no_run
//! use nnz::{ConvertOptions, Location};
//!
//! let from = Location::parse("filtered_feature_bc_matrix");
//! let to = Location::parse("pbmc.bpcells");
//! let summary = nnz::convert(&from, &to, &ConvertOptions::default(), &nnz::NoProgress)?;
//! println!("{} entries", summary.entries);
//! # Ok::<(), nnz::Error>(())
//! ```

mod cat;
mod cells;
mod check;
mod concat;
mod container_target;
mod convert;
pub mod daphne;
mod dataset;
mod diff;
mod flow;
pub mod formats;
pub mod fragments;
pub mod frames;
mod location;
mod memory;
mod names;
pub mod numpy;
mod open;
mod parts;
mod progress;
mod read;
mod room;
mod slice;
mod sort;
mod stages;
mod stats;
mod tensor;
mod transposed;
mod types;

pub use cat::{CatOptions, cat, cat_source};
pub use check::{ValidateOptions, validate};
pub use concat::{Concat, ConcatOptions, concat};
pub use container_target::{has_groups, may_hold_binsparse};
pub use convert::{
    ConvertOptions, StructurePolicy, Summary, convert, convert_dataset, convert_source,
};
pub use dataset::Dataset;
pub use diff::{DiffOptions, Difference, diff};
pub use formats::{FormatOptions, Registry, formats, list_binsparse, list_groups, other_groups};
pub use location::Location;
pub use memory::default_memory;
pub use names::print_names;
pub use nnz_binsparse as binsparse;
pub use nnz_bpcells::{FormatVersion, Packing};
pub use nnz_container::staging::{
    StagedFile, WriteOptions, remove_staged_outputs, remove_staged_outputs_unless_placed,
};
pub use nnz_container::stdio;
pub use nnz_container::{Compression, set_temporary_directory};
pub use nnz_core::{
    About, ArrayAbout, At, Axis, AxisKind, Batch, BatchReader, Bint8, Duplicates, Element, Entries,
    Error, ErrorKind, Finding, Header, Majors, MatrixSink, MatrixSource, Metadata, Minors, Names,
    Order, Place, Projection, Result, Rounding, Scalar, Severity, Shape, SinkCapabilities, Storage,
    StringList, StringReader, Structure, Triangle, ValueType, Values, Written, escaped,
    is_unprintable, write_scalar,
};
pub use nnz_interop::matrix_market::Layout;
pub use open::{OpenOptions, open};
pub use progress::{NoProgress, Progress};
pub use read::{CsMatrix, Dense, ReadOptions, read, read_dense};
pub use slice::{Selection, Slice, slice};
pub use stages::DuplicatePolicy;
pub use stats::{Measures, Moments, Number, Spread, Stats, StatsOptions, Total, stats, stats_of};
pub use tensor::TensorFile;
pub use transposed::Transposed;

/// What the README shows is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
