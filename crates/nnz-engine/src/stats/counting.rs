//! The parallel and sequential parts of statistics.

use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Batch, Error, Minors, Place, Projection, Result, Shape, Unit};

use super::bands::Bands;
use super::entries::Entries;
use super::number::Value;
use super::tally::{Slim, Sums, Tally};
use crate::check::Ascent;
use crate::flow::{Join, Work, Write};
use crate::stages::Step;

/// The parallel part.
pub(super) struct Counting<T, S: Slim<T>> {
    entries: Entries,
    by_major: bool,
    /// The length of the minor axis, if its statistics are requested.
    minors: Option<u64>,
    /// Tallies of all minors, one list for each thread that needed one.
    tallies: Mutex<Vec<MinorTallies<T, S>>>,
}

impl<T: Value, S: Slim<T>> Counting<T, S> {
    pub(super) fn new(entries: Entries, by_major: bool, minors: Option<u64>) -> Self {
        Self { entries, by_major, minors, tallies: Mutex::default() }
    }

    fn minors_make_whole(&self) -> bool {
        self.minors.is_some() && S::ORDER_FREE
    }

    /// Bytes per minor on each thread.
    pub(super) const MINOR_BYTES: usize = MinorTallies::<T, S>::BYTES;
}

/// The tally of a batch.
pub(super) struct BatchTally<S> {
    /// The batch, if its minors are summed sequentially.
    batches: Option<[Batch; 2]>,
    pub(super) majors: Vec<(u64, Tally<S>)>,
    whole: Tally<S>,
}

impl<T: Value, S: Slim<T>> Counting<T, S> {
    /// Counts the entries of a batch.
    fn count(&self, batches: [Batch; 2]) -> BatchTally<S::Sums> {
        let batch = &batches[0];
        let values = T::slice(&batch.values).unwrap_or_default();
        let mut whole = Tally::default();
        let mut majors = Vec::with_capacity(if self.by_major { batch.runs() } else { 0 });
        // If sums of minors are exact, the total follows from them.
        let runs = if self.by_major || !self.minors_make_whole() { batch.runs() } else { 0 };
        for run in 0..runs {
            let entries = batch.run(run);
            let mut tally = Tally { count: entries.len() as u64, sums: S::Sums::default() };
            let values = if S::VALUES { &values[entries] } else { &[] };
            let most = usize::try_from(S::MOST).unwrap_or(usize::MAX);
            values.chunks(most).for_each(|values| tally.sums.merge(&S::of(values).widened()));
            whole.merge(&tally);
            if self.by_major {
                majors.push((batch.majors.get(run), tally));
            }
        }
        if let (Some(len), true) = (self.minors, S::ORDER_FREE) {
            let spare = lock(&self.tallies).pop();
            let mut tallies = spare.unwrap_or_else(|| MinorTallies::new(len));
            tallies.add(batch);
            lock(&self.tallies).push(tallies);
        }
        let mut batches = Some(batches);
        if self.minors.is_none() || S::ORDER_FREE {
            batches.take().into_iter().for_each(|batches| self.entries.reuse(batches));
        }
        BatchTally { batches, majors, whole }
    }
}

/// The parallel part for a whole matrix and some of its rows or columns.
pub(super) struct CountingWork<T, S: Slim<T>> {
    pub(super) whole: Counting<T, S>,
    /// Of the source.
    pub(super) shape: Shape,
    /// Steps that select entries, and counts of these.
    pub(super) parts: Vec<(Box<dyn Step>, Counting<T, S>)>,
}

impl<T: Value, S: Slim<T>> CountingWork<T, S> {
    /// Creates the sequential parts, the first for the whole matrix.
    pub(super) fn writers(&self) -> TallyWriters<'_, T, S> {
        let parts = self.parts.iter().map(|(_, counting)| counting);
        TallyWriters(std::iter::once(&self.whole).chain(parts).map(TallyWriter::new).collect())
    }
}

impl<T: Value, S: Slim<T>> Work for CountingWork<T, S> {
    type Batch = Batch;
    type Decoded = [Batch; 2];
    type Encoded = Vec<BatchTally<S::Sums>>;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<([Batch; 2], Vec<u64>)> {
        self.whole.entries.decode(units)
    }

    fn encode(&self, mut batches: [Batch; 2], (): ()) -> Result<Vec<BatchTally<S::Sums>>> {
        // A source may be of another program.
        let whole = &self.whole;
        let fields = Projection { minors: whole.minors.is_some(), values: S::VALUES };
        batches[0].check_lengths(fields)?;
        batches[0].check_positions(self.shape, fields)?;
        whole.entries.prepare(&mut batches, S::VALUES)?;
        let values = &batches[0].values;
        if S::VALUES && T::slice(values).is_none() {
            let found = format!("values of type {}", values.value_type());
            return Err(Error::mismatch(Place::default(), found, T::TYPE));
        }
        let mut all = Vec::with_capacity(1 + self.parts.len());
        for (step, counting) in &self.parts {
            let mut some = counting.entries.unused();
            step.apply(&mut batches[0], &mut some[0])?;
            // The step exchanges them.
            std::mem::swap(&mut batches[0], &mut some[0]);
            all.push(counting.count(some));
        }
        all.insert(0, self.whole.count(batches));
        Ok(all)
    }
}

