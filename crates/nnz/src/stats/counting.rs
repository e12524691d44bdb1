//! Going over the entries: what any thread can add up, and what has to be added up in turn.

use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Batch, Header, Minors, Order, Result, Unit, Values};

use super::number::Value;
use super::tally::{Slim, Sums, Tally};
use crate::check::Ascent;
use crate::flow::{Join, Work, Write};
use crate::stages::{Step, apply};

/// The part that any thread can do.
pub(super) struct Counting<T, S: Slim<T>> {
    order: Order,
    steps: Vec<Box<dyn Step>>,
    by_major: bool,
    /// The length of the minor axis, if each of it is asked for.
    minors: Option<u64>,
    /// Batches to be used again.
    batches: Mutex<Vec<[Batch; 2]>>,
    /// Tallies of all minors, one for each thread that needed one.
    tallies: Mutex<Vec<MinorTallies<T, S>>>,
}

impl<T: Value, S: Slim<T>> Counting<T, S> {
    pub(super) fn new(
        header: &Header,
        steps: Vec<Box<dyn Step>>,
        by_major: bool,
        minors: Option<u64>,
    ) -> Self {
        let (batches, tallies) = (Mutex::default(), Mutex::default());
        Self { order: header.order, steps, by_major, minors, batches, tallies }
    }
}

/// What a batch comes to.
pub(super) struct Part<S> {
    /// The batch, if its minors are added up in turn.
    batches: Option<[Batch; 2]>,
    majors: Vec<(u64, Tally<S>)>,
    whole: Tally<S>,
}

impl<T: Value, S: Slim<T>> Work for Counting<T, S> {
    type Batch = Batch;
    type Decoded = [Batch; 2];
    type Encoded = Part<S::Sums>;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<([Batch; 2], Vec<u64>)> {
        let empty = || Batch::new(self.order, Values::new(T::TYPE));
        let mut batches = lock(&self.batches).pop().unwrap_or_else(|| [empty(), empty()]);
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batches[0])?;
            stored.push(batches[0].entries() as u64);
        }
        Ok((batches, stored))
    }

    fn encode(&self, mut batches: [Batch; 2], (): ()) -> Result<Part<S::Sums>> {
        let [batch, spare] = &mut batches;
        apply(&self.steps, batch, spare)?;
        if let (true, Values::Iso(scalar)) = (S::VALUES, &batch.values) {
            batch.values = scalar.repeat(batch.entries());
        }
        let values = T::slice(&batch.values).unwrap_or_default();
        let mut whole = Tally::default();
        let mut majors = Vec::with_capacity(if self.by_major { batch.runs() } else { 0 });
        for run in 0..batch.runs() {
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
            lock(&self.batches).extend(batches.take());
        }
        Ok(Part { batches, majors, whole })
    }
}

/// The part that goes in turn.
pub(super) struct Counted<'a, T, S: Slim<T>> {
    counting: &'a Counting<T, S>,
    whole: Tally<S::Sums>,
    majors: Vec<Tally<S::Sums>>,
    /// Minors that are added up here, since their sums depend on the order.
    minors: Option<MinorTallies<T, S>>,
}

/// What all batches come to.
pub(super) struct Found<S> {
    pub(super) whole: Tally<S>,
    pub(super) majors: Option<Vec<Tally<S>>>,
    pub(super) minors: Option<Vec<Tally<S>>>,
}

impl<'a, T: Value, S: Slim<T>> Counted<'a, T, S> {
    pub(super) fn new(counting: &'a Counting<T, S>) -> Self {
        let minors = counting.minors.filter(|_| !S::ORDER_FREE).map(MinorTallies::new);
        Self { counting, whole: Tally::default(), majors: Vec::new(), minors }
    }

    pub(super) fn finish(self) -> Found<S::Sums> {
        let counting = self.counting;
        let mut all: Option<Vec<Tally<S::Sums>>> = None;
        for tallies in std::mem::take(&mut *lock(&counting.tallies)).into_iter().chain(self.minors)
        {
            let tallies = tallies.widened();
            match &mut all {
                None => all = Some(tallies),
                Some(all) => merge_all(all, &tallies),
            }
        }
        Found {
            whole: self.whole,
            majors: counting.by_major.then_some(self.majors),
            minors: counting.minors.map(|_| all.unwrap_or_default()),
        }
    }
}

/// Entries as they go by, if somebody watches them.
pub(super) struct Watched(pub(super) Option<Ascent>);

impl<T: Value, S: Slim<T>> Join<Counting<T, S>> for Watched {
    fn join(&mut self, batches: &[Batch; 2]) -> Result<Option<()>> {
        if let Self(Some(ascent)) = self {
            ascent.watch(&batches[0]);
        }
        Ok(Some(()))
    }
}

impl<T: Value, S: Slim<T>> Write<Counting<T, S>> for Counted<'_, T, S> {
    fn write(&mut self, part: Part<S::Sums>) -> Result<()> {
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
            lock(&self.counting.batches).push(batches);
        }
        Ok(())
    }
}

/// A tally of each minor.
struct MinorTallies<T, S: Slim<T>> {
    slim: Vec<Tally<S>>,
    /// How many entries went into `slim`.
    added: u64,
    /// What was in `slim` whenever it could take no more.
    wide: Vec<Tally<S::Sums>>,
    values: PhantomData<fn(T)>,
}

impl<T: Value, S: Slim<T>> MinorTallies<T, S> {
    fn new(len: u64) -> Self {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let slim = vec![Tally::default(); len];
        Self { slim, added: 0, wide: Vec::new(), values: PhantomData }
    }

    /// Adds each entry of a batch to the tally of its minor.
    fn add(&mut self, batch: &Batch) {
        let entries = batch.entries() as u64;
        if self.added.saturating_add(entries) > S::MOST {
            let slim = std::mem::take(&mut self.slim);
            self.slim.resize(slim.len(), Tally::default());
            merge_all(&mut self.wide, &widened(&slim));
            self.added = 0;
        }
        self.added += entries;
        let values = T::slice(&batch.values).unwrap_or_default();
        match &batch.minors {
            Minors::U32(minors) if S::VALUES => {
                for (&minor, &value) in minors.iter().zip(values) {
                    if let Some(tally) = self.slim.get_mut(minor as usize) {
                        tally.add(value);
                    }
                }
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

    fn widened(mut self) -> Vec<Tally<S::Sums>> {
        merge_all(&mut self.wide, &widened(&self.slim));
        self.wide
    }
}

fn widened<T, S: Slim<T>>(tallies: &[Tally<S>]) -> Vec<Tally<S::Sums>> {
    tallies.iter().map(Tally::widened).collect()
}

fn merge_all<S: Sums>(into: &mut Vec<Tally<S>>, from: &[Tally<S>]) {
    if into.len() < from.len() {
        into.resize(from.len(), Tally::default());
    }
    into.iter_mut().zip(from).for_each(|(into, from)| into.merge(from));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
