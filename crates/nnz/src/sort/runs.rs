//! Collecting entries into sorted runs.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::PathBuf;

use nnz_core::{At, Batch, Error, ErrorKind, Order, Place, Result, Shape, ValueType, Values};

use super::merge::{Merge, Source};
use super::record::{Key, Record};
use super::{SortPlan, Sorter};
use crate::stages::{Batches, Builder};

/// The entries collected so far: in memory, and in sorted runs on disk.
pub(super) struct Runs<K, const SIZE: usize> {
    order: Order,
    shape: Shape,
    value_type: ValueType,
    iso: Option<Values>,
    minor_bits: u32,
    collected: Vec<Record<K, SIZE>>,
    /// Entries that may be in memory.
    most: usize,
    memory: u64,
    directory: PathBuf,
    spilled: Vec<File>,
}

impl<K: Key, const SIZE: usize> Runs<K, SIZE> {
    pub(super) fn new(plan: SortPlan<'_>, iso: Option<Values>) -> Self {
        // Sorting takes half as much again as what is sorted.
        let cost = size_of::<Record<K, SIZE>>() as u64 * 3 / 2;
        let minors = plan.shape.minor(plan.order);
        Self {
            order: plan.order,
            shape: plan.shape,
            value_type: plan.value_type,
            iso,
            minor_bits: u64::BITS - minors.saturating_sub(1).leading_zeros(),
            collected: Vec::new(),
            most: usize::try_from(plan.memory / cost).unwrap_or(usize::MAX).max(1 << 14),
            memory: plan.memory,
            directory: plan.directory.to_path_buf(),
            spilled: Vec::new(),
        }
    }

    /// Grows by doubling, but never past what may be used.
    fn reserve(&mut self) {
        let capacity = self.collected.capacity();
        if self.collected.len() == capacity {
            let wanted = (capacity * 2).clamp(1 << 14, self.most);
            self.collected.reserve_exact(wanted - capacity);
        }
    }

    fn spill(&mut self) -> Result<()> {
        let io = |error| Error::new(ErrorKind::Io(error), Place::path(&*self.directory));
        let file = tempfile::tempfile_in(&self.directory).map_err(io)?;
        self.collected.sort_by_key(|record| record.key);
        let mut out = BufWriter::with_capacity(1 << 20, file);
        for record in &self.collected {
            record.write(&mut out).map_err(io)?;
        }
        out.flush().map_err(io)?;
        let mut file = out.into_inner().map_err(|error| io(error.into_error()))?;
        file.rewind().map_err(io)?;
        self.spilled.push(file);
        self.collected.clear();
        Ok(())
    }
}

impl<'a, K: Key + 'a, const SIZE: usize> Sorter<'a> for Runs<K, SIZE> {
    fn push(&mut self, batch: &Batch) -> Result<()> {
        let values = batch.values.bytes();
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let (major, minor) = self.order.major_minor(row, col);
            if row >= self.shape.rows || col >= self.shape.cols {
                // A place outside would take the key of another one.
                let place = Place::default().at(At::Entry { row, col });
                return Err(Error::mismatch(place, "an entry outside", self.shape));
            }
            let mut value = [0; SIZE];
            if SIZE > 0 {
                value.copy_from_slice(&values[entry * SIZE..][..SIZE]);
            }
            if self.collected.len() == self.most {
                self.spill()?;
            }
            self.reserve();
            self.collected.push(Record { key: K::join(major, minor, self.minor_bits), value });
            Ok(())
        })
    }

    fn finish(mut self: Box<Self>) -> Result<Batches<'a>> {
        let place = Place::path(&*self.directory);
        let mut sources = Vec::new();
        if self.spilled.is_empty() {
            self.collected.sort_by_key(|record| record.key);
            sources.push(Source::Memory(std::mem::take(&mut self.collected).into_iter()));
        } else {
            if !self.collected.is_empty() {
                self.spill()?;
            }
            self.collected = Vec::new();
            let share = self.memory / 2 / self.spilled.len() as u64;
            let buffer = usize::try_from(share).unwrap_or(0).clamp(16 << 10, 1 << 20);
            sources.extend(self.spilled.into_iter().map(|file| Source::file(file, buffer)));
        }
        Ok(Box::new(Merge::new(
            sources,
            place,
            self.minor_bits,
            self.order,
            Builder::new(self.order, self.shape),
            self.iso.unwrap_or_else(|| Values::new(self.value_type)),
        )?))
    }
}
