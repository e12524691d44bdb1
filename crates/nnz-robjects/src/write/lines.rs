//! The elements of a dense matrix, column by column.

use std::sync::Arc;

use nnz_container::rds::{ArraySpool, SpooledArray};
use nnz_core::{Batch, Error, Header, Order, Place, Result, Shape, ValueType, Values};

/// The size in bytes of the buffers of all columns, if elements come by row.
const COLUMNS: usize = 4 << 20;

/// The largest number of columns, if elements come by row.
pub(super) const MOST_COLUMNS: u64 = 4096;

/// Elements that come by row or by column, in ascending order.
pub(super) struct LineWriter {
    place: Place,
    shape: Shape,
    order: Order,
    /// One array by column, or one for each column.
    arrays: Vec<SpooledArray>,
    /// The current row or column.
    line: Vec<f64>,
    /// Its number, of which the previous ones are complete.
    major: u64,
}

impl LineWriter {
    pub(super) fn new(header: &Header, spool: &ArraySpool, place: Place) -> Result<Self> {
        let (shape, order) = (header.shape, header.order);
        let minor = usize::try_from(shape.minor(order)).ok();
        let line = minor.and_then(|len| Values::try_zeroed(ValueType::F64, len));
        let Some(Values::F64(line)) = line else {
            return Err(Error::mismatch(place, shape, "rows and columns that fit into memory"));
        };
        let arrays = match order {
            Order::Col => vec![SpooledArray::new(spool)],
            Order::Row => {
                let block = COLUMNS / line.len().max(1);
                line.iter().map(|_| SpooledArray::in_blocks(spool, block)).collect()
            }
        };
        Ok(Self { place, shape, order, arrays, line, major: 0 })
    }

    /// Appends the entries of a batch, whose values are `values`.
    pub(super) fn put(&mut self, batch: &Batch, values: &[f64]) -> Result<()> {
        for run in 0..batch.runs() {
            let major = batch.majors.get(run);
            if major < self.major || major >= self.shape.major(self.order) {
                let expected = format!("{} or later, in {}", self.major, self.shape);
                return Err(Error::mismatch(self.place.clone(), major, expected));
            }
            self.complete(major)?;
            for entry in batch.run(run) {
                let at = usize::try_from(batch.minor(run, entry)).unwrap_or(usize::MAX);
                match (self.line.get_mut(at), values.get(entry)) {
                    (Some(element), Some(value)) => *element = *value,
                    _ => {
                        let expected = format!("an index below {}", self.line.len());
                        return Err(Error::mismatch(self.place.clone(), at, expected));
                    }
                }
            }
        }
        Ok(())
    }

    /// Appends the lines before `major`.
    fn complete(&mut self, major: u64) -> Result<()> {
        while self.major < major {
            match self.order {
                Order::Col => {
                    for array in &mut self.arrays {
                        array.extend(&self.line)?;
                    }
                }
                Order::Row => {
                    for (array, value) in self.arrays.iter_mut().zip(&self.line) {
                        array.append(&value.to_ne_bytes())?;
                    }
                }
            }
            self.line.fill(0.0);
            self.major += 1;
        }
        Ok(())
    }

    /// Appends the remaining lines, and returns the arrays of the columns.
    pub(super) fn finish(mut self) -> Result<Vec<Arc<SpooledArray>>> {
        self.complete(self.shape.major(self.order))?;
        Ok(self.arrays.into_iter().map(Arc::new).collect())
    }
}
