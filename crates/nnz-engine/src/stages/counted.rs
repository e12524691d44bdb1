//! Entries of a pattern as ones that can be added up.

use nnz_core::{Batch, Header, Result, Rounding, ValueType, Values};

use super::Step;

/// Gives each entry a value of its own, of a type, instead of the one all share.
pub(crate) struct Counted(pub(crate) ValueType);

impl Counted {
    /// Returns the type that sums of a pattern's entries have; `None` where it is no pattern.
    pub(crate) fn of_pattern(header: &Header) -> Option<ValueType> {
        header.iso.then_some(match header.value_type {
            ValueType::Bint8 => ValueType::I64,
            other => other,
        })
    }
}

impl Step for Counted {
    fn apply(&self, batch: &mut Batch, _: &mut Batch) -> Result<()> {
        if let Values::Iso(scalar) = batch.values {
            // Ones and numbers of the same type: none is lost.
            let scalar = scalar.cast(self.0, Rounding::Refused).unwrap_or_else(|o| o.found);
            batch.values = scalar.repeat(batch.entries());
        }
        Ok(())
    }
}
