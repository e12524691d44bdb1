//! Dropping the zeros of a dense source, which are no entries of a sparse target.

use nnz_core::{Batch, Error, Result, Values};

use super::{Builder, Step, emptied};

/// Drops entries that are zero. A negative zero and NaN stay: they are not nothing.
pub(crate) struct DropZeros(pub(crate) Builder);

impl Step for DropZeros {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        if let Values::Iso(scalar) = batch.values {
            batch.values = scalar.repeat(batch.entries());
        }
        self.0.start(batch.order, spare);
        spare.values = emptied(&batch.values);
        let size = batch.values.value_type().size();
        // All bytes are zero just for the zero of each type, and for no negative one.
        let cells = batch.values.bytes();
        batch.try_for_each(|entry, major, minor| {
            let is_zero = cells[entry * size..][..size].iter().all(|&byte| byte == 0);
            if !is_zero {
                self.0.push(spare, major, minor);
                spare.values.extend_from(&batch.values, entry..entry + 1);
            }
            Ok::<(), Error>(())
        })?;
        std::mem::swap(batch, spare);
        Ok(())
    }
}
