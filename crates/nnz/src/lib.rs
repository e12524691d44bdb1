//! One engine for sparse data on disk: open anything, convert it, check it.
//!
//! [`open`] detects what a path holds by its content and returns a [`Dataset`]; [`convert`]
//! streams any source into any format, in bounded memory; [`validate`] finds what is wrong with a
//! file. The formats themselves live in crates of their own and know nothing of each other. What runs over
//! any source and target, without paths, is in [`engine`].
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
mod check;
mod concat;
mod container_target;
mod convert;
pub mod daphne;
mod dataset;
mod diff;
pub mod formats;
pub mod fragments;
pub mod frames;
mod location;
pub mod numpy;
mod open;
mod read;
mod slice;
mod stats;
mod tensor;

pub use cat::cat;
pub use check::{ValidateOptions, validate};
pub use concat::concat;
pub use container_target::{has_groups, may_hold_binsparse};
pub use convert::{ConvertOptions, WriteMatrix, convert, convert_dataset, convert_source};
pub use dataset::Dataset;
pub use diff::diff;
pub use formats::{FormatOptions, Registry, formats, list_binsparse, list_groups, other_groups};
pub use location::Location;
pub use nnz_binsparse as binsparse;
pub use nnz_bpcells::{FormatVersion, Packing};
pub use nnz_container::Compression;
pub use nnz_core::{
    About, ArrayAbout, At, Axis, AxisKind, Batch, BatchReader, Bint8, Duplicates, Element, Entries,
    Error, ErrorKind, Finding, Header, Majors, MatrixSink, MatrixSource, Metadata, Minors, Names,
    Order, Place, Projection, Result, Rounding, Scalar, Severity, Shape, SinkCapabilities, Storage,
    StringList, StringReader, Structure, Triangle, ValueType, Values, Written, escaped,
    is_unprintable, write_scalar,
};
pub use nnz_engine as engine;
pub use nnz_engine::{
    Cancellation, CatOptions, Concat, ConcatOptions, CsMatrix, Dense, DiffOptions, Difference,
    DuplicatePolicy, Measures, Moments, NoProgress, Number, Progress, ReadOptions, Selection,
    Slice, Spread, Stats, StatsOptions, StructurePolicy, Summary, Total, Transposed,
    cat as cat_source, default_memory, print_names, stats as stats_of,
};
pub use nnz_matrix_market::Layout;
pub use nnz_storage::staging::{
    StagedFile, WriteOptions, remove_staged_outputs, remove_staged_outputs_unless_placed,
};
pub use nnz_storage::{set_temporary_directory, stdio};
pub use open::{OpenOptions, open};
pub use read::{read, read_dense};
pub use slice::slice;
pub use stats::stats;
pub use tensor::TensorFile;

/// What the README shows is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
