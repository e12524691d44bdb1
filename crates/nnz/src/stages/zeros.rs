//! Dropping the zeros of a dense source, which are no entries of a sparse target.

use nnz_core::{Batch, BatchReader, Order, Result, Shape, ValueType, Values};

use super::{Batches, Builder, empty_batch};

/// Drops entries that are zero. A negative zero and NaN stay: they are not nothing.
pub(crate) struct DropZeros<'a> {
    inner: Batches<'a>,
    builder: Builder,
    dense: Batch,
}

impl<'a> DropZeros<'a> {
    pub(crate) fn new(
        inner: Batches<'a>,
        order: Order,
        shape: Shape,
        value_type: ValueType,
    ) -> Self {
        Self { inner, builder: Builder::new(order, shape), dense: empty_batch(order, value_type) }
    }
}

impl BatchReader for DropZeros<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if !self.inner.next_batch(&mut self.dense)? {
            return Ok(false);
        }
        if let Values::Iso(scalar) = self.dense.values {
            self.dense.values = scalar.repeat(self.dense.entries());
        }
        let dense = &self.dense;
        self.builder.start(dense.order, batch);
        if batch.values.value_type() != dense.values.value_type() {
            batch.values = Values::new(dense.values.value_type());
        }
        let size = dense.values.value_type().size();
        // All bytes are zero just for the zero of each type, and for no negative one.
        let cells = dense.values.bytes();
        dense.try_for_each(|entry, major, minor| {
            let is_zero = cells[entry * size..][..size].iter().all(|&byte| byte == 0);
            if !is_zero {
                self.builder.push(batch, major, minor);
                batch.values.extend_from(&dense.values, entry..entry + 1);
            }
            Ok::<(), nnz_core::Error>(())
        })?;
        Ok(true)
    }
}
