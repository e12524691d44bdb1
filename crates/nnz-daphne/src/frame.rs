//! Frames: columns of different types, with labels.

mod interleave;
mod reader;
mod sink;
mod source;

use std::ops::Range;

use nnz_core::{Result, ValueType, Values};

pub use sink::{FrameOptions, FrameSink};
pub use source::FrameSource;

/// A column of a frame: its label and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The label.
    pub label: String,
    /// The type of its values.
    pub value_type: ValueType,
}

/// Some rows of a frame, by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameBatch {
    /// The rows.
    pub rows: Range<u64>,
    /// The values of each column in these rows.
    pub columns: Vec<Values>,
}

/// Reads the rows of a frame batch by batch.
pub trait FrameReader {
    /// Returns labels and types.
    fn columns(&self) -> &[Column];

    /// Fills `batch` with the next rows and returns `true`, or returns `false` at the end.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read or violate the format; the error has the location.
    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool>;
}
