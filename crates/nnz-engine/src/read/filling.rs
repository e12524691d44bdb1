//! Copying entries into place on many threads.

use std::sync::{Mutex, PoisonError};

use nnz_core::{
    Batch, Error, Extent, Header, Majors, Minors, Order, Place, Result, Unit, ValueType, Values,
};
use nnz_storage::{FreshPages, prefault};

use crate::ascent::ASCENT;
use crate::flow::{Join, Work};

/// The parallel part.
pub(super) struct FillWork<'m> {
    order: Order,
    value_type: ValueType,
    /// Batches to be reused.
    spare: Mutex<Vec<Batch>>,
    /// The pages of minors and values.
    fresh: FreshPages<'m>,
}

impl<'m> FillWork<'m> {
    pub(super) fn new(header: &Header, fresh: FreshPages<'m>) -> Self {
        let Header { order, value_type, .. } = *header;
        Self { order, value_type, spare: Mutex::default(), fresh }
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Batch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'m> Work for FillWork<'m> {
    type Batch = Batch;
    type Decoded = (Batch, Extent);
    type Encoded = ();
    type Joint = Slot<'m>;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Self::Decoded, Vec<u64>)> {
        // Usually more than all units so far need.
        self.fresh.populate_next();
        let spare = self.spare().pop();
        let mut batch =
            spare.unwrap_or_else(|| Batch::new(self.order, Values::new(self.value_type)));
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        let extent = Extent::of(&batch, &ASCENT);
        Ok(((batch, extent), stored))
    }

    fn encode(&self, (batch, _): Self::Decoded, slot: Slot<'m>) -> Result<()> {
        let before = usize::try_from(slot.before).unwrap_or(usize::MAX);
        let after = before.saturating_add(batch.entries());
        let sizes = [size_of::<u32>(), self.value_type.size()];
        let ends = sizes.map(|size| after.saturating_mul(size));
        self.fresh.populate_to(ends);
        for (array, bytes) in
            [bytemuck::cast_slice_mut(slot.minors), slot.values].into_iter().enumerate()
        {
            if !self.fresh.has(array) {
                prefault(bytes);
            }
        }
        prefault(bytemuck::cast_slice_mut(slot.pointers));
        if let Minors::U32(minors) = &batch.minors {
            slot.minors.copy_from_slice(minors);
        }
        slot.values.copy_from_slice(batch.values.bytes());
        let ends = batch.offsets.get(1..).unwrap_or_default();
        for (pointer, end) in slot.pointers.iter_mut().zip(ends) {
            *pointer = slot.before + *end as u64;
        }
        self.spare().push(batch);
        Ok(())
    }
}

/// The destination of the entries of a batch, and of the ends of all its majors but the last.
pub(super) struct Slot<'m> {
    minors: &'m mut [u32],
    values: &'m mut [u8],
    pointers: &'m mut [u64],
    /// The number of entries before the batch.
    before: u64,
}

/// The sequential part.
pub(super) struct FillState<'m> {
    /// The part that is not filled yet: ends of majors, from this one on.
    pointers: &'m mut [u64],
    major: u64,
    minors: &'m mut [u32],
    values: &'m mut [u8],
    filled: u64,
    last: Option<(u64, u64)>,
    /// Whether duplicates are not allowed.
    unique: bool,
    ascends: bool,
}

impl<'m> FillState<'m> {
    /// Starts with a pointer for each major and one more, the first of which is 0.
    pub(super) fn new(
        pointers: &'m mut [u64],
        minors: &'m mut [u32],
        values: &'m mut [u8],
        unique: bool,
    ) -> Self {
        let pointers = pointers.get_mut(1..).unwrap_or_default();
        Self { pointers, major: 0, minors, values, filled: 0, last: None, unique, ascends: true }
    }

    /// Takes the pointers of the next majors.
    fn take_pointers(&mut self, count: u64) -> Result<&'m mut [u64]> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let split = std::mem::take(&mut self.pointers).split_at_mut_checked(count);
        let (taken, rest) = split.ok_or_else(more_majors)?;
        self.pointers = rest;
        self.major += count as u64;
        Ok(taken)
    }

    /// Moves to a major: those before it have no more entries. `false` if it is before the current
    /// one.
    fn advance_to(&mut self, major: u64) -> Result<bool> {
        let Some(count) = major.checked_sub(self.major) else { return Ok(false) };
        let filled = self.filled;
        self.take_pointers(count)?.fill(filled);
        Ok(true)
    }

    /// Sets the pointers of the last majors; `false` if entries did not ascend.
    ///
    /// # Errors
    ///
    /// Fails if there were fewer entries or more majors than the header states.
    pub(super) fn complete(self) -> Result<bool> {
        if self.ascends && !(self.minors.is_empty() && self.values.is_empty()) {
            let found = format!("{} entries", self.filled);
            return Err(Error::mismatch(Place::default(), found, "the number in the header"));
        }
        if self.ascends && self.filled > 0 && self.pointers.is_empty() {
            return Err(more_majors());
        }
        self.pointers.fill(self.filled);
        Ok(self.ascends)
    }
}

impl<'m> Join<FillWork<'m>> for FillState<'m> {
    fn join(&mut self, (batch, extent): &(Batch, Extent)) -> Result<Option<Slot<'m>>> {
        let fits = matches!(&batch.minors, Minors::U32(list) if list.len() == batch.entries());
        let follows = match extent.ends {
            Some([start, end]) => {
                let follows =
                    self.last.is_none_or(|last| last < start || last == start && !self.unique);
                self.last = Some(end);
                follows
            }
            None => true,
        };
        let repeats = self.unique && extent.repeated.is_some();
        if !(fits && follows && extent.ascends) || repeats {
            self.ascends = false;
            return Ok(None);
        }
        let bytes = batch.values.bytes().len();
        let (minors, values) = (std::mem::take(&mut self.minors), std::mem::take(&mut self.values));
        let (Some((minors, rest)), Some((values, other_rest))) =
            (minors.split_at_mut_checked(batch.entries()), values.split_at_mut_checked(bytes))
        else {
            let expected = "the number in the header";
            return Err(Error::mismatch(Place::default(), "more entries", expected));
        };
        (self.minors, self.values) = (rest, other_rest);
        let before = self.filled;
        let (mut pointers, mut in_order) = (<&mut [u64]>::default(), true);
        match &batch.majors {
            // The last major can continue in the next batch.
            Majors::Consecutive(first) if batch.runs() > 0 => {
                in_order = self.advance_to(*first)?;
                pointers = self.take_pointers(batch.runs() as u64 - 1)?;
            }
            Majors::Consecutive(_) => {}
            Majors::Listed(majors) => {
                for (run, &major) in majors.iter().enumerate() {
                    let entries = batch.run(run).len() as u64;
                    if entries > 0 {
                        in_order &= self.advance_to(major)?;
                        self.filled += entries;
                    }
                }
            }
        }
        if !in_order {
            self.ascends = false;
            return Ok(None);
        }
        self.filled = before + batch.entries() as u64;
        Ok(Some(Slot { minors, values, pointers, before }))
    }
}

fn more_majors() -> Error {
    Error::mismatch(Place::default(), "more rows or columns", "the number in the header")
}
