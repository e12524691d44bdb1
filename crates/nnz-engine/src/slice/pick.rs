//! Selecting and moving entries of a batch.

use std::sync::Arc;

use nnz_core::{Batch, Error, Majors as BatchMajors, Minors, Order, Result, Shape};

use super::position_map::{Lookup, PositionMap, Stretch, in_stretches, in_table};
use super::sorter::Sorter;
use crate::stages::Step;

/// The targets of the majors of a batch.
pub(super) enum Majors {
    /// All majors are in one stretch.
    Moved(Stretch),
    /// Some majors are selected.
    Found(Arc<PositionMap>),
    /// All majors are selected, and there are few.
    Sought(Arc<PositionMap>),
}

/// Drops entries that are not selected, and moves the others.
pub(super) struct Pick {
    majors: Majors,
    minors: Arc<PositionMap>,
    /// Whether minors need 64 bits in the result.
    wide: bool,
}

impl Pick {
    pub(super) fn new(
        majors: Majors,
        minors: &Arc<PositionMap>,
        shape: Shape,
        order: Order,
    ) -> Self {
        let wide = shape.minor(order) > 1 << 32;
        Self { majors, minors: Arc::clone(minors), wide }
    }

    fn major(&self, old: u64) -> Option<u64> {
        match &self.majors {
            Majors::Moved(one) => one.moved(old),
            Majors::Found(picked) => match picked.lookup() {
                Lookup::Whole => Some(old),
                Lookup::One(one) => one.moved(old),
                Lookup::Table(table) | Lookup::Few(_, table) => in_table(table, old),
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
        // Targets that are in order, of axes with a table.
        let table = match self.minors.lookup() {
            Lookup::Few(marks, table) => Some((table, marks)),
            Lookup::Table(table) => Some((table, &[][..])),
            _ => None,
        };
        let table = table.filter(|_| self.minors.ascends() && !self.wide);
        let targets = picked.minors.u32_mut();
        let too_many = |_| Error::argument("a batch has fewer than 2^32 entries");
        u32::try_from(batch.entries()).map_err(too_many)?;
        let mut sorter = Sorter::new(self.minors.len());
        for run in 0..batch.runs() {
            let Some(major) = self.major(batch.majors.get(run)) else { continue };
            let start = positions.len();
            let entries = batch.run(run);
            let first = u32::try_from(entries.start).map_err(too_many)?;
            match (&batch.minors, table) {
                (Minors::U32(all), Some((table, marks))) => {
                    let all = &all[entries];
                    targets.resize(start + all.len(), 0);
                    positions.resize(start + all.len(), 0);
                    let into = (&mut targets[start..], &mut positions[start..]);
                    let found = nnz_bitpack::find_in_table(all, first, (table, marks), into);
                    targets.truncate(start + found);
                    positions.truncate(start + found);
                }
                (Minors::U32(all), None) => {
                    find(&all[entries], first, &place, (&mut minors, &mut positions));
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
                sorter.sort(&mut minors[start..], &mut positions[start..]);
            }
            majors.push(major);
            picked.offsets.push(positions.len());
        }
        if self.wide {
            picked.minors.u64_mut().append(&mut minors);
        } else {
            // Minor axes up to 2^32 have 32-bit indices.
            targets.extend(minors.iter().map(|&minor| u32::try_from(minor).unwrap_or(u32::MAX)));
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

/// Appends the targets of minors that have one, and their positions, of which `first` is the first.
fn find(
    all: &[u32],
    first: u32,
    place: impl Fn(u64) -> Option<u64>,
    (minors, positions): (&mut Vec<u64>, &mut Vec<u32>),
) {
    for (position, &minor) in (first..).zip(all) {
        if let Some(to) = place(minor.into()) {
            minors.push(to);
            positions.push(position);
        }
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
            Lookup::Table(table) | Lookup::Few(_, table) => {
                self.pick(batch, spare, |old| in_table(table, old))?;
            }
            Lookup::Search(among) => self.pick(batch, spare, |old| in_stretches(among, old))?,
        }
        std::mem::swap(batch, spare);
        Ok(())
    }
}
