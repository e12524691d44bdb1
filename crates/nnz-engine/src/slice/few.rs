//! Short stretches of majors, read together by any thread.

use std::collections::VecDeque;
use std::sync::Arc;

use nnz_core::{
    Batch, BatchReader as _, Error, MatrixSource, Projection, Result, SequentialReader, Unit,
    Values,
};

use super::pick::Majors;
use super::position_map::Stretch;
use super::{Slice, by_order};
use crate::parts::Gathering;
use crate::stages::{BATCH, apply};

/// Maximum number of majors of a short stretch.
const SHORT: u64 = 64;

/// Maximum number of stretches that are read together.
const MANY: usize = 4096;

/// Maximum number of entries that are read together: few enough for the caches of all threads, and for
/// cheap allocation.
const ENTRIES: usize = 16 * 1024;

/// Takes the next majors, up to a batch, so that none is divided. Returns also the number of entries. `None` if the next
/// major has too many entries, or their number is not known.
pub(super) fn undivided(
    source: &dyn MatrixSource,
    stretches: &mut VecDeque<Stretch>,
) -> Result<Option<(Vec<Stretch>, u64)>> {
    let mut taken: Vec<Stretch> = Vec::new();
    let mut entries = 0;
    while let Some(front) = stretches.front_mut() {
        let Some(start) = source.stored_before(front.start)? else { break };
        let (mut len, mut end) = (0, start);
        while len < front.len
            && let Some(next) = source.stored_before(front.start + len + 1)?
            && let Some(count) = next.checked_sub(start)
            && count.saturating_add(entries) <= BATCH as u64
        {
            (len, end) = (len + 1, next);
        }
        if len == 0 {
            break;
        }
        entries += end - start;
        taken.push(Stretch { len, ..*front });
        if len < front.len {
            *front = Stretch { start: front.start + len, len: front.len - len, to: front.to + len };
            break;
        }
        stretches.pop_front();
        if taken.len() == MANY {
            break;
        }
    }
    Ok((!taken.is_empty()).then_some((taken, entries)))
}

/// Takes the next stretches, up to a batch, if they are short and have few entries. Returns also the number of
/// entries.
pub(super) fn few(
    source: &dyn MatrixSource,
    stretches: &mut VecDeque<Stretch>,
) -> Result<Option<(Vec<Stretch>, u64)>> {
    let mut taken = Vec::new();
    let mut entries = 0;
    while let Some(one) = stretches.front().filter(|one| one.len <= SHORT && taken.len() < MANY) {
        let before = source.stored_before(one.old().start)?;
        let up_to = source.stored_before(one.old().end)?;
        let count = up_to.zip(before).and_then(|(up_to, before)| up_to.checked_sub(before));
        let Some(count) = count.filter(|count| entries + count <= ENTRIES as u64) else { break };
        if count == 0 && !is_empty(source, one, before.unwrap_or(0))? {
            // Reading it gives the error.
            break;
        }
        entries += count;
        if count > 0 {
            taken.push(*one);
        }
        stretches.pop_front();
    }
    Ok((!taken.is_empty()).then_some((taken, entries)))
}

/// Returns whether all pointers of a stretch without entries are `before`, which is not past the end: a stretch that is
/// not read has no other check.
fn is_empty(source: &dyn MatrixSource, stretch: &Stretch, before: u64) -> Result<bool> {
    if source.header().nnz.is_some_and(|entries| before > entries) {
        return Ok(false);
    }
    for major in stretch.old().skip(1) {
        if source.stored_before(major)? != Some(before) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Stretches that are read together.
pub(super) struct ShortStretches<'a> {
    pub(super) slice: &'a Slice<'a>,
    pub(super) stretches: Vec<Stretch>,
    /// The number of entries.
    pub(super) entries: u64,
    pub(super) fields: Projection,
    pub(super) gathering: Gathering,
}

impl Unit for ShortStretches<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let within = |error: Error| error.with_context(&self.slice.place);
        let source = &*self.slice.inner;
        let old: Vec<_> = self.stretches.iter().map(Stretch::old).collect();
        if let Some(unit) = source.scattered(&old, self.entries, self.fields) {
            unit.decode(batch).map_err(within)?;
            let [major, _] = by_order(&self.slice.picked, source.header().order);
            let steps = self.slice.steps(Majors::Sought(Arc::clone(major)));
            return apply(&steps, batch, &mut Batch::new(batch.order, Values::default()));
        }
        let empty = || Batch::new(source.header().order, Values::new(source.header().value_type));
        let (mut read, mut spare) = (empty(), empty());
        // Always the same, so that reused batches need not grow.
        let entries = usize::try_from(self.entries).unwrap_or(ENTRIES).max(ENTRIES);
        self.gathering.start(source.header().order, batch, entries);
        for one in &self.stretches {
            let steps = self.slice.steps(Majors::Moved(*one));
            let units = self.slice.open(one.old(), self.fields).map_err(within)?;
            let mut reader = SequentialReader(units);
            while reader.next_batch(&mut read).map_err(within)? {
                apply(&steps, &mut read, &mut spare)?;
                for run in 0..read.runs() {
                    self.gathering.push_run(batch, &read, run)?;
                }
            }
        }
        Ok(())
    }
}
