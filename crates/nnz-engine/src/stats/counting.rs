//! The parallel and sequential parts of statistics.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Batch, Error, Place, Projection, Result, Shape, Unit};

use super::entries::Entries;
use super::minors::SharedTallies;
use super::number::Value;
use super::tally::{Slim, Sums, Tally};
use crate::accumulators::TOGETHER;
use crate::check::Ascent;
use crate::flow::{Join, Work, Write};
use crate::stages::Step;

/// The parallel part.
pub(super) struct Counting<T, S: Slim<T>> {
    entries: Entries,
    by_major: bool,
    /// Tallies of all minors, if their statistics are requested.
    minors: Option<SharedTallies<T, S>>,
}

impl<T: Value, S: Slim<T>> Counting<T, S> {
    /// `minors` is the length of the minor axis, if its statistics are requested.
    pub(super) fn new(entries: Entries, by_major: bool, minors: Option<u64>) -> Self {
        Self { entries, by_major, minors: minors.map(SharedTallies::new) }
    }

    /// Returns whether the total follows from minors.
    fn minors_make_whole(&self) -> bool {
        self.minors.is_some() && !self.by_major
    }
}

/// The tally of some batches.
pub(super) struct BatchTally<S> {
    pub(super) majors: Vec<(u64, Tally<S>)>,
    whole: Tally<S>,
}

impl<T: Value, S: Slim<T>> Counting<T, S> {
    /// Counts the entries of batches. Each number is passed in once.
    fn count(&self, number: u64, batches: Vec<[Batch; 2]>) -> BatchTally<S::Sums> {
        let mut whole = Tally::default();
        let mut majors = Vec::new();
        let by_run = if self.minors_make_whole() { &[] } else { &batches[..] };
        for [batch, _] in by_run {
            let values = T::slice(&batch.values).unwrap_or_default();
            for run in 0..batch.runs() {
                let entries = batch.run(run);
                let count = entries.len() as u64;
                let values = if S::VALUES { &values[entries] } else { &[] };
                let tally = Tally { count, sums: S::of(values) };
                whole.merge(&tally);
                if self.by_major {
                    majors.push((batch.majors.get(run), tally));
                }
            }
        }
        if let Some(minors) = &self.minors {
            minors.add(number, &batches);
        }
        batches.into_iter().for_each(|batches| self.entries.reuse(batches));
        BatchTally { majors, whole }
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
    pub(super) fn writers(&self) -> TallyWriters<S::Sums> {
        let writers = std::iter::repeat_with(TallyWriter::default);
        TallyWriters(writers.take(1 + self.parts.len()).collect())
    }

    /// Returns what was counted, the first for the whole matrix.
    pub(super) fn finish(self, writers: TallyWriters<S::Sums>) -> Vec<Tallies<S::Sums>> {
        let parts = self.parts.into_iter().map(|(_, counting)| counting);
        let countings = std::iter::once(self.whole).chain(parts);
        writers.0.into_iter().zip(countings).map(|(writer, of)| writer.finish(of)).collect()
    }

    /// Applies the steps to batches, and returns those of the whole matrix and of its parts.
    fn prepared(&self, batches: Vec<[Batch; 2]>) -> Result<Vec<Vec<[Batch; 2]>>> {
        let whole = &self.whole;
        let fields = Projection { minors: whole.minors.is_some(), values: S::VALUES };
        let mut all: Vec<_> = std::iter::repeat_with(Vec::new).take(1 + self.parts.len()).collect();
        for mut batches in batches {
            // A source may be of another program.
            batches[0].check_lengths(fields)?;
            batches[0].check_positions(self.shape, fields)?;
            whole.entries.prepare(&mut batches, S::VALUES)?;
            let values = &batches[0].values;
            if S::VALUES && T::slice(values).is_none() {
                let found = format!("values of type {}", values.value_type());
                return Err(Error::mismatch(Place::default(), found, T::TYPE));
            }
            for ((step, counting), into) in self.parts.iter().zip(&mut all[1..]) {
                let mut some = counting.entries.unused();
                step.apply(&mut batches[0], &mut some[0])?;
                // The step exchanges them.
                std::mem::swap(&mut batches[0], &mut some[0]);
                into.push(some);
            }
            all[0].push(batches);
        }
        Ok(all)
    }
}

impl<T: Value, S: Slim<T>> Work for CountingWork<T, S> {
    type Batch = Batch;
    type Decoded = Vec<[Batch; 2]>;
    type Encoded = Vec<BatchTally<S::Sums>>;
    type Joint = u64;