/// The sequential parts for a whole matrix and some of its rows or columns.
pub(super) struct TallyWriters<'a, T, S: Slim<T>>(pub(super) Vec<TallyWriter<'a, T, S>>);

impl<T: Value, S: Slim<T>> Write<CountingWork<T, S>> for TallyWriters<'_, T, S> {
    fn write(&mut self, all: Vec<BatchTally<S::Sums>>) -> Result<()> {
        self.0.iter_mut().zip(all).for_each(|(writer, part)| writer.add(part));
        Ok(())
    }
}

/// The sequential part.
pub(super) struct TallyWriter<'a, T, S: Slim<T>> {
    counting: &'a Counting<T, S>,
    whole: Tally<S::Sums>,
    majors: Vec<Tally<S::Sums>>,
    /// Minors that are summed here, because their sums depend on the order.
    minors: Option<MinorTallies<T, S>>,
}

/// The tallies of all batches.
pub(super) struct Tallies<S> {
    pub(super) whole: Tally<S>,
    pub(super) majors: Option<Vec<Tally<S>>>,
    pub(super) minors: Option<Vec<Tally<S>>>,
}

impl<'a, T: Value, S: Slim<T>> TallyWriter<'a, T, S> {
    fn new(counting: &'a Counting<T, S>) -> Self {
        let minors = counting.minors.filter(|_| !S::ORDER_FREE).map(MinorTallies::new);
        Self { counting, whole: Tally::default(), majors: Vec::new(), minors }
    }

    pub(super) fn finish(self) -> Tallies<S::Sums> {
        let counting = self.counting;
        let mut all: Option<Vec<Tally<S::Sums>>> = None;
        for tallies in std::mem::take(&mut *lock(&counting.tallies)).into_iter().chain(self.minors)
        {
            let tallies = tallies.widened();
            match &mut all {
                None => all = Some(tallies),
                Some(all) => merge_all(all, tallies.into_iter()),
            }
        }
        let whole = match &all {
            Some(minors) if !counting.by_major && counting.minors_make_whole() => {
                let mut whole = Tally::default();
                minors.iter().for_each(|tally| whole.merge(tally));
                whole
            }
            _ => self.whole,
        };
        Tallies {
            whole,
            majors: counting.by_major.then_some(self.majors),
            minors: counting.minors.map(|_| all.unwrap_or_default()),
        }
    }
}

/// The check for duplicates, if any.
pub(super) struct AscentCheck(pub(super) Option<Ascent>);

impl<T: Value, S: Slim<T>> Join<CountingWork<T, S>> for AscentCheck {
    fn join(&mut self, batches: &[Batch; 2]) -> Result<Option<()>> {
        if let Self(Some(ascent)) = self {
            ascent.watch(&batches[0]);
        }
        Ok(Some(()))
    }
}

impl<T: Value, S: Slim<T>> TallyWriter<'_, T, S> {
    fn add(&mut self, part: BatchTally<S::Sums>) {
        self.whole.merge(&part.whole);
        for (major, tally) in part.majors {
            let major = usize::try_from(major).unwrap_or(usize::MAX);
            if self.majors.len() <= major {
                self.majors.resize(major + 1, Tally::default());
            }
            self.majors[major].merge(&tally);
        }
        if let (Some(batches), Some(minors)) = (part.batches, &mut self.minors) {
            minors.add(&batches[0]);
            self.counting.entries.reuse(batches);
        }
    }
}

/// A tally of each minor.
struct MinorTallies<T, S: Slim<T>> {
    len: usize,
    /// The number of values in the upper half and their sum in the lower half, if only these are
    /// needed: each entry accesses one cache line, so both are kept together.
    paired: Vec<u64>,
    /// The amount by which the halves may still grow.
    left: u64,
    slim: Vec<Tally<S>>,
    /// The number of entries that can still be added to `slim`.
    slim_left: u64,
    bands: Bands,
    /// Sums of the others from each time they were full.
    wide: Vec<Tally<S::Sums>>,
    values: PhantomData<fn(T)>,
}

impl<T: Value, S: Slim<T>> MinorTallies<T, S> {
    /// Bytes per minor.
    const BYTES: usize = match S::VALUES {
        true => size_of::<u64>() + size_of::<Tally<S>>() + size_of::<Tally<S::Sums>>(),
        // Counts are not widened.
        false => size_of::<Tally<S>>(),
    };

    fn new(len: u64) -> Self {
        Self {
            len: usize::try_from(len).unwrap_or(usize::MAX),
            paired: Vec::new(),
            left: 0,
            slim: Vec::new(),
            slim_left: 0,
            bands: Bands::default(),
            wide: Vec::new(),
            values: PhantomData,
        }
    }

