//! Operations on sparse matrices and fragments of any format.
//!
//! A format implements [`MatrixSource`](nnz_core::MatrixSource) and [`MatrixTarget`]. [`convert`] writes
//! a source to a target, sorting out of core if needed; [`read`] and [`read_dense`] read a source into
//! memory; [`stats`], [`diff`], [`cat`] and [`check`] process its entries. [`Slice`], [`Concat`] and
//! [`Transposed`] are sources made of others. [`fragments`] has the same operations for genomic
//! fragments, and [`flow`] is the parallel pipeline of all of them.
//!
//! This crate opens no files of any format: paths, formats and containers are in the crate `nnz`.
//! From `nnz-storage`, it uses temporary files and directories, and memory that is allocated in
//! advance.
//!
//! ```
//! use nnz_core::{Order, Shape};
//! use nnz_engine::{CsMatrix, ReadOptions, TaskContext};
//!
//! // 1 . 2
//! // . . 3
//! let shape = Shape { rows: 2, cols: 3 };
//! let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![1.0, 2.0, 3.0])?;
//! let source = matrix.into_source()?;
//! let mut options = ReadOptions::default();
//! options.order = Some(Order::Col);
//! let by_column = nnz_engine::read(&*source, &options, &TaskContext::default())?;
//! assert_eq!(by_column.indptr(), [0, 1, 1, 3]);
//! # Ok::<(), nnz_core::Error>(())
//! ```

mod accumulators;
mod annotations;
mod ascent;
mod cat;
mod check;
pub mod compute;
mod concat;
mod convert;
mod diff;
mod entry_reader;
mod filter;
pub mod flow;
pub mod fragments;
mod free_space;
mod names;
mod observed;
mod padded;
mod parts;
pub mod plot;
mod random;
mod read;
mod reorder;
mod repeated_names;
mod slice;
mod sort;
mod stages;
mod stats;
mod summed;
mod target;
mod transposed;
mod types;
mod unsorted;

pub use annotations::{
    AnnotationTable, AnnotationText, Appended, DroppedColumn, Join, Keyed, Labelled, Labels,
    NameList, OriginalPositions, make_unique, write_annotations, write_table,
};
pub use cat::{CatOptions, cat};
pub use check::{check, report_error};
pub use concat::{Concat, ConcatOptions};
pub use convert::{ConvertOptions, StructurePolicy, Summary, SummaryContent, convert};
pub use diff::{
    DiffOptions, Difference, ElementChange, ElementDifference, ElementValue, MatchedNames, diff,
    diff_columns, match_names, missing_names, same_value,
};
pub use filter::{Filter, FilterResult, FilteredAxis, filter};
pub use free_space::check_free_space;
pub use names::{check_one_line, print_names};
pub use nnz_core::{Cancellation, NoProgress, Progress, ProgressPart, RunningOperation};
pub use nnz_storage::{TaskContext, default_memory, default_threads};
pub use observed::Observed;
pub use padded::Padded;
pub use read::{CsMatrix, Dense, IndexPointers, ReadOptions, read, read_dense};
pub use reorder::{NewOrder, Reordering, reorder};
pub use repeated_names::{RepeatedNames, repeated_names};
pub use slice::{NameCache, NameIndex, Selection, Slice, matching};
pub use sort::sorted_units;
pub use stages::DuplicatePolicy;
pub use stats::{Measures, Moments, Number, Spread, Stats, StatsOptions, Total, stats};
pub use summed::Summed;
pub use target::{MatrixTarget, directory_of};
pub use transposed::Transposed;
pub use types::{common_type, narrowest_type, promoted_type};
pub use unsorted::{Unsorted, unsorted};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
