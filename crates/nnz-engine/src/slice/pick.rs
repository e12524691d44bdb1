//! Selecting and moving entries of a batch.

use std::sync::Arc;

use nnz_core::{Batch, Error, Majors as BatchMajors, Minors, Order, Result, Shape};

use super::picked::{Lookup, Picked, Stretch, in_stretches, in_table};
use crate::stages::Step;

/// The targets of the majors of a batch.
pub(super) enum Majors {
    /// All majors are in one stretch.
    Moved(Stretch),
    /// Some majors are selected.
    Found(Arc<Picked>),
    /// All majors are selected, and there are few.
    Sought(Arc<Picked>),
}

/// Drops entries that are not selected, and moves the others.
pub(super) struct Pick {
    majors: Majors,
    minors: Arc<Picked>,
    /// Whether minors need 64 bits in the result.
    wide: bool,
}

impl Pick {
    pub(super) fn new(majors: Majors, minors: &Arc<Picked>, shape: Shape, order: Order) -> Self {
        let wide = shape.minor(order) > 1 << 32;
        Self { majors, minors: Arc::clone(minors), wide }
    }

    fn major(&self, old: u64) -> Option<u64> {
        match &self.majors {
            Majors::Moved(one) => one.moved(old),
            Majors::Found(picked) => match picked.lookup() {
                Lookup::Whole => Some(old),
                Lookup::One(one) => one.moved(old),
                Lookup::Table(table) => in_table(table, old),
                Lookup::Search(stretches) => in_stretches(stretches, old),
            },
            Majors::Sought(picked) => in_stretches(picked.sorted(), old),
        }
    }

    /// Fills `picked` with the entries of `batch` for which `place` returns a target.
    fn pick(
        &self,
        batch: &Batch,
        picked: &mut Batch,
        place: impl Fn(u64) -> Option<u64>,
    ) -> Result<()> {
        picked.order = batch.order;
        picked.offsets.clear();
        picked.offsets.push(0);
        let majors = picked.majors.listed_mut();
        let mut positions: Vec<u32> = Vec::new();
        let mut minors: Vec<u64> = Vec::new();
        let too_many = |_| Error::argument("a batch has fewer than 2^32 entries");
        u32::try_from(batch.entries()).map_err(too_many)?;
        let mut sorting: Vec<(u64, u32)> = Vec::new();
        for run in 0..batch.runs() {
            let Some(major) = self.major(batch.majors.get(run)) else { continue };
            let start = positions.len();
            let entries = batch.run(run);
            let first = u32::try_from(entries.start).map_err(too_many)?;
            match &batch.minors {
                Minors::U32(all) => {
                    for (position, &minor) in (first..).zip(&all[entries]) {
                        if let Some(to) = place(minor.into()) {
                            minors.push(to);
                            positions.push(position);
                        }
                    }
                }
                _ => {
                    for (position, entry) in (first..).zip(entries) {
                        if let Some(to) = place(batch.minor(run, entry)) {
                            minors.push(to);
                            positions.push(position);
                        }
                    }
                }
            }
            if !self.minors.ascends() {
                // Sorted within this batch, which usually has all of the major.
                sorting.clear();
                sorting.extend(minors.drain(start..).zip(positions.drain(start..)));
                sorting.sort_by_key(|(minor, _)| *minor);
                minors.extend(sorting.iter().map(|(minor, _)| *minor));
                positions.extend(sorting.iter().map(|(_, position)| *position));
            }
            majors.push(major);
            picked.offsets.push(positions.len());
        }
        if self.wide {
            picked.minors.u64_mut().append(&mut minors);
        } else {
            // Minor axes up to 2^32 have 32-bit indices.
            let narrow = minors.iter().map(|&minor| u32::try_from(minor).unwrap_or(u32::MAX));
            picked.minors.u32_mut().extend(narrow);
        }
        // Values are missing if they are not in the projection.
        if batch.values.len().is_none_or(|len| len >= batch.entries()) {
            picked.values.gather(&batch.values, &positions);
        } else {
            picked.values = crate::stages::emptied(&batch.values);
        }
        Ok(())
    }
}

impl Step for Pick {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        if self.minors.is_whole()
            && let (Majors::Moved(one), BatchMajors::Consecutive(first)) =
                (&self.majors, &mut batch.majors)
            && let Some(moved) = one.moved(*first)
        {
            *first = moved;
            return Ok(());
        }
        if self.minors.is_whole()
            && let (Majors::Sought(_), BatchMajors::Listed(listed)) =
                (&self.majors, &mut batch.majors)
            && let Some(moved) = listed.iter().map(|old| self.major(*old)).collect::<Option<_>>()
        {
            *listed = moved;
            return Ok(());
        }
        match self.minors.lookup() {
            Lookup::Whole => self.pick(batch, spare, Some)?,
            Lookup::One(one) => self.pick(batch, spare, |old| one.moved(old))?,
            Lookup::Table(table) => self.pick(batch, spare, |old| in_table(table, old))?,
            Lookup::Search(among) => self.pick(batch, spare, |old| in_stretches(among, old))?,
        }
        std::mem::swap(batch, spare);
        Ok(())
    }
}
