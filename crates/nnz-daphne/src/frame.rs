//! Frames: columns of different types, with labels.

mod interleave;
mod reader;
mod sink;
mod source;

use std::ops::Range;

use nnz_core::{Result, ValueType, Values};

pub use sink::{FrameOptions, FrameSink};
pub use source::FrameSource;

/// Names a column of a frame, and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The label.
    pub label: String,
    /// The type of its values.
    pub value_type: ValueType,
}

/// Some rows of a frame, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameBatch {
    /// The rows.
    pub rows: Range<u64>,
    /// The values of each column in these rows.
    pub columns: Vec<Values>,
}

/// Yields the rows of a frame, batch by batch.
pub trait FrameReader {
    /// Returns labels and types.
    fn columns(&self) -> &[Column];

    /// Fills `batch` with the next rows and returns `true`, or returns `false` at the end.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read or break the format, naming the place.
    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool>;
}
