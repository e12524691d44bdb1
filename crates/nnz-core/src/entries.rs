//! The entries of a source, one at a time.

use crate::{Batch, BatchReader, MatrixSource, Projection, Result, Scalar, Values};

/// An iterator over the stored entries of a matrix: row, column and value, with indices from 0.
///
/// Entries are in storage order. Entries that follow from a symmetry are not included. Use
/// [`MatrixSource::batches`] or [`MatrixSource::units`] in code that has to be fast: they return
/// thousands of entries at a time, and units are decoded by all threads.
///
/// The iterator ends after an error.
pub struct Entries<'a> {
    reader: Option<Box<dyn BatchReader + 'a>>,
    batch: Batch,
    run: usize,
    entry: usize,
}

impl<'a> Entries<'a> {
    /// Starts at the first entry.
    pub(crate) fn new(source: &'a (impl MatrixSource + ?Sized)) -> Result<Self> {
        let header = source.header();
        let majors = header.shape.major(header.order);
        let batch = Batch::new(header.order, Values::new(header.value_type));
        let reader = source.batches(0..majors, Projection::ALL)?;
        Ok(Self { reader: Some(reader), batch, run: 0, entry: 0 })
    }

    fn next_entry(&mut self) -> Result<Option<(u64, u64, Scalar)>> {
        while self.entry == self.batch.entries() {
            let Some(reader) = &mut self.reader else { return Ok(None) };
            if !reader.next_batch(&mut self.batch)? {
                self.reader = None;
                return Ok(None);
            }
            (self.run, self.entry) = (0, 0);
        }
        while self.entry >= self.batch.run(self.run).end {
            self.run += 1;
        }
        let (major, minor) =
            (self.batch.majors.get(self.run), self.batch.minor(self.run, self.entry));
        let value = self.batch.values.get(self.entry);
        self.entry += 1;
        let (row, col) = self.batch.order.row_col(major, minor);
        Ok(value.map(|value| (row, col, value)))
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<(u64, u64, Scalar)>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_entry().transpose();
        if matches!(next, Some(Err(_))) {
            self.reader = None;
            self.batch.offsets.clear();
            self.entry = 0;
        }
        next
    }
}

impl std::fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entries").field("order", &self.batch.order).finish_non_exhaustive()
    }
}
