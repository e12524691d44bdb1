//! A parallel pipeline with deterministic results.
//!
//! A matrix is processed in units. Each unit is listed in order, decoded by any thread, joined to
//! the previous ones in order, encoded by any thread, and written in order. The sequential steps
//! see the same order for any number of threads, and if several units fail, the error of the first
//! one in that order is returned.
//!
//! The module `order` decides which unit is next. It does not depend on the types of a pipeline, so it is
//! compiled once.

mod order;
mod queue;
mod turns;

use nnz_storage::TaskContext;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::parallel::on_threads;
use nnz_core::{Result, Unit, UnitReader};

use crate::Cancellation;
use order::{Order, StopReason};

/// Bytes of the buffers of a thread: of what it reads, decodes, compresses and writes.
const BUFFERS: u64 = 4 << 20;

/// The number of threads, and their cancellation.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Checked at each unit.
    pub cancellation: Option<&'a Cancellation>,
}

impl<'a> Workers<'a> {
    /// Returns as many threads as a context has, and as have their buffers in its memory.
    #[must_use]
    pub fn of(context: &'a TaskContext) -> Self {
        let (threads, cancellation) = (context.threads(), context.cancellation());
        Self { threads, cancellation }.within(context.memory())
    }

    /// Checks for cancellation.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Cancelled`](nnz_core::ErrorKind::Cancelled).
    pub fn check(&self) -> Result<()> {
        self.cancellation.map_or(Ok(()), Cancellation::check)
    }

    /// Returns the same with as many threads as have their buffers in this memory, at least one.
    #[must_use]
    pub fn within(self, memory: u64) -> Self {
        let fit = usize::try_from(memory / BUFFERS).unwrap_or(usize::MAX);
        Self { threads: self.threads.min(fit).max(1), ..self }
    }

    /// Returns the same with one thread.
    pub(crate) fn alone(self) -> Self {
        Self { threads: 1, ..self }
    }
}

/// The steps on a unit. Methods with `&mut self` are called in order.
pub trait Work: Sync {
    /// The buffer that a unit is decoded into.
    type Batch;
    /// A decoded unit, or several that are decoded [together](Self::together).
    type Decoded: Send;
    /// An encoded unit.
    type Encoded: Send;
    /// The result of joining, for encoding.
    type Joint: Send;

    /// Returns the number of units that are decoded together.
    fn together(&self) -> usize {
        1
    }

    /// Decodes consecutive units. Returns also the number of stored entries of each.
    ///
    /// # Errors
    ///
    /// Fails if a unit is broken.
    fn decode(
        &self,
        units: Vec<Box<dyn Unit<Self::Batch> + '_>>,
    ) -> Result<(Self::Decoded, Vec<u64>)>;

    /// Encodes a unit.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored.
    fn encode(&self, decoded: Self::Decoded, joint: Self::Joint) -> Result<Self::Encoded>;
}

/// Joins units to the previous ones, in order.
pub trait Join<W: Work>: Send {
    /// Joins a unit. `None` ends all work: neither later nor earlier units are needed.
    ///
    /// # Errors
    ///
    /// Fails if it is not in order.
    fn join(&mut self, decoded: &W::Decoded) -> Result<Option<W::Joint>>;
}

/// Writes units, in order. It may run while later units are joined.
pub trait Write<W: Work>: Send {
    /// Writes a unit.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    fn write(&mut self, encoded: W::Encoded) -> Result<()>;
}

/// A writer without a writing step.
#[derive(Debug)]
pub struct Done;

impl<W: Work<Encoded = ()>> Write<W> for Done {
    fn write(&mut self, (): ()) -> Result<()> {
        Ok(())
    }
}

