//! Units of several readers in sequence, with steps applied to each.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{
    Batch, Error, Majors, Minors, Order, Place, Result, Shape, Unit, UnitReader, ValueType, Values,
};

use crate::stages::{Step, Units, apply, emptied};

/// Steps on all units of a part, on any thread.
pub(crate) struct Steps {
    /// The matrix in messages of errors.
    pub(crate) place: Place,
    steps: Vec<Box<dyn Step>>,
    /// Buffers to be reused.
    spares: Mutex<Vec<Batch>>,
}

impl Steps {
    pub(crate) fn new(place: Place, steps: Vec<Box<dyn Step>>) -> Self {
        Self { place, steps, spares: Mutex::default() }
    }

    /// Applies all steps. Errors have the positions in the batch before the steps.
    pub(crate) fn apply(&self, batch: &mut Batch) -> Result<()> {
        let mut spare = Batch::new(batch.order, Values::default());
        let done = apply(&self.steps, batch, &mut spare);
        done.map_err(|error| error.with_context(&self.place))
    }

    /// Decodes a unit, calls `decoded` with the number of its entries, and applies all steps. Errors have the
    /// positions in the batch before the steps.
    fn decode(
        &self,
        unit: Box<dyn Unit + '_>,
        batch: &mut Batch,
        decoded: impl FnOnce(u64),
    ) -> Result<()> {
        let spares = || self.spares.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = if self.steps.is_empty() { None } else { spares().pop() };
        let mut spare = spare.unwrap_or_else(|| Batch::new(batch.order, Values::default()));
        // Decoding into the larger buffer: it is not filled with zeros first, as one that grows is.
        if spare.entries() > batch.entries() {
            std::mem::swap(batch, &mut spare);
        }
        let done = unit.decode(batch).and_then(|()| {
            decoded(batch.entries() as u64);
            apply(&self.steps, batch, &mut spare)
        });
        if !self.steps.is_empty() {
            spares().push(spare);
        }
        done.map_err(|error| error.with_context(&self.place))
    }
}

/// The next units.
pub(crate) enum Next<'a> {
    /// All units of a reader, with steps.
    Part(Units<'a>, Arc<Steps>),
    /// A single unit, without steps.
    Unit(Box<dyn Unit + 'a>),
}

/// Opens the next units; `None` at the end.
pub(crate) type Open<'a> = Box<dyn FnMut() -> Result<Option<Next<'a>>> + Send + 'a>;

/// Reads parts in sequence.
///
/// Each reader gets the number of entries of its own units, before steps.
pub(crate) struct InParts<'a> {
    open: Open<'a>,
    /// Readers whose units are not all decoded; units come from the last.
    readers: VecDeque<Reader<'a>>,
    /// The reader of each unit that is not decoded, in order.
    waiting: VecDeque<Option<Arc<AtomicU64>>>,
}

struct Reader<'a> {
    units: Units<'a>,
    steps: Arc<Steps>,
    /// The number of units that are listed and not decoded.
    waiting: u64,
    ended: bool,
}

impl<'a> InParts<'a> {
    pub(crate) fn new(open: Open<'a>) -> Self {
        Self { open, readers: VecDeque::new(), waiting: VecDeque::new() }
    }

    /// Drops readers that are finished.
    fn retire(&mut self) -> Result<()> {
        while self.readers.front().is_some_and(|reader| reader.ended && reader.waiting == 0) {
            if let Some(mut reader) = self.readers.pop_front() {
                reader.units.end().map_err(|error| error.with_context(&reader.steps.place))?;
            }
        }
        Ok(())
    }
}

