//! What a matrix can be written to.

use std::any::Any;
use std::sync::Arc;

use crate::{Batch, Error, Order, Result, ValueType};

/// Says what a format can store, so that a matrix is made to fit before it is written.
#[derive(Clone, Debug)]
pub struct SinkCapabilities {
    /// Storage orders it can hold.
    pub orders: &'static [Order],
    /// Value types it can hold.
    pub value_types: &'static [ValueType],
    /// Whether it can say that one triangle follows from the other.
    pub structure: bool,
    /// Whether it can say that cells which are not stored hold something other than zero.
    pub fill: bool,
    /// Whether two entries at one place are refused.
    pub unique: bool,
    /// Whether it has a place for names.
    pub names: bool,
    /// Whether it holds tables that describe rows and columns.
    pub annotations: bool,
    /// Whether every cell of the stored triangle is written.
    pub dense: bool,
}

impl SinkCapabilities {
    /// Says that entries of these orders and value types are held, and nothing else.
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
            dense: false,
        }
    }
}

/// What a finished write came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes on disk.
    pub bytes: u64,
}

/// A batch made ready to be written, in the form its sink keeps it.
pub type Encoded = Box<dyn Any + Send>;

/// The part of writing that any thread can do.
pub trait BatchEncoder: Send + Sync {
    /// Makes a batch ready, whose first entry is number `first` of the matrix.
    ///
    /// # Errors
    ///
    /// Fails where an entry cannot be stored.
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded>;
}

/// A matrix being written. Dropped unfinished, it leaves nothing behind.
pub trait MatrixSink: Send {
    /// Writes the next entries: majors ascend from batch to batch, minors inside each major.
    ///
    /// # Errors
    ///
    /// Fails where the disk is full, or an entry cannot be stored.
    fn write(&mut self, batch: &Batch) -> Result<()>;

    /// Returns what makes batches ready on any thread, for [`write_encoded`](Self::write_encoded);
    /// `None` where only [`write`](Self::write) is there.
    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        None
    }

    /// Writes the next batch, made ready by the [`encoder`](Self::encoder) of this sink.
    ///
    /// # Errors
    ///
    /// Fails as [`write`](Self::write), and where the batch is not the next one.
    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        drop(encoded);
        Err(Error::argument("this sink makes no batches ready"))
    }

    /// Completes the matrix and puts it in its place.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done; nothing is left behind then.
    fn finish(self: Box<Self>) -> Result<Written>;
}