/// Processes all units of a reader.
///
/// # Errors
///
/// Fails with the error of the first unit that fails in any step, and if cancelled.
pub fn run<'a, W: Work>(
    units: Box<dyn UnitReader<'a, W::Batch> + 'a>,
    work: &W,
    join: &mut (dyn Join<W> + '_),
    write: &mut (dyn Write<W> + '_),
    workers: Workers<'_>,
) -> Result<()> {
    if workers.threads < 2 {
        return run_alone(units, work, join, write, workers);
    }
    let counts_may_fail = units.counts_may_fail();
    let units = Mutex::new(units);
    let counts = Mutex::default();
    let join: Mutex<&mut dyn Join<W>> = Mutex::new(join);
    let write: Mutex<&mut dyn Write<W>> = Mutex::new(write);
    let order = Order::new(2 * workers.threads);
    let steps = Steps {
        units: &units,
        counts: &counts,
        counts_may_fail,
        work,
        join: &join,
        write: &write,
        order: &order,
        workers,
    };
    on_threads(workers.threads, &|| steps.work());
    let wanted = order.end()?;
    if wanted {
        steps.count(&mut **lock(&units))?;
        lock(&units).end()?;
        // It may have been cancelled after the last unit was listed.
        workers.check()?;
    }
    Ok(())
}

fn run_alone<'a, W: Work>(
    mut units: Box<dyn UnitReader<'a, W::Batch> + 'a>,
    work: &W,
    join: &mut (dyn Join<W> + '_),
    write: &mut (dyn Write<W> + '_),
    workers: Workers<'_>,
) -> Result<()> {
    loop {
        workers.check()?;
        let group = next_units(work, &mut *units)?;
        if group.is_empty() {
            return units.end();
        }
        let (decoded, entries) = work.decode(group)?;
        entries.into_iter().try_for_each(|entries| units.on_decoded(entries))?;
        let Some(joint) = join.join(&decoded)? else { return Ok(()) };
        write.write(work.encode(decoded, joint)?)?;
    }
}

/// Lists as many units as are decoded together. An empty result means that none are left.
fn next_units<'a, W: Work>(
    work: &W,
    units: &mut (dyn UnitReader<'a, W::Batch> + 'a),
) -> Result<Vec<Box<dyn Unit<W::Batch> + 'a>>> {
    let together = work.together();
    let mut group = Vec::with_capacity(together);
    while group.len() < together
        && let Some(unit) = units.next_unit()?
    {
        group.push(unit);
    }
    Ok(group)
}

/// The steps of a run, shared by its threads.
struct Steps<'s, 'q, 'a, 'j, 'w, W: Work> {
    units: &'s Mutex<Box<dyn UnitReader<'a, W::Batch> + 'a>>,
    /// The numbers of entries of joined units, of which the reader is notified when it is not in use: listing a unit of a
    /// compressed text takes longer than decoding it.
    counts: &'s Mutex<Vec<u64>>,
    counts_may_fail: bool,
    work: &'s W,
    join: &'s Mutex<&'j mut (dyn Join<W> + 'j)>,
    write: &'q Mutex<&'w mut (dyn Write<W> + 'w)>,
    order: &'s Order<'q>,
    workers: Workers<'s>,
}

impl<'q, 'a, W: Work + 'q> Steps<'_, 'q, 'a, '_, '_, W> {
    /// Processes units until none are left.
    fn work(&self) {
        let _stop = self.order.stop_on_panic();
        while let Some((number, group)) = self.list() {
            let decoded = group.and_then(|group| self.work.decode(group));
            let encoded = match self.join(number, decoded) {
                Some(Ok((decoded, joint))) => self.work.encode(decoded, joint),
                Some(Err(error)) => Err(error),
                None => return,
            };
            let write = self.write;
            let written = encoded.map(|encoded| -> queue::Write<'q> {
                Box::new(move || lock(write).write(encoded))
            });
            if !self.order.write(number, written) {
                return;
            }
        }
    }

    /// Lists and numbers the next units. `None` if none are left.
    fn list(&self) -> Option<(u64, Result<Units<'a, W>>)> {
        let mut units = lock(self.units);
        let number = self.order.next()?;
        let group = self.workers.check().and_then(|()| self.count(&mut **units));
        let group = group.and_then(|()| next_units(self.work, &mut **units));
        let is_last = group.as_ref().map_or(true, Vec::is_empty);
        if is_last {
            self.order.no_more();
        }
        (!group.as_ref().is_ok_and(Vec::is_empty)).then_some((number, group))
    }

    /// Notifies the reader of the units that were joined since the last time.
    fn count(&self, units: &mut (dyn UnitReader<'a, W::Batch> + 'a)) -> Result<()> {
        let counts = std::mem::take(&mut *lock(self.counts));
        counts.into_iter().try_for_each(|entries| units.on_decoded(entries))
    }

    /// Joins a unit after the previous ones. `None` if work has stopped.
    fn join(
        &self,
        number: u64,
        decoded: Result<(W::Decoded, Vec<u64>)>,
    ) -> Option<Result<(W::Decoded, W::Joint)>> {
        if !self.order.wait_to_join(number) {
            return None;
        }
        let joined = decoded.and_then(|(decoded, entries)| {
            lock(self.counts).extend(entries);
            if self.counts_may_fail {
                self.count(&mut **lock(self.units))?;
            }
            Ok(lock(self.join).join(&decoded)?.map(|joint| (decoded, joint)))
        });
        match joined {
            Ok(Some(joined)) => {
                self.order.joined();
                Some(Ok(joined))
            }
            Ok(None) => {
                self.order.stop(StopReason::NotNeeded);
                None
            }
            // Writing an earlier unit may still fail, and that error is returned instead. So this one
            // is queued in order. No later unit is joined.
            Err(error) => Some(Err(error)),
        }
    }
}

