//! Values of the type the target stores.

use nnz_core::{At, Batch, Error, ErrorKind, Place, Result, Rounding, ValueType};

use super::Step;

/// Casts values, or names the first that does not survive.
pub(crate) struct Cast {
    pub(crate) target: ValueType,
    pub(crate) rounding: Rounding,
    /// The types the target could store instead.
    pub(crate) possible: &'static [ValueType],
}

impl Step for Cast {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        let cast = batch.values.cast_into(self.target, self.rounding, &mut spare.values);
        cast.map_err(|offender| {
            let (row, col) = batch.row_col(offender.index);
            let kind = ErrorKind::Inexact {
                found: offender.found,
                target: self.target,
                holds: offender.found.widest_exact_type(self.possible),
            };
            Error::new(kind, Place::default().at(At::Entry { row, col }))
        })?;
        std::mem::swap(&mut batch.values, &mut spare.values);
        Ok(())
    }
}
