//! Building a batch entry by entry.

use nnz_core::{Batch, Majors, Minors, Order, Shape};

/// Builds batches of a shape and order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Builder {
    wide: bool,
}

impl Builder {
    pub(crate) fn new(order: Order, shape: Shape) -> Self {
        Self { wide: shape.minor(order) > 1 << 32 }
    }

    /// Clears a batch.
    pub(crate) fn start(self, order: Order, batch: &mut Batch) {
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

    /// Appends the position of an entry; the caller appends its value.
    pub(crate) fn push(self, batch: &mut Batch, major: u64, minor: u64) {
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
            // Minor axes up to 2^32 have 32-bit indices.
            Minors::U32(minors) => minors.push(u32::try_from(minor).unwrap_or(u32::MAX)),
            Minors::Spans(_) => {}
        }
    }
}
