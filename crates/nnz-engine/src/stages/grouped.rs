//! Sorting entries that are grouped by major.

use std::sync::atomic::{AtomicBool, Ordering};

use nnz_core::{Batch, BatchReader, Order, Result, ValueType, Values};

use super::{Batches, Builder, emptied, empty_batch};

/// Sorts the minors of one major at a time. The sort is stable.
///
/// If majors do not ascend, or one has more entries than may be held, the reader ends and sets
/// `violated`: all entries have to be sorted.
pub(crate) struct Grouped<'a> {
    inner: Batches<'a>,
    builder: Builder,
    /// Maximum number of entries to hold.
    most: usize,
    read: Batch,
    /// The next run of `read`.
    run: usize,
    /// Minor and position of each entry of the current major.
    held: Vec<(u64, usize)>,
    held_values: Values,
    major: Option<u64>,
    violated: &'a AtomicBool,
}

impl<'a> Grouped<'a> {
    pub(crate) fn new(
        inner: Batches<'a>,
        order: Order,
        builder: Builder,
        value_type: ValueType,
        memory: u64,
        violated: &'a AtomicBool,
    ) -> Self {
        // Minor and position, half as much again to sort them, a value, and spare capacity.
        const COST: u64 = 2 * (16 + 8 + 16);
        Self {
            inner,
            builder,
            most: usize::try_from(memory / COST).unwrap_or(usize::MAX),
            read: empty_batch(order, value_type),
            run: 0,
            held: Vec::new(),
            held_values: Values::new(value_type),
            major: None,
            violated,
        }
    }

    /// Returns the next non-empty run; `None` at the end.
    fn next_run(&mut self) -> Result<Option<usize>> {
        loop {
            while self.run < self.read.runs() {
                let run = self.run;
                self.run += 1;
                if !self.read.run(run).is_empty() {
                    return Ok(Some(run));
                }
            }
            if !self.inner.next_batch(&mut self.read)? {
                return Ok(None);
            }
            self.run = 0;
        }
    }

    fn hold(&mut self, run: usize) {
        let entries = self.read.run(run);
        let shift = self.held.len();
        for (position, entry) in entries.clone().enumerate() {
            self.held.push((self.read.minor(run, entry), shift + position));
        }
        if shift == 0 {
            self.held_values = emptied(&self.read.values);
        }
        self.held_values.extend_from(&self.read.values, entries);
    }

    /// Appends the held entries to `batch`, sorted.
    fn release(&mut self, batch: &mut Batch) {
        let Some(major) = self.major else { return };
        self.held.sort_by_key(|(minor, _)| *minor);
        for &(minor, position) in &self.held {
            self.builder.push(batch, major, minor);
            batch.values.extend_from(&self.held_values, position..position + 1);
        }
        self.held.clear();
    }

    fn violate(&self) -> Result<bool> {
        self.violated.store(true, Ordering::Relaxed);
        Ok(false)
    }
}

impl BatchReader for Grouped<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        self.builder.start(self.read.order, batch);
        batch.values = emptied(&self.held_values);
        while batch.entries() < super::BATCH {
            let Some(run) = self.next_run()? else {
                self.release(batch);
                return Ok(batch.entries() > 0);
            };
            let major = self.read.majors.get(run);
            if self.major != Some(major) {
                if self.major.is_some_and(|before| before > major) {
                    return self.violate();
                }
                self.release(batch);
                self.major = Some(major);
                if let Values::Iso(scalar) = self.read.values {
                    batch.values = Values::Iso(scalar);
                }
            }
            self.hold(run);
            if self.held.len() > self.most {
                return self.violate();
            }
        }
        Ok(true)
    }
}
