//! Selecting and moving entries of a batch.

use std::sync::Arc;

use nnz_core::{Batch, Error, Majors as BatchMajors, Minors, Order, Result, Shape};

use super::position_map::{Lookup, NOWHERE, PositionMap, Stretch, in_stretches, in_table};
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
        let too_many = |_| Error::argument("a batch has fewer than 2^32 entries");
        u32::try_from(batch.entries()).map_err(too_many)?;
        let mut sorter = Sorter::new(self.minors.len());
        for run in 0..batch.runs() {
            let Some(major) = self.major(batch.majors.get(run)) else { continue };
            let start = positions.len();
            let entries = batch.run(run);
            let first = u32::try_from(entries.start).map_err(too_many)?;
            match &batch.minors {
                Minors::U32(all) => {
                    let found = (&mut minors, &mut positions);
                    match self.minors.lookup() {
                        Lookup::Few(marks, table) => {
                            find_few(&all[entries], first, (marks, table), found);
                        }
                        Lookup::Table(table) => find_in_table(&all[entries], first, table, found),
                        _ => find(&all[entries], first, &place, found),
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
                sorter.sort(&mut minors[start..], &mut positions[start..]);
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

/// Places for the entries that are found in a run, which are cut to their number at the end.
struct Found<'a> {
    minors: &'a mut Vec<u64>,
    positions: &'a mut Vec<u32>,
    len: usize,
}

impl<'a> Found<'a> {
    fn with_room(minors: &'a mut Vec<u64>, positions: &'a mut Vec<u32>, room: usize) -> Self {
        let len = minors.len();
        minors.resize(len + room, 0);
        positions.resize(len + room, 0);
        Self { minors, positions, len }
    }

    /// Adds the entries that have a target, of which `first` is the position of the first. Which ones do is hard to predict, so
    /// that there is no branch.
    #[inline(always)]
    fn add(&mut self, all: &[u32], first: u32, table: &[u32]) {
        let (minors, positions) = (&mut self.minors[..], &mut self.positions[..]);
        let mut len = self.len;
        for (position, &minor) in (first..).zip(all) {
            let to = table.get(minor as usize).copied().unwrap_or(NOWHERE);
            // Written in any case; kept if it is a target.
            let (Some(into), Some(at)) = (minors.get_mut(len), positions.get_mut(len)) else {
                break;
            };
            (*into, *at) = (to.into(), position);
            len += usize::from(to != NOWHERE);
        }
        self.len = len;
    }

    fn finish(self) {
        self.minors.truncate(self.len);
        self.positions.truncate(self.len);
    }
}

/// Same as [`find`], with a table.
fn find_in_table(
    all: &[u32],
    first: u32,
    table: &[u32],
    (minors, positions): (&mut Vec<u64>, &mut Vec<u32>),
) {
    let mut found = Found::with_room(minors, positions, all.len());
    found.add(all, first, table);
    found.finish();
}

/// Same as [`find_in_table`], if few minors have a target: groups without any are skipped.
fn find_few(
    all: &[u32],
    first: u32,
    (marks, table): (&[u8], &[u32]),
    (minors, positions): (&mut Vec<u64>, &mut Vec<u32>),
) {
    const GROUP: usize = 8;
    let Some(mask) = marks.len().checked_sub(1) else { return };
    let mut found = Found::with_room(minors, positions, all.len());
    let mut start = first;
    let (groups, rest) = all.as_chunks::<GROUP>();
    for group in groups {
        // Minors past the end can be marked here, and have no place.
        let marked = group.iter().fold(0, |any, minor| any | marks[*minor as usize & mask]);
        if marked != 0 {
            found.add(group, start, table);
        }
        start = start.wrapping_add(8);
    }
    found.add(rest, start, table);
    found.finish();
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
