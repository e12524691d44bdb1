//! Types and traits of all nnz formats.
//!
//! A format implements [`MatrixSource`], [`MatrixSink`], or both. Stored entries are passed from
//! source to sink in bounded [`Batch`]es. Crates of formats do not depend on each other; the `nnz` crate
//! combines them through the traits of this crate.

mod about;
mod annotations;
mod axis;
mod batch;
mod cancellation;
mod cast;
mod entries;
mod error;
mod escape;
mod extent;
mod finding;
mod fragments;
mod grouping;
mod header;
mod mirrored;
mod names;
mod narrow;
mod packed;
pub mod parallel;
mod placed;
mod pointers;
mod progress;
mod repairs;
mod setters;
mod sink;
mod source;
mod text;
mod time_type;
mod url;
mod value;

pub use about::{About, ArrayAbout};
pub use annotations::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    ORIGINAL_POSITION, suggest_prefixed,
};
pub use axis::{Axis, AxisKind, Order, Shape};
pub use batch::{Batch, Majors, Minors};
pub use cancellation::{Cancellation, RunningOperation};
pub use cast::{CastError, Rounding};
pub use entries::Entries;
pub use error::{At, Error, ErrorKind, Hint, Place, Result, full_path, readable};
pub use escape::{escaped, is_unprintable};
pub use extent::{AscentKernels, Extent};
pub use finding::{Finding, Severity};
pub use fragments::{
    ChromosomeSizes, FragmentBatch, FragmentEncoder, FragmentFields, FragmentHeader, FragmentSink,
    FragmentSource, Segment,
};
pub use grouping::Grouping;
pub use header::{Duplicates, Header, Storage, Structure, Triangle};
pub use names::{Listed, Names, StringList, StringReader};
pub use narrow::Narrowest;
pub use packed::PackedWidths;
pub use placed::Placed;
pub use pointers::{
    EntryPiece, PointerCursor, Pointers, entry_ranges, pointer_ranges, read_pointers,
};
pub use progress::{NoProgress, Progress, ProgressPart};
pub use repairs::{Repair, Repairs};
pub use sink::{BatchEncoder, Encoded, MatrixSink, SinkCapabilities, Written};
pub use source::{
    BatchReader, BatchUnits, COMMENT, CopyEntries, LowRank, MatrixSource, Metadata, Projection,
    SequentialReader, Unit, UnitReader, Unscaled, Wrapped, check_requested,
};
pub use text::{
    BYTE_ORDER_MARK, GIT_LFS, TEXT_START, is_git_lfs_pointer, not_text, write_float32,
    write_float64, write_scalar,
};
pub use time_type::TimeType;
pub use url::{UrlParts, is_url, without_secrets};
pub use value::{Bint8, Element, Scalar, ValueType, Values};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
