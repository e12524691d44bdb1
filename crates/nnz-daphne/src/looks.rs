//! Detecting DAPHNE files by their first bytes.

use crate::{DataType, Dialect};

/// Returns whether a file of this length with these first bytes may be a DAPHNE file.
///
/// It is meant to reject other formats: version, data type, value type and size of the first block
/// have to be consistent. `start` has the first 64 bytes, or the whole file.
#[must_use]
pub fn looks_like(start: &[u8], len: u64) -> bool {
    let code = match start {
        [1, code, ..] => DataType::from_code(*code),
        _ => None,
    };
    let Some(data_type) = code else { return false };
    Dialect::ALL.into_iter().any(|dialect| plausible(dialect, data_type, start, len).is_some())
}

fn plausible(dialect: Dialect, data_type: DataType, start: &[u8], len: u64) -> Option<()> {
    let word = |at: usize| {
        start.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes)
    };
    let sides = 2 + dialect.padding_after_type();
    let (rows, cols) = (word(sides)?, word(sides + 8)?);
    let types = sides + 16;
    if data_type == DataType::Frame {
        // A type and a label length for each column, the first few of which are visible.
        let seen = start.get(types..)?;
        let count = usize::try_from(cols).unwrap_or(usize::MAX).min(seen.len());
        let known = seen[..count].iter().all(|&code| dialect.value_type(code).is_some());
        let fits = cols.checked_mul(3)?.checked_add(types as u64)? <= len;
        return (known && fits).then_some(());
    }
    let value_type = dialect.value_type(*start.get(types)?)?;
    let block = types + 1;
    if len == block as u64 {
        return (dialect == Dialect::Spec && (rows == 0 || cols == 0)).then_some(());
    }
    let (row, col) = (word(block)?, word(block + 8)?);
    let sizes = word(block + 16)?;
    let (block_rows, block_cols) = (sizes & u64::from(u32::MAX), sizes >> 32);
    let inside = row.checked_add(block_rows)? <= rows && col.checked_add(block_cols)? <= cols;
    let code = *start.get(block + 24)?;
    let whole = (block_rows, block_cols) == (rows, cols);
    let fits = match dialect {
        Dialect::Spec => code <= 3,
        _ => {
            whole
                && code == data_type.code()
                && start.get(block + 25 + dialect.padding_after_block_type())
                    == dialect.code(value_type).as_ref()
        }
    };
    (inside && fits).then_some(())
}
