//! Passes over the entries of a matrix, with values of a float type.

use std::sync::{Mutex, PoisonError};

use nnz_core::{Batch, Error, MatrixSource, Minors, Place, Projection, Result, Unit, Values};

use super::float::{Float, round_into};
use crate::flow::{Join, Work, Workers, Write, run};
use crate::stages::{Step, apply, expand, expanded_type};

/// Runs work on all units of a matrix.
pub(super) fn pass<W: Work<Batch = Batch>>(
    source: &dyn MatrixSource,
    work: &W,
    join: &mut (dyn Join<W> + '_),
    write: &mut (dyn Write<W> + '_),
    workers: Workers<'_>,
) -> Result<()> {
    let header = source.header();
    let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    run(units, work, join, write, workers)
}

/// Numbers units.
#[derive(Default)]
pub(super) struct Numbers(u64);

impl<W: Work<Joint = u64>> Join<W> for Numbers {
    fn join(&mut self, _: &W::Decoded) -> Result<Option<u64>> {
        self.0 += 1;
        Ok(Some(self.0 - 1))
    }
}

/// Decodes units, adds entries that follow from a structure, and rounds values.
pub(super) struct Entries<T> {
    empty: Batch,
    steps: Vec<Box<dyn Step>>,
    spare: Mutex<Vec<Buffers<T>>>,
}

/// A batch, and what is made of it.
pub(super) struct Buffers<T> {
    pub(super) batch: Batch,
    spare: Batch,
    values: Vec<T>,
    minors: Vec<u32>,
}

impl<T: Float> Entries<T> {
    pub(super) fn new(source: &dyn MatrixSource) -> Self {
        let header = source.header();
        let (steps, _) = expand(header);
        let empty = Batch::new(header.order, Values::new(expanded_type(header)));
        Self { empty, steps, spare: Mutex::default() }
    }

    pub(super) fn decode(
        &self,
        units: Vec<Box<dyn Unit + '_>>,
    ) -> Result<(Vec<Buffers<T>>, Vec<u64>)> {
        let mut decoded = Vec::with_capacity(units.len());
        let mut stored = Vec::with_capacity(units.len());
        for unit in units {
            let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut buffers = spare.unwrap_or_else(|| self.buffers());
            unit.decode(&mut buffers.batch)?;
            stored.push(buffers.batch.entries() as u64);
            decoded.push(buffers);
        }
        Ok((decoded, stored))
    }

    /// Adds entries that follow, and rounds values.
    pub(super) fn prepare(&self, buffers: &mut Buffers<T>) -> Result<()> {
        let Buffers { batch, spare, values, minors } = buffers;
        apply(&self.steps, batch, spare)?;
        if T::slice(&batch.values).is_none() {
            round_into(&batch.values, batch.entries(), values)?;
        }
        if !matches!(batch.minors, Minors::U32(_)) {
            minors.clear();
            // Larger indices are past the end of any matrix in memory.
            let narrow = |minor| u32::try_from(minor).unwrap_or(u32::MAX);
            minors.reserve(batch.entries());
            for run in 0..batch.runs() {
                minors.extend(batch.run(run).map(|entry| narrow(batch.minor(run, entry))));
            }
        }
        Ok(())
    }

    pub(super) fn buffers(&self) -> Buffers<T> {
        let [batch, spare] = [self.empty.clone(), self.empty.clone()];
        Buffers { batch, spare, values: Vec::new(), minors: Vec::new() }
    }

    pub(super) fn reuse(&self, buffers: Buffers<T>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }
}

/// Bands of minors, of each of which the rows of a dense matrix stay in the cache next to the core.
#[derive(Clone, Copy)]
pub(super) struct Bands {
    /// Minors of a band.
    len: u64,
    /// The length of the minor axis.
    minors: u64,
}

impl Bands {
    /// Bytes that stay in the cache.
    const BYTES: usize = 32 << 10;

    /// Entries of a row or column in a band for which it is worth it, on average.
    const LEAST: u64 = 32;

    /// Divides the minors of a matrix, of which each refers to `bytes`; `None` if all stay in the cache together.
    pub(super) fn of(source: &dyn MatrixSource, bytes: usize) -> Option<Self> {
        let header = source.header();
        let minors = header.shape.minor(header.order);
        let len = (Self::BYTES / bytes.max(1)) as u64;
        (len > 0 && len < minors).then_some(Self { len, minors })
    }

    /// Returns whether the entries of a batch are in order, and there are enough of them in each band.
    fn divide(self, batch: &Batch) -> bool {
        let Minors::U32(minors) = &batch.minors else { return false };
        let parts = self.minors.div_ceil(self.len).saturating_mul(batch.runs() as u64);
        let descents = || nnz_bitpack::count_descents_between(minors, &batch.offsets);
        batch.entries() as u64 / Self::LEAST >= parts
            && nnz_bitpack::count_descents(minors) == descents()
    }
}

impl<T: Float> Buffers<T> {
    /// Same as [`for_each`](Self::for_each), but with a band of minors after the other, if there are enough entries in each.
    /// `each` is also given the number of the run.
    pub(super) fn for_each_in(
        &self,
        bands: Option<Bands>,
        mut each: impl FnMut(usize, u64, &[T], &[u32]) -> bool,
    ) -> Result<()> {
        let Some(bands) = bands.filter(|bands| bands.divide(&self.batch)) else {
            let mut number = 0;
            return self.for_each(|major, values, minors| {
                number += 1;
                each(number - 1, major, values, minors)
            });
        };
        let mut starts = Vec::with_capacity(self.batch.runs());
        let mut end = 0;
        while end < bands.minors {
            end += bands.len;
            let is_last = end >= bands.minors;
            let end = u32::try_from(end).unwrap_or(u32::MAX);
            let mut number = 0;
            self.for_each(|major, values, minors| {
                if starts.len() == number {
                    starts.push(0);
                }
                let start: &mut usize = &mut starts[number];
                // The last one has also what is out of bounds.
                let len = match is_last {
                    true => minors.len() - *start,
                    false => minors[*start..].partition_point(|minor| *minor < end),
                };
                let entries = *start..*start + len;
                *start += len;
                number += 1;
                each(number - 1, major, &values[entries.clone()], &minors[entries])
            })?;
        }
        Ok(())
    }

    /// Calls `each` with each row or column that has entries, its values, and their indices.
    pub(super) fn for_each(&self, mut each: impl FnMut(u64, &[T], &[u32]) -> bool) -> Result<()> {
        let batch = &self.batch;
        let values = T::slice(&batch.values).unwrap_or(&self.values);
        let minors = match &batch.minors {
            Minors::U32(own) => own,
            _ => &self.minors,
        };
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            if entries.is_empty() {
                continue;
            }
            let major = batch.majors.get(run);
            if !each(major, &values[entries.clone()], &minors[entries]) {
                let one = batch.order.major().singular();
                let what = format!("an index out of bounds in {one} {major}");
                return Err(Error::mismatch(Place::default(), what, "indices within the matrix"));
            }
        }
        Ok(())
    }
}
