//! Entries on one side of the diagonal.

use nnz_core::{Batch, Order, Result};

use super::{Builder, Step, emptied};

/// A part of a square matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrianglePart {
    /// Entries on and below the diagonal.
    Lower,
    /// Entries above the diagonal, with rows and columns exchanged.
    UpperExchanged,
}

/// Keeps the entries of a part.
pub(crate) struct Triangular {
    pub(crate) part: TrianglePart,
    pub(crate) builder: Builder,
}

impl Step for Triangular {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        let order = batch.order;
        self.builder.start(order, spare);
        spare.values = emptied(&batch.values);
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = order.row_col(major, minor);
            if (row >= col) == (self.part == TrianglePart::Lower) {
                self.builder.push(spare, major, minor);
                spare.values.extend_from(&batch.values, entry..entry + 1);
            }
            Ok::<(), nnz_core::Error>(())
        })?;
        if self.part == TrianglePart::UpperExchanged {
            spare.order = match order {
                Order::Row => Order::Col,
                Order::Col => Order::Row,
            };
        }
        std::mem::swap(batch, spare);
        Ok(())
    }
}
