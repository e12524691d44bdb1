//! A single sparse block of rows, written while entries are received.

use nnz_core::{Header, Result};

use super::encode::EncodedBatch;
use crate::output::Output;

/// Rows with their counts. The count of a row that continues in the next batch is updated.
pub(super) struct RowStream {
    rows: u64,
    width: usize,
    /// The position of the total number of entries.
    total_at: u64,
    /// The next row whose count is written.
    next: u64,
    /// The last row, the position of its count, and the count.
    open: Option<(u64, u64, u64)>,
}

impl RowStream {
    /// Starts after the header of the block, which ends with the number of entries.
    pub(super) fn new(output: &Output, header: &Header, width: usize) -> Self {
        let total_at = output.position() - 8;
        Self { rows: header.shape.rows, width, total_at, next: 0, open: None }
    }

    pub(super) fn write(&mut self, output: &mut Output, batch: &EncodedBatch) -> Result<()> {
        for stretch in &batch.stretches {
            let mut bytes = &batch.bytes[stretch.start..stretch.end];
            let mut last_at = (stretch.last_at - stretch.start) as u64;
            let mut count = stretch.last_count;
            let goes_on = self.open.filter(|&(row, ..)| row == stretch.first_row);
            if let Some((row, at, before)) = goes_on {
                let sum = before + stretch.first_count;
                output.patch(at, &sum.to_le_bytes()[..self.width])?;
                bytes = &bytes[self.width..];
                if stretch.last_row == row {
                    self.open = Some((row, at, sum));
                    output.write(bytes)?;
                    continue;
                }
                last_at -= self.width as u64;
            } else {
                let gap = stretch.first_row - self.next;
                output.write_zeros(gap * self.width as u64)?;
            }
            if stretch.last_row == stretch.first_row {
                count = stretch.first_count;
            }
            self.open = Some((stretch.last_row, output.position() + last_at, count));
            output.write(bytes)?;
            self.next = stretch.last_row + 1;
        }
        Ok(())
    }

    pub(super) fn finish(&self, output: &mut Output, entries: u64) -> Result<()> {
        output.write_zeros((self.rows - self.next) * self.width as u64)?;
        output.patch(self.total_at, &entries.to_le_bytes())
    }
}
