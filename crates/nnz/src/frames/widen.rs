//! Columns of types that a dialect does not support.

use nnz_core::{At, Error, ErrorKind, Place, Result, Rounding, Values};
use nnz_daphne::{Column, FrameBatch};

use crate::formats::values::Dialect;
use nnz_engine::narrowest_type;

/// Returns the narrowest type of the dialect that holds all values of the type of each column, if there
/// is one.
pub(super) fn columns(columns: &[Column], dialect: Dialect) -> Vec<Column> {
    let widened = |column: &Column| {
        let value_type = narrowest_type(column.value_type, dialect.value_types());
        Column { label: column.label.clone(), value_type: value_type.unwrap_or(column.value_type) }
    };
    columns.iter().map(widened).collect()
}

/// Casts the values of a batch to wider types.
pub(super) fn widen(batch: &mut FrameBatch, columns: &[Column]) -> Result<()> {
    for ((values, column), col) in batch.columns.iter_mut().zip(columns).zip(0..) {
        let target = column.value_type;
        if values.value_type() == target {
            continue;
        }
        let mut wide = Values::new(target);
        values.cast_into(target, Rounding::Refused, &mut wide).map_err(|offender| {
            let row = batch.rows.start + offender.index as u64;
            let place = Place::default().at(At::Entry { row, col });
            Error::new(ErrorKind::Inexact { found: offender.found, target, holds: None }, place)
        })?;
        *values = wide;
    }
    Ok(())
}
