//! Steps between a source and a sink, each a reader of batches made from another.

mod cast;
mod expand;
mod grouped;
mod in_order;
mod unique;
mod zeros;

use nnz_core::{Batch, BatchReader, Majors, Minors, Order, Shape, ValueType, Values};

pub(crate) use cast::Cast;
pub(crate) use expand::{Mirror, Mirroring};
pub(crate) use grouped::Grouped;
pub(crate) use in_order::InOrder;
pub use unique::DuplicatePolicy;
pub(crate) use unique::Unique;
pub(crate) use zeros::DropZeros;

/// A reader of batches, from somewhere.
pub(crate) type Batches<'a> = Box<dyn BatchReader + 'a>;

/// Entries in a batch that is put together here.
pub(crate) const BATCH: usize = 32 * 1024;

/// Makes an empty batch of the type that entries have.
pub(crate) fn empty_batch(order: Order, value_type: ValueType) -> Batch {
    Batch::new(order, Values::new(value_type))
}

/// Makes what values like these are collected in: one shared value stays, others start afresh.
pub(crate) fn emptied(values: &Values) -> Values {
    match values {
        Values::Iso(scalar) => Values::Iso(*scalar),
        values => Values::new(values.value_type()),
    }
}

/// Puts a batch together, entry by entry.
pub(crate) struct Builder {
    wide: bool,
}

impl Builder {
    pub(crate) fn new(order: Order, shape: Shape) -> Self {
        Self { wide: shape.minor(order) > 1 << 32 }
    }

    /// Empties a batch.
    pub(crate) fn start(&self, order: Order, batch: &mut Batch) {
        batch.order = order;
        batch.majors.listed_mut();
        batch.offsets.clear();
        batch.offsets.push(0);
        batch.values.clear();
        if self.wide {
            batch.minors.u64_mut();
        } else {
            batch.minors.u32_mut();
        }
    }

    /// Appends the place of an entry; its value is the caller's affair.
    pub(crate) fn push(&self, batch: &mut Batch, major: u64, minor: u64) {
        if let Majors::Listed(majors) = &mut batch.majors
            && majors.last() != Some(&major)
        {
            majors.push(major);
            let end = batch.offsets.last().copied().unwrap_or(0);
            batch.offsets.push(end);
        }
        if let Some(end) = batch.offsets.last_mut() {
            *end += 1;
        }
        match &mut batch.minors {
            Minors::U64(minors) => minors.push(minor),
            // Minor axes up to 2^32 have indices below it.
            Minors::U32(minors) => minors.push(u32::try_from(minor).unwrap_or(u32::MAX)),
            Minors::Spans(_) => {}
        }
    }
}
