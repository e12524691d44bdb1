//! The arrays of a `dgCMatrix`.

use std::sync::Arc;

use nnz_container::rds::{ArraySpool, SpooledArray};
use nnz_core::{At, Batch, Error, Place, Result, Shape};

use super::part::{MOST, too_many};

/// Entries that come by column, in ascending order.
pub(super) struct SparseWriter {
    place: Place,
    shape: Shape,
    indices: SpooledArray,
    pointers: SpooledArray,
    values: SpooledArray,
    /// The number of pointers written: all up to the last column that has begun.
    written: u64,
    entries: u64,
    /// The column and row of the last entry.
    last: Option<(u64, u64)>,
}

/// The arrays, as the slots are named.
#[derive(Clone, Debug)]
pub(super) struct SparseArrays {
    pub(super) i: Arc<SpooledArray>,
    pub(super) p: Arc<SpooledArray>,
    pub(super) x: Arc<SpooledArray>,
}

impl SparseWriter {
    pub(super) fn new(shape: Shape, spool: &ArraySpool, place: Place) -> Self {
        let array = || SpooledArray::new(spool);
        let (indices, pointers, values) = (array(), array(), array());
        Self { place, shape, indices, pointers, values, written: 0, entries: 0, last: None }
    }

    /// Returns the number of entries so far.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Writes the pointers up to column `col`, before which there are `before` entries.
    fn point(&mut self, col: u64, before: u64) -> Result<()> {
        let pointer = u32::try_from(before).map_err(|_| too_many(&self.place, before))?;
        let block = [pointer; 512];
        while self.written <= col {
            let now = usize::try_from(col + 1 - self.written).unwrap_or(512).min(512);
            self.pointers.extend(&block[..now])?;
            self.written += now as u64;
        }
        Ok(())
    }

    /// Returns the error for an entry that is not after the previous one.
    fn unsupported_order(&self, row: u64, col: u64) -> Error {
        let place = self.place.clone().at(At::Entry { row, col });
        if self.last == Some((col, row)) {
            let expected = "one, since a dgCMatrix has no duplicates: sum them";
            return Error::mismatch(place, "two entries at the same position", expected);
        }
        Error::mismatch(place, "an entry out of order", "ascending rows in each column")
    }

    /// Appends the entries of a batch, whose values are `values`.
    pub(super) fn put(&mut self, batch: &Batch, values: &[f64]) -> Result<()> {
        let total = self.entries + batch.entries() as u64;
        if total > MOST {
            return Err(too_many(&self.place, total));
        }
        let mut indices: Vec<u32> = Vec::with_capacity(batch.entries());
        for run in 0..batch.runs() {
            let range = batch.run(run);
            let col = batch.majors.get(run);
            if col >= self.shape.cols || col + 1 < self.written {
                let found = format!("column {col}");
                let least = self.written.saturating_sub(1);
                let expected = format!("at least {least}, below {}", self.shape.cols);
                return Err(Error::mismatch(self.place.clone(), found, expected));
            }
            self.point(col, self.entries + range.start as u64)?;
            for entry in range {
                let row = batch.minor(run, entry);
                if self.last >= Some((col, row)) {
                    return Err(self.unsupported_order(row, col));
                }
                self.last = Some((col, row));
                match u32::try_from(row) {
                    Ok(index) if row < self.shape.rows => indices.push(index),
                    _ => {
                        let place = self.place.clone().at(At::Entry { row, col });
                        let expected = format!("rows below {}", self.shape.rows);
                        return Err(Error::mismatch(place, "a row past the end", expected));
                    }
                }
            }
        }
        if values.len() != indices.len() {
            let found = format!("{} values", values.len());
            return Err(Error::mismatch(self.place.clone(), found, indices.len()));
        }
        self.values.extend(values)?;
        self.indices.extend(&indices)?;
        self.entries = total;
        Ok(())
    }

    /// Completes the pointers, and returns the arrays.
    pub(super) fn finish(mut self) -> Result<SparseArrays> {
        self.point(self.shape.cols, self.entries)?;
        let Self { indices, pointers, values, .. } = self;
        Ok(SparseArrays { i: Arc::new(indices), p: Arc::new(pointers), x: Arc::new(values) })
    }
}
