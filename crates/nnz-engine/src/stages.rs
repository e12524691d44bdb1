//! Steps between a source and a sink.
//!
//! A [`Step`] changes one batch at a time, so that any thread can apply it. Changes that depend on
//! previous batches are readers that wrap another.

mod builder;
mod cast;
mod expand;
mod grouped;
mod pattern_values;
mod triangle;
mod unique;
mod zeros;

use nnz_core::{Batch, BatchReader, Order, Result, UnitReader, ValueType, Values};

pub(crate) use builder::Builder;
pub(crate) use cast::Cast;
pub(crate) use expand::{
    Mirroring, expand, expanded_type, mirror, mirror_for, negates_integers, stays_shared,
};
pub(crate) use grouped::Grouped;
pub(crate) use pattern_values::PatternValues;
pub(crate) use triangle::{TrianglePart, Triangular};
pub use unique::DuplicatePolicy;
pub(crate) use unique::{Unique, add_duplicate};
pub(crate) use zeros::{DropValue, DropZeros, PositiveZeros, drop_unstored};

/// A reader of batches.
pub(crate) type Batches<'a> = Box<dyn BatchReader + 'a>;

/// A reader of units.
pub(crate) type Units<'a> = Box<dyn UnitReader<'a> + 'a>;

/// Entries of a batch that is built here.
pub(crate) const BATCH: usize = 64 * 1024;

/// Changes a batch on its own.
pub(crate) trait Step: Send + Sync {
    /// Changes `batch`; `spare` is a buffer.
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()>;
}

/// Applies steps in sequence.
pub(crate) fn apply(steps: &[Box<dyn Step>], batch: &mut Batch, spare: &mut Batch) -> Result<()> {
    steps.iter().try_for_each(|step| step.apply(batch, spare))
}

/// Applies steps to each batch of a reader.
pub(crate) struct Stepped<'a> {
    inner: Batches<'a>,
    steps: &'a [Box<dyn Step>],
    spare: Batch,
}

impl<'a> Stepped<'a> {
    pub(crate) fn new(inner: Batches<'a>, steps: &'a [Box<dyn Step>], order: Order) -> Self {
        Self { inner, steps, spare: Batch::new(order, Values::default()) }
    }
}

impl BatchReader for Stepped<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if !self.inner.next_batch(batch)? {
            return Ok(false);
        }
        apply(self.steps, batch, &mut self.spare)?;
        Ok(true)
    }
}

/// Creates an empty batch of the type of the entries.
pub(crate) fn empty_batch(order: Order, value_type: ValueType) -> Batch {
    Batch::new(order, Values::new(value_type))
}

/// Creates an empty buffer for values like these: a shared value is kept.
pub(crate) fn emptied(values: &Values) -> Values {
    match values {
        Values::Iso(scalar) => Values::Iso(*scalar),
        values => Values::new(values.value_type()),
    }
}
