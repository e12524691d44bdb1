//! Writing matrices.

use std::any::Any;
use std::sync::Arc;

use crate::{Batch, Error, Order, Result, ValueType};

/// Capabilities of a format. A matrix is converted to fit them before it is written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SinkCapabilities {
    /// Supported storage orders.
    pub orders: &'static [Order],
    /// Supported value types.
    pub value_types: &'static [ValueType],
    /// Whether it can store one triangle of a symmetric matrix.
    pub structure: bool,
    /// Whether it supports a fill value other than zero.
    pub fill: bool,
    /// Whether two entries with the same position are refused.
    pub unique: bool,
    /// Whether it stores names.
    pub names: bool,
    /// Whether it stores annotations of rows and columns.
    pub annotations: bool,
    /// Whether it stores the column [`ORIGINAL_POSITION`](crate::ORIGINAL_POSITION), if no other annotations.
    pub positions: bool,
    /// Whether it stores every element (of the stored triangle).
    pub dense: bool,
}

crate::setters! {
    const SinkCapabilities {
        orders: &'static [Order],
        value_types: &'static [ValueType],
        structure: bool,
        fill: bool,
        unique: bool,
        names: bool,
        annotations: bool,
        positions: bool,
        dense: bool,
    }
}

impl SinkCapabilities {
    /// Creates capabilities with the given orders and value types, and nothing else.
    #[must_use]
    pub const fn new(orders: &'static [Order], value_types: &'static [ValueType]) -> Self {
        Self {
            orders,
            value_types,
            structure: false,
            fill: false,
            unique: false,
            names: false,
            annotations: false,
            positions: false,
            dense: false,
        }
    }
}

/// The result of writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Size on disk in bytes.
    pub bytes: u64,
}

impl Written {
    /// The size of what was written.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self { bytes }
    }
}

/// An encoded batch, in a form that its sink defines.
pub type Encoded = Box<dyn Any + Send>;

/// The part of writing that any thread can do.
pub trait BatchEncoder: Send + Sync {
    /// Encodes a batch whose first entry has index `first` in the matrix.
    ///
    /// # Errors
    ///
    /// Fails if an entry cannot be stored.
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded>;
}

/// A writer of a matrix. Dropped unfinished, it leaves no output.
pub trait MatrixSink: Send {
    /// Writes the next entries: majors ascend from batch to batch, minors ascend inside each major.
    ///
    /// # Errors
    ///
    /// Fails if the disk is full, or if an entry cannot be stored.
    fn write(&mut self, batch: &Batch) -> Result<()>;

    /// Returns an encoder for [`write_encoded`](Self::write_encoded), or `None` if only
    /// [`write`](Self::write) is supported.
    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        None
    }

    /// Writes the next batch, encoded by the [`encoder`](Self::encoder) of this sink.
    ///
    /// # Errors
    ///
    /// Fails as [`write`](Self::write), or if the batch is not the next one.
    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        drop(encoded);
        Err(Error::argument("this sink has no encoder"))
    }

    /// Completes the matrix and moves it to the target.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be done; there is no output then.
    fn finish(self: Box<Self>) -> Result<Written>;
}
