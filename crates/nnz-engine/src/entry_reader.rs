//! Reading entries one by one, to compare two matrices in order.

use std::ops::Range;

use nnz_core::{Batch, MatrixSource, Order, Projection, Result, Scalar, SequentialReader};

use crate::flow::Workers;
use crate::sort::{SortPlan, sorted};
use crate::stages::{Batches, Step, Stepped, Units, empty_batch};

/// Starts reading entries in storage order.
pub(crate) fn read_in_storage_order<'a>(
    source: &'a dyn MatrixSource,
    steps: &'a [Box<dyn Step>],
) -> Result<Batches<'a>> {
    let units = Box::new(SequentialReader(all(source)?));
    Ok(Box::new(Stepped::new(units, steps, source.header().order)))
}

/// Starts reading sorted entries.
pub(crate) fn read_sorted<'a>(
    source: &dyn MatrixSource,
    steps: &[Box<dyn Step>],
    plan: SortPlan<'_>,
) -> Result<Batches<'a>> {
    let (units, _) = sorted(all(source)?, steps, plan, &|_| {})?;
    Ok(Box::new(SequentialReader(units)))
}

fn all(source: &dyn MatrixSource) -> Result<Units<'_>> {
    let header = source.header();
    source.units(0..header.shape.major(header.order), Projection::ALL)
}

/// Major, minor and value of an entry.
pub(crate) type Entry = ((u64, u64), Scalar);

/// Yields entries one by one.
pub(crate) struct EntryReader<'a> {
    reader: Batches<'a>,
    workers: Workers<'a>,
    batch: Batch,
    /// The number of batches read.
    batches: u64,
    run: usize,
    entry: usize,
}

impl<'a> EntryReader<'a> {
    pub(crate) fn new(
        reader: Batches<'a>,
        order: Order,
        source: &dyn MatrixSource,
        workers: Workers<'a>,
    ) -> Self {
        let batch = empty_batch(order, source.header().value_type);
        Self { reader, workers, batch, batches: 0, run: 0, entry: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Entry>> {
        loop {
            while self.run < self.batch.runs() {
                if self.entry < self.batch.offsets[self.run + 1] {
                    let entry = self.entry;
                    self.entry += 1;
                    let Some(value) = self.batch.values.get(entry) else { continue };
                    let minor = self.batch.minor(self.run, entry);
                    return Ok(Some(((self.batch.majors.get(self.run), minor), value)));
                }
                self.run += 1;
            }
            self.workers.check()?;
            if !self.reader.next_batch(&mut self.batch)? {
                return Ok(None);
            }
            self.batches += 1;
            self.run = 0;
            self.entry = 0;
        }
    }

    /// Returns the current batch and its number.
    pub(crate) fn batch(&self) -> (&Batch, u64) {
        (&self.batch, self.batches)
    }

    /// Returns the remaining entries of the current run and their major; `None` if there are none.
    pub(crate) fn ahead(&mut self) -> Option<(u64, Range<usize>)> {
        while self.run < self.batch.runs() {
            let end = self.batch.offsets[self.run + 1];
            if self.entry < end {
                return Some((self.batch.majors.get(self.run), self.entry..end));
            }
            self.run += 1;
        }
        None
    }

    /// Skips some of the entries that are [ahead](Self::ahead).
    pub(crate) fn pass(&mut self, entries: usize) {
        self.entry += entries;
    }
}
