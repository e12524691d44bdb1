//! Putting entries where they belong, on many threads.

use std::sync::{Mutex, PoisonError};

use nnz_core::{
    Batch, Error, Extent, Header, Majors, Minors, Order, Place, Result, Unit, ValueType, Values,
};

use crate::flow::{Join, Work, Write};

/// The part that any thread can do.
pub(super) struct Filling<'m> {
    order: Order,
    value_type: ValueType,
    /// Batches to be used again.
    spare: Mutex<Vec<Batch>>,
    memory: std::marker::PhantomData<fn() -> &'m mut [u8]>,
}

impl Filling<'_> {
    pub(super) fn new(header: &Header) -> Self {
        let Header { order, value_type, .. } = *header;
        Self { order, value_type, spare: Mutex::default(), memory: std::marker::PhantomData }
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Batch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'m> Work for Filling<'m> {
    type Batch = Batch;
    type Decoded = (Batch, Extent);
    type Encoded = ();
    type Joint = Slot<'m>;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Self::Decoded, Vec<u64>)> {
        let spare = self.spare().pop();
        let mut batch =
            spare.unwrap_or_else(|| Batch::new(self.order, Values::new(self.value_type)));
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        let extent = Extent::of(&batch);
        Ok(((batch, extent), stored))
    }

    fn encode(&self, (batch, _): Self::Decoded, slot: Slot<'m>) -> Result<()> {
        if let Minors::U32(minors) = &batch.minors {
            slot.minors.copy_from_slice(minors);
        }
        slot.values.copy_from_slice(batch.values.bytes());
        self.spare().push(batch);
        Ok(())
    }
}

/// Where the entries of a batch belong.
pub(super) struct Slot<'m> {
    minors: &'m mut [u32],
    values: &'m mut [u8],
}

/// The part that goes in turn.
pub(super) struct Filled<'m> {
    pointers: &'m mut [u64],
    /// What is not filled yet.
    minors: &'m mut [u32],
    values: &'m mut [u8],
    filled: u64,
    last: Option<(u64, u64)>,
    /// Whether no two entries may share a place.
    unique: bool,
    ascends: bool,
}

impl<'m> Filled<'m> {
    pub(super) fn new(
        pointers: &'m mut [u64],
        minors: &'m mut [u32],
        values: &'m mut [u8],
        unique: bool,
    ) -> Self {
        Self { pointers, minors, values, filled: 0, last: None, unique, ascends: true }
    }

    /// Puts in the pointers of majors without entries; `false` where entries did not ascend.
    ///
    /// # Errors
    ///
    /// Fails where there were fewer entries than the header said.
    pub(super) fn complete(self) -> Result<bool> {
        if self.ascends && !(self.minors.is_empty() && self.values.is_empty()) {
            let found = format!("{} entries", self.filled);
            return Err(Error::mismatch(Place::default(), found, "as many as the header says"));
        }
        let mut end = 0;
        for pointer in self.pointers {
            end = end.max(*pointer);
            *pointer = end;
        }
        Ok(self.ascends)
    }
}

impl<'m> Join<Filling<'m>> for Filled<'m> {
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
            let expected = "as many as the header says";
            return Err(Error::mismatch(Place::default(), "more entries", expected));
        };
        (self.minors, self.values) = (rest, other_rest);
        let ends = batch.offsets.iter().skip(1).map(|&end| self.filled + end as u64);
        let place = |major: u64| usize::try_from(major).unwrap_or(usize::MAX).saturating_add(1);
        match &batch.majors {
            Majors::Consecutive(first) => {
                let pointers = self.pointers.get_mut(place(*first)..).unwrap_or_default();
                pointers.iter_mut().zip(ends).for_each(|(pointer, end)| *pointer = end);
            }
            Majors::Listed(majors) => {
                for (&major, end) in majors.iter().zip(ends) {
                    if let Some(pointer) = self.pointers.get_mut(place(major)) {
                        *pointer = end;
                    }
                }
            }
        }
        self.filled += batch.entries() as u64;
        Ok(Some(Slot { minors, values }))
    }
}

/// Each thread puts entries where they belong; nothing is left to be done in turn.
pub(super) struct Done;

impl<W: Work<Encoded = ()>> Write<W> for Done {
    fn write(&mut self, (): ()) -> Result<()> {
        Ok(())
    }
}