    /// Adds each entry of a batch to the tally of its minor.
    fn add(&mut self, batch: &Batch) {
        let entries = batch.entries() as u64;
        let values = T::slice(&batch.values).unwrap_or_default();
        if let (Minors::U32(minors), true) = (&batch.minors, S::VALUES) {
            // No half can grow by more.
            let growth = S::total(values).map(|total| total.saturating_add(entries));
            if let Some(growth) = growth.filter(|&growth| growth <= u32::MAX.into()) {
                self.reserve_pairs(growth);
                let pairs = &mut self.paired[..];
                self.bands.each(batch, minors, values, self.len, |minor, value| {
                    if let Some(pair) = pairs.get_mut(minor as usize) {
                        *pair += 1 << 32 | u64::from(S::low(value));
                    }
                });
                return;
            }
        }
        self.reserve(entries);
        match &batch.minors {
            Minors::U32(minors) if S::VALUES => {
                let tallies = &mut self.slim[..];
                self.bands.each(batch, minors, values, self.len, |minor, value| {
                    if let Some(tally) = tallies.get_mut(minor as usize) {
                        tally.add(value);
                    }
                });
            }
            _ => {
                let _ = batch.try_for_each(|entry, _, minor| {
                    let minor = usize::try_from(minor).unwrap_or(usize::MAX);
                    match self.slim.get_mut(minor) {
                        Some(tally) if S::VALUES => tally.add(values[entry]),
                        Some(tally) => tally.count += 1,
                        None => {}
                    }
                    Ok::<(), ()>(())
                });
            }
        }
    }

    fn reserve_pairs(&mut self, growth: u64) {
        if growth > self.left {
            self.spill_pairs();
            self.paired.resize(self.len, 0);
            self.left = u32::MAX.into();
        }
        self.left -= growth;
    }

    fn reserve(&mut self, entries: u64) {
        if entries > self.slim_left {
            self.spill_slim();
            self.slim.resize(self.len, Tally::default());
            self.slim_left = S::MOST;
        }
        self.slim_left = self.slim_left.saturating_sub(entries);
    }

    fn spill_pairs(&mut self) {
        let tallies = self.paired.drain(..).map(|pair| {
            let (count, total) = (pair >> 32, u32::try_from(pair & 0xffff_ffff).unwrap_or(0));
            Tally { count, sums: S::of_total(total) }.widened()
        });
        merge_all(&mut self.wide, tallies);
    }

    fn spill_slim(&mut self) {
        let slim = std::mem::take(&mut self.slim);
        if self.wide.is_empty() {
            // In place, if both have the same size.
            self.wide = slim.into_iter().map(|tally| tally.widened()).collect();
        } else {
            merge_all(&mut self.wide, slim.into_iter().map(|tally| tally.widened()));
        }
    }

    fn widened(mut self) -> Vec<Tally<S::Sums>> {
        self.spill_pairs();
        self.spill_slim();
        self.wide
    }
}

/// Merges tallies one by one; missing ones are empty.
fn merge_all<S: Sums>(into: &mut Vec<Tally<S>>, from: impl Iterator<Item = Tally<S>>) {
    for (position, tally) in from.enumerate() {
        match into.get_mut(position) {
            Some(into) => into.merge(&tally),
            None => into.push(tally),
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use nnz_core::{Order, Values};

    use super::*;
    use crate::stats::narrow::{NarrowSum, NarrowSums};

    fn batch(minors: &[u32], values: &[u32]) -> Batch {
        Batch {
            offsets: vec![0, minors.len()],
            minors: Minors::U32(minors.to_vec()),
            ..Batch::new(Order::Col, Values::U32(values.to_vec()))
        }
    }

    fn counts_and_sums<S: Slim<u32>>(batches: &[Batch]) -> Vec<(u64, crate::Number)> {
        let mut tallies = MinorTallies::<u32, S>::new(3);
        batches.iter().for_each(|batch| tallies.add(batch));
        let each = tallies.widened();
        each.iter().map(|tally| (tally.count, tally.moments(9).total.unwrap().sum)).collect()
    }

    #[test]
    fn sums_of_minors_do_not_overflow_into_counts() {
        const LARGE: u32 = u32::MAX - 7;
        let sum = |number: u64| crate::Number::Integer(number.into());
        let mut batches = vec![batch(&[0, 2], &[5, 1]), batch(&[2], &[LARGE])];
        batches.push(batch(&[0, 1, 2], &[LARGE, LARGE, LARGE]));
        batches.push(batch(&[2, 0], &[LARGE, 0]));
        batches.extend((0..4).map(|_| batch(&[0, 2], &[1 << 30, 3])));
        let large = u64::from(LARGE);
        let expected =
            vec![(7, sum(5 + large + (4 << 30))), (1, sum(large)), (8, sum(1 + 3 * large + 12))];
        assert_eq!(counts_and_sums::<NarrowSum>(&batches), expected);
        assert_eq!(counts_and_sums::<NarrowSums<u32>>(&batches), expected);
    }
}
