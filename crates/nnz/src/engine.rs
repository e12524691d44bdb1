//! Operations on any source: a file, a view of one, or your own implementation.
//!
//! The functions at the root of the crate take locations and write locations. These take a
//! [`MatrixSource`](crate::MatrixSource), and their results are values or other sources:
//!
//! - [`convert`] writes a source to a [`MatrixTarget`](crate::formats::MatrixTarget) of your own.
//! - [`read`], [`read_dense`], [`stats`], [`diff`], [`cat`], [`filter`] and [`check`] process the entries.
//! - [`Slice`], [`Concat`], [`Transposed`], [`Padded`], [`Summed`], [`Labelled`] and [`Observed`] are sources made of
//!   others; [`reorder`] returns one, and [`convert_source`](crate::convert_source) writes it to a location.
//! - [`compute`], [`plot`] and [`fragments`] have the functions of the modules of these names at the root, for sources.

pub use nnz_engine::{
    Concat, ConcatOptions, ConvertOptions, Filter, FilterResult, FilteredAxis, Labelled, Measures,
    Moments, NameCache, NameIndex, NewOrder, Number, Observed, Padded, Reordering, Slice, Spread,
    Stats, SummaryContent, Summed, TaskContext, Total, Transposed, Unsorted, cat, check,
    check_one_line, compute, convert, default_memory, default_threads, diff, filter, fragments,
    matching, plot, print_names, read, read_dense, reorder, report_error, stats, unsorted,
};