/// Units that are decoded together.
type Units<'a, W> = Vec<Box<dyn Unit<<W as Work>::Batch> + 'a>>;

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use nnz_core::Error;

    use super::*;

    /// Units that are their number. Some take longer to encode than others.
    struct Numbers {
        next: u64,
        end: u64,
        /// The number of units that were counted.
        counted: u64,
        counts_may_fail: bool,
    }

    struct Number(u64);

    impl Unit<u64> for Number {
        fn decode(self: Box<Self>, number: &mut u64) -> Result<()> {
            *number = self.0;
            Ok(())
        }
    }

    impl<'a> UnitReader<'a, u64> for Numbers {
        fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<u64> + 'a>>> {
            let number = self.next;
            self.next += 1;
            Ok((number < self.end).then(|| Box::new(Number(number)) as _))
        }

        fn on_decoded(&mut self, number: u64) -> Result<()> {
            assert_eq!(number, self.counted);
            self.counted += 1;
            Ok(())
        }

        fn counts_may_fail(&self) -> bool {
            self.counts_may_fail
        }

        fn end(&mut self) -> Result<()> {
            assert_eq!(self.counted, self.end);
            Ok(())
        }
    }

    struct Slowly {
        fails: Option<u64>,
        /// The number of units that are encoded but not written.
        waiting: AtomicU64,
    }

    fn failure(number: u64) -> Error {
        Error::argument(number.to_string())
    }

    impl Work for Slowly {
        type Batch = u64;
        type Decoded = u64;
        type Encoded = u64;
        type Joint = ();

        fn decode(&self, units: Vec<Box<dyn Unit<u64> + '_>>) -> Result<(u64, Vec<u64>)> {
            let mut number = 0;
            for unit in units {
                unit.decode(&mut number)?;
            }
            Ok((number, vec![number]))
        }

        fn encode(&self, number: u64, (): ()) -> Result<u64> {
            for _ in 0..(number % 7) * 1000 {
                std::hint::spin_loop();
            }
            self.waiting.fetch_add(1, Ordering::Relaxed);
            if self.fails == Some(number) { Err(failure(number)) } else { Ok(number) }
        }
    }

    struct InOrder;

    impl Join<Slowly> for InOrder {
        fn join(&mut self, _: &u64) -> Result<Option<()>> {
            Ok(Some(()))
        }
    }

    struct List<'a> {
        written: Vec<u64>,
        fails: Option<u64>,
        work: &'a Slowly,
        most: u64,
    }

    impl Write<Slowly> for List<'_> {
        fn write(&mut self, number: u64) -> Result<()> {
            self.most = self.most.max(self.work.waiting.fetch_sub(1, Ordering::Relaxed));
            if number.is_multiple_of(5) {
                std::thread::yield_now();
            }
            if self.fails == Some(number) {
                return Err(failure(number));
            }
            self.written.push(number);
            Ok(())
        }
    }

    fn go(threads: usize, encoding: Option<u64>, writing: Option<u64>) -> (Vec<u64>, u64, String) {
        let work = Slowly { fails: encoding, waiting: AtomicU64::new(0) };
        let mut list = List { written: Vec::new(), fails: writing, work: &work, most: 0 };
        let counts_may_fail = threads.is_multiple_of(2);
        let units = Box::new(Numbers { next: 0, end: 2000, counted: 0, counts_may_fail });
        let done =
            run(units, &work, &mut InOrder, &mut list, Workers { threads, cancellation: None });
        (list.written, list.most, done.err().map(|error| error.to_string()).unwrap_or_default())
    }

    #[test]
    fn units_are_written_in_order_and_the_first_error_is_returned() {
        for threads in [1, 2, 3, 8] {
            let (written, most, error) = go(threads, None, None);
            assert!(written.iter().copied().eq(0..2000) && error.is_empty(), "{threads}: {error}");
            // Waiting units, units of threads that wait for space, and the one being written.
            assert!(most <= 3 * threads as u64 + 1, "{most} units waited for {threads} threads");
            for (encoding, writing, first) in
                [(Some(700), Some(900), 700), (Some(900), Some(700), 700), (None, Some(0), 0)]
            {
                let (written, _, error) = go(threads, encoding, writing);
                assert!(written.iter().copied().eq(0..first), "{threads}: {}", written.len());
                assert!(error.contains(&first.to_string()), "{threads}: {error}");
            }
        }
    }
}
