//! Checking that all values can be read, and are valid for their type.

use nnz_core::{Result, Values};

use crate::deviation::Deviations;
use crate::store::{PIECE, ValueArray};

/// Checks every stored value.
pub(super) fn check(values: &ValueArray, found: &mut Deviations) {
    if values.iso().is_none() {
        found.take(read_all(values));
    }
}

fn read_all(values: &ValueArray) -> Result<()> {
    let mut piece = Values::new(values.value_type());
    let mut start = 0;
    while start < values.len() {
        let end = values.len().min(start + PIECE);
        values.read(start..end, &mut piece)?;
        start = end;
    }
    Ok(())
}
