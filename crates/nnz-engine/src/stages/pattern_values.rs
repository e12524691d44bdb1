//! Entries of a pattern with values that can be summed.

use nnz_core::{Batch, Header, Result, Rounding, ValueType, Values};

use super::Step;

/// Gives each entry its own value of a type, instead of the shared one.
pub(crate) struct PatternValues(pub(crate) ValueType);

impl PatternValues {
    /// Returns the type of sums of the entries of a pattern; `None` if it is not a pattern.
    pub(crate) fn of_pattern(header: &Header) -> Option<ValueType> {
        header.iso.then_some(match header.value_type {
            ValueType::Bint8 => ValueType::I64,
            other => other,
        })
    }
}

impl Step for PatternValues {
    fn apply(&self, batch: &mut Batch, _: &mut Batch) -> Result<()> {
        if let Values::Iso(scalar) = batch.values {
            // Ones, which are exact in all types.
            let scalar = scalar.cast(self.0, Rounding::Refused).unwrap_or_else(|o| o.found);
            batch.values = scalar.repeat(batch.entries());
        }
        Ok(())
    }
}