    fn together(&self) -> usize {
        match self.whole.minors {
            Some(SharedTallies::InOrder(_)) => TOGETHER,
            _ => 1,
        }
    }

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Vec<[Batch; 2]>, Vec<u64>)> {
        self.whole.entries.decode_each(units)
    }

    fn encode(&self, batches: Vec<[Batch; 2]>, number: u64) -> Result<Vec<BatchTally<S::Sums>>> {
        let prepared = self.prepared(batches);
        let countings =
            || std::iter::once(&self.whole).chain(self.parts.iter().map(|(_, counting)| counting));
        match prepared {
            Ok(all) => {
                let counted = countings().zip(all);
                Ok(counted.map(|(counting, batches)| counting.count(number, batches)).collect())
            }
            Err(error) => {
                // Its turn passes also if it failed: others wait for it.
                countings().for_each(|counting| drop(counting.count(number, Vec::new())));
                Err(error)
            }
        }
    }
}

/// The sequential parts for a whole matrix and some of its rows or columns.
pub(super) struct TallyWriters<S>(pub(super) Vec<TallyWriter<S>>);

impl<T: Value, S: Slim<T>> Write<CountingWork<T, S>> for TallyWriters<S::Sums> {
    fn write(&mut self, all: Vec<BatchTally<S::Sums>>) -> Result<()> {
        self.0.iter_mut().zip(all).for_each(|(writer, part)| writer.add(part));
        Ok(())
    }
}

/// The sequential part.
#[derive(Default)]
pub(super) struct TallyWriter<S> {
    whole: Tally<S>,
    majors: Vec<Tally<S>>,
}

/// The tallies of all batches.
pub(super) struct Tallies<S> {
    pub(super) whole: Tally<S>,
    pub(super) majors: Option<Vec<Tally<S>>>,
    pub(super) minors: Option<Vec<Tally<S>>>,
}

impl<S: Sums> Tallies<S> {
    /// Returns whether rounding errors of all are small. Majors have one element for each of the `minor` minors, for
    /// example.
    pub(super) fn are_precise(&self, [major, minor]: [u64; 2]) -> bool {
        let lists = [(&self.majors, minor), (&self.minors, major)];
        self.whole.is_precise(u128::from(major) * u128::from(minor))
            && lists.into_iter().all(|(list, elements)| {
                list.iter().flatten().all(|tally| tally.is_precise(elements.into()))
            })
    }
}

impl<S: Sums> TallyWriter<S> {
    /// Joins what was counted sequentially with the minors.
    pub(super) fn finish<T: Value, L: Slim<T, Sums = S>>(
        self,
        counting: Counting<T, L>,
    ) -> Tallies<S> {
        let minors_make_whole = counting.minors_make_whole();
        let minors = counting.minors.map(SharedTallies::finish);
        let mut whole = self.whole;
        if minors_make_whole {
            minors.iter().flatten().for_each(|tally| whole.merge(tally));
        }
        Tallies { whole, majors: counting.by_major.then_some(self.majors), minors }
    }

    fn add(&mut self, part: BatchTally<S>) {
        self.whole.merge(&part.whole);
        for (major, tally) in part.majors {
            let major = usize::try_from(major).unwrap_or(usize::MAX);
            if self.majors.len() <= major {
                self.majors.resize(major + 1, Tally::default());
            }
            self.majors[major].merge(&tally);
        }
    }
}

/// Numbers batches, and checks for duplicates if it has a check.
pub(super) struct BatchOrder {
    pub(super) ascent: Option<Ascent>,
    next: u64,
}

impl BatchOrder {
    pub(super) fn new(ascent: Option<Ascent>) -> Self {
        Self { ascent, next: 0 }
    }
}

impl<T: Value, S: Slim<T>> Join<CountingWork<T, S>> for BatchOrder {
    fn join(&mut self, batches: &Vec<[Batch; 2]>) -> Result<Option<u64>> {
        if let Some(ascent) = &mut self.ascent {
            batches.iter().for_each(|[batch, _]| ascent.watch(batch));
        }
        self.next += 1;
        Ok(Some(self.next - 1))
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
