//! Values of the type the target stores.

use nnz_core::{
    At, Batch, BatchReader, Error, ErrorKind, Place, Result, Rounding, ValueType, Values,
};

use super::Batches;

/// Casts values, or names the first that does not survive.
pub(crate) struct Cast<'a> {
    inner: Batches<'a>,
    target: ValueType,
    rounding: Rounding,
    /// The types the target could store instead.
    possible: &'static [ValueType],
    values: Values,
}

impl<'a> Cast<'a> {
    pub(crate) fn new(
        inner: Batches<'a>,
        source: ValueType,
        target: ValueType,
        rounding: Rounding,
        possible: &'static [ValueType],
    ) -> Self {
        Self { inner, target, rounding, possible, values: Values::new(source) }
    }
}

impl BatchReader for Cast<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        // The inner reader fills the buffer of its own type, which waits here meanwhile.
        std::mem::swap(&mut batch.values, &mut self.values);
        let more = self.inner.next_batch(batch)?;
        std::mem::swap(&mut batch.values, &mut self.values);
        if !more {
            return Ok(false);
        }
        let cast = self.values.cast_into(self.target, self.rounding, &mut batch.values);
        cast.map_err(|offender| {
            let (row, col) = batch.row_col(offender.index);
            let kind = ErrorKind::Inexact {
                found: offender.found,
                target: self.target,
                holds: offender.found.held_by(self.possible),
            };
            Error::new(kind, Place::default().at(At::Entry { row, col }))
        })?;
        Ok(true)
    }
}
