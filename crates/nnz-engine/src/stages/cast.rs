//! Casting values to the type of the target.

use nnz_core::{At, Batch, Error, ErrorKind, Place, Result, Rounding, ValueType};

use super::Step;

/// Casts values; the error names the first that is not exact.
pub(crate) struct Cast {
    pub(crate) target: ValueType,
    pub(crate) rounding: Rounding,
    /// Types that the target supports as well.
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
                holds: offender.found.exact_alternative(self.target, self.possible),
            };
            Error::new(kind, Place::default().at(At::Entry { row, col }))
        })?;
        std::mem::swap(&mut batch.values, &mut spare.values);
        Ok(())
    }
}