impl<'a> UnitReader<'a> for InParts<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        loop {
            if let Some(reader) = self.readers.back_mut().filter(|reader| !reader.ended) {
                let unit = reader.units.next_unit();
                let Some(unit) = unit.map_err(|error| error.with_context(&reader.steps.place))?
                else {
                    reader.ended = true;
                    self.retire()?;
                    continue;
                };
                let stored = Arc::new(AtomicU64::new(0));
                reader.waiting += 1;
                self.waiting.push_back(Some(Arc::clone(&stored)));
                let steps = Arc::clone(&reader.steps);
                return Ok(Some(Box::new(PartUnit { unit, steps, stored })));
            }
            match (self.open)()? {
                Some(Next::Part(units, steps)) => {
                    self.readers.push_back(Reader { units, steps, waiting: 0, ended: false });
                }
                Some(Next::Unit(unit)) => {
                    self.waiting.push_back(None);
                    return Ok(Some(unit));
                }
                None => return Ok(None),
            }
        }
    }

    fn on_decoded(&mut self, _: u64) -> Result<()> {
        // Readers before the reader of this unit have no units left.
        if let Some(Some(stored)) = self.waiting.pop_front()
            && let Some(reader) = self.readers.iter_mut().find(|reader| reader.waiting > 0)
        {
            reader.waiting -= 1;
            let result = reader.units.on_decoded(stored.load(Ordering::Acquire));
            result.map_err(|error| error.with_context(&reader.steps.place))?;
        }
        self.retire()
    }

    fn counts_may_fail(&self) -> bool {
        true
    }

    fn end(&mut self) -> Result<()> {
        self.retire()
    }
}

/// A unit of a part, with its steps.
struct PartUnit<'a> {
    unit: Box<dyn Unit + 'a>,
    steps: Arc<Steps>,
    /// Set to the number of entries before the steps.
    stored: Arc<AtomicU64>,
}

impl Unit for PartUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { unit, steps, stored } = *self;
        steps.decode(unit, batch, |entries| stored.store(entries, Ordering::Release))
    }
}

/// Builds a batch from runs of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathering {
    wide: bool,
    value_type: ValueType,
}

impl Gathering {
    /// Prepares to collect runs of matrices of a shape.
    pub(crate) fn new(order: Order, shape: Shape, value_type: ValueType) -> Self {
        Self { wide: shape.minor(order) > 1 << 32, value_type }
    }

    /// Clears a batch and reserves space for entries.
    pub(crate) fn start(self, order: Order, batch: &mut Batch, entries: usize) {
        batch.order = order;
        batch.majors.listed_mut();
        batch.offsets.clear();
        batch.offsets.push(0);
        if self.wide {
            batch.minors.u64_mut().reserve(entries);
        } else {
            batch.minors.u32_mut().reserve(entries);
        }
        if batch.values.value_type() != self.value_type || matches!(batch.values, Values::Iso(_)) {
            batch.values = Values::new(self.value_type);
        }
        batch.values.clear();
        batch.values.reserve(entries);
    }

    /// Appends a run with its values, if there are any.
    pub(crate) fn push_run(self, batch: &mut Batch, from: &Batch, run: usize) -> Result<()> {
        let entries = from.run(run);
        if entries.is_empty() {
            return Ok(());
        }
        let major = from.majors.get(run);
        if let Majors::Listed(majors) = &mut batch.majors
            && majors.last() != Some(&major)
        {
            majors.push(major);
            let end = batch.offsets.last().copied().unwrap_or(0);
            batch.offsets.push(end);
        }
        let first = batch.entries() == 0;
        if let Some(end) = batch.offsets.last_mut() {
            *end += entries.len();
        }
        match (&mut batch.minors, &from.minors) {
            (Minors::U32(into), Minors::U32(from)) => {
                into.extend_from_slice(&from[entries.clone()]);
            }
            (Minors::U32(into), _) => {
                // Minor axes up to 2^32 have 32-bit indices.
                let narrow = |entry| u32::try_from(from.minor(run, entry)).unwrap_or(u32::MAX);
                into.extend(entries.clone().map(narrow));
            }
            (Minors::U64(into), _) => {
                into.extend(entries.clone().map(|entry| from.minor(run, entry)));
            }
            (Minors::Spans(_), _) => {}
        }
        let shared = matches!(from.values, Values::Iso(_));
        if first && (shared || batch.values.value_type() != from.values.value_type()) {
            batch.values = emptied(&from.values);
        }
        // Values are missing if they are not in the projection.
        let absent = from.values.is_empty() && batch.values.is_empty();
        if absent || batch.values.extend_from(&from.values, entries) {
            return Ok(());
        }
        Err(Error::argument("batches of one matrix have different value types"))
    }
}
