//! Columns in memory, read in batches like the columns of a file.

use nnz::frames::{Column, FrameBatch, FrameReader};
use nnz::{Error, Result, Values};

use crate::arrays::booleans_as_numbers;

/// Rows per batch.
const TOGETHER: u64 = 1 << 16;

/// A table in memory.
pub(super) struct MemoryFrame {
    columns: Vec<Column>,
    values: Vec<Values>,
    rows: u64,
    /// The number of rows read.
    next: u64,
}

impl MemoryFrame {
    /// Creates a table from columns of this length. Booleans become 0 and 1.
    pub(super) fn new(columns: Vec<(String, Values)>, rows: u64) -> Result<Self> {
        if columns.iter().any(|(_, values)| values.len().map(|len| len as u64) != Some(rows)) {
            return Err(Error::argument("columns of a table must have the same length"));
        }
        let info = |(label, values): (String, Values)| {
            let values = booleans_as_numbers(values);
            (Column { label, value_type: values.value_type() }, values)
        };
        let (columns, values) = columns.into_iter().map(info).unzip();
        Ok(Self { columns, values, rows, next: 0 })
    }
}

impl FrameReader for MemoryFrame {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool> {
        if self.next == self.rows {
            return Ok(false);
        }
        let end = match self.columns.is_empty() {
            true => self.rows,
            false => self.rows.min(self.next.saturating_add(TOGETHER)),
        };
        batch.rows = self.next..end;
        // The columns are in memory, so their length fits.
        let rows = [self.next, end].map(|row| usize::try_from(row).unwrap_or(usize::MAX));
        let part = |values: &Values| {
            let mut part = Values::new(values.value_type());
            part.extend_from(values, rows[0]..rows[1]);
            part
        };
        batch.columns = self.values.iter().map(part).collect();
        self.next = end;
        Ok(true)
    }
}
