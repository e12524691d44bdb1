//! What can be read as a matrix.

use std::ops::Range;

use crate::{About, At, Axis, Batch, Header, Result, StringList};

/// Says which parts of the entries a reader needs; the others may be left empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Minor indices.
    pub minors: bool,
    /// Values.
    pub values: bool,
}

impl Fields {
    /// Indices and values.
    pub const ALL: Self = Self { minors: true, values: true };
    /// Indices alone.
    pub const MINORS: Self = Self { minors: true, values: false };
    /// Values alone.
    pub const VALUES: Self = Self { minors: false, values: true };
}

/// Hands out the entries of a range of majors, batch by batch.
pub trait BatchReader: Send {
    /// Fills `batch` with the next entries and returns `true`, or returns `false` at the end.
    ///
    /// What the batch held before is overwritten; its buffers are reused. Every major of the
    /// range appears in some batch where majors are consecutive, be it with no entries.
    ///
    /// # Errors
    ///
    /// Fails where the data cannot be read or breaks the format, naming the place.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool>;
}

/// A matrix that can be read.
pub trait MatrixSource: Send + Sync {
    /// Returns what is known without reading entries.
    fn header(&self) -> &Header;

    /// Describes how the matrix is stored.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be read.
    fn about(&self) -> Result<About>;

    /// Reads the names of an axis; `None` where there are none.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read, or are fewer than the axis is long.
    fn names(&self, axis: Axis) -> Result<Option<StringList>>;

    /// Returns whether any range of majors can be read, as often as wanted, from many threads.
    ///
    /// Otherwise [`batches`](Self::batches) takes only the whole range.
    fn random_access(&self) -> bool;

    /// Returns whether the entries can be read more than once.
    fn rereadable(&self) -> bool {
        true
    }

    /// Starts reading a range of majors.
    ///
    /// # Errors
    ///
    /// Fails where the range is past the end, is not the whole and the source is sequential, or
    /// the data cannot be read.
    fn batches(&self, majors: Range<u64>, fields: Fields) -> Result<Box<dyn BatchReader + '_>>;

    /// Returns the number of entries stored before a major, where that is cheap to tell.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read.
    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        let _ = major;
        Ok(None)
    }

    /// Finds the first two positions in the file of entries at a row and column, for messages.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read again.
    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let _ = (row, col);
        Ok(Vec::new())
    }

    /// Returns what the source holds that no matrix can carry, such as extra columns of a table.
    fn extras(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what was noticed while reading, and is allowed.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
