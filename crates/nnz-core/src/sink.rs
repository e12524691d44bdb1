//! What a matrix can be written to.

use crate::{Batch, Order, Result, ValueType};

/// Says what a format can store, so that a matrix is made to fit before it is written.
#[derive(Clone, Debug)]
pub struct Needs {
    /// Storage orders it can hold.
    pub orders: &'static [Order],
    /// Value types it can hold.
    pub value_types: &'static [ValueType],
    /// Whether it can say that one triangle follows from the other.
    pub structure: bool,
    /// Whether two entries at one place are refused.
    pub unique: bool,
    /// Whether it has a place for names.
    pub names: bool,
    /// Whether every cell of the stored triangle is written.
    pub dense: bool,
}

/// What a finished write came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes on disk.
    pub bytes: u64,
}

/// A matrix being written. Dropped unfinished, it leaves nothing behind.
pub trait MatrixSink: Send {
    /// Writes the next entries: majors ascend from batch to batch, minors inside each major.
    ///
    /// # Errors
    ///
    /// Fails where the disk is full, or an entry cannot be stored.
    fn write(&mut self, batch: &Batch) -> Result<()>;

    /// Completes the matrix and puts it in its place.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done; nothing is left behind then.
    fn finish(self: Box<Self>) -> Result<Written>;
}
