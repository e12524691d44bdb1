//! Zeros.

use nnz_core::{Error, ErrorKind, Place, Result, ValueType, Values};

/// Creates values for `rows` x `cols` zeros.
pub(crate) fn zeroed(value_type: ValueType, rows: u64, cols: u64) -> Result<Values> {
    let count = rows.checked_mul(cols).and_then(|count| usize::try_from(count).ok());
    count.and_then(|count| Values::try_zeroed(value_type, count)).ok_or_else(|| {
        let needed = rows.saturating_mul(cols).saturating_mul(value_type.size() as u64);
        Error::new(ErrorKind::Memory { needed, allowed: usize::MAX as u64 }, Place::default())
    })
}
