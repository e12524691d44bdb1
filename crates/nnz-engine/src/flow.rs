//! A parallel pipeline with deterministic results.
//!
//! A matrix is processed in units. Each unit is listed in order, decoded by any thread, joined to
//! the previous ones in order, encoded by any thread, and written in order. The sequential steps
//! see the same order for any number of threads, and if several units fail, the error of the first
//! one in that order is returned.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nnz_core::{Error, Result, Unit, UnitReader};

use crate::Cancellation;

/// The number of threads, and their cancellation.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Checked at each unit.
    pub cancellation: Option<&'a Cancellation>,
}

impl Workers<'_> {
    /// Checks for cancellation.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Cancelled`](nnz_core::ErrorKind::Cancelled).
    pub fn check(&self) -> Result<()> {
        self.cancellation.map_or(Ok(()), Cancellation::check)
    }

    /// Returns the same with one thread.
    pub(crate) fn alone(self) -> Self {
        Self { threads: 1, ..self }
    }
}

/// The steps on a unit. Methods with `&mut self` are called in order.
pub trait Work: Sync {
    /// The buffer a unit is decoded into.
    type Batch;
    /// A decoded unit.
    type BatchUnits: Send;
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
    ) -> Result<(Self::BatchUnits, Vec<u64>)>;

    /// Encodes a unit.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored.
    fn encode(&self, decoded: Self::BatchUnits, joint: Self::Joint) -> Result<Self::Encoded>;
}

/// Joins units to the previous ones, in order.
pub trait Join<W: Work>: Send {
    /// Joins a unit. `None` ends all work: neither later nor earlier units are needed.
    ///
    /// # Errors
    ///
    /// Fails if it is not in order.
    fn join(&mut self, decoded: &W::BatchUnits) -> Result<Option<W::Joint>>;
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
    let threads = workers.threads;
    if threads < 2 {
        return run_alone(units, work, join, write, workers);
    }
    let shared = Shared {
        workers,
        units: Mutex::new(Reached { units, next: 0, ended: false }),
        joins: Turns::new(join),
        writes: Queue::new(write, 2 * threads),
        stopped: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let spawned = std::thread::Builder::new().spawn_scoped(scope, || shared.work(work));
            // If the system cannot start more threads, the existing ones do all the work.
            if spawned.is_err() {
                break;
            }
        }
        shared.work(work);
    });
    match shared.stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(Stopped::Failed(error)) => Err(error),
        Some(Stopped::Unwanted) => Ok(()),
        None => {
            shared.units.into_inner().unwrap_or_else(PoisonError::into_inner).units.end()?;
            // Possibly after the last unit was listed.
            workers.check()
        }
    }
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

/// Takes the units that are decoded together; none at the end.
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

struct Shared<'a, 'w, W: Work> {
    workers: Workers<'w>,
    units: Mutex<Reached<'a, W::Batch>>,
    joins: Turns<&'w mut (dyn Join<W> + 'w)>,
    writes: Queue<'w, W>,
    stopped: Mutex<Option<Stopped>>,
}

struct Reached<'a, B> {
    units: Box<dyn UnitReader<'a, B> + 'a>,
    /// The number of the next unit.
    next: u64,
    ended: bool,
}

enum Stopped {
    Failed(Error),
    Unwanted,
}

/// A step that units reach in order.
struct Turns<S> {
    turn: Mutex<Turn<S>>,
    /// Signals the next turn, or the end of all work.
    passed: Condvar,
}

struct Turn<S> {
    /// The unit whose turn it is.
    next: u64,
    over: bool,
    step: S,
}

impl<S> Turns<S> {
    fn new(step: S) -> Self {
        let turn = Mutex::new(Turn { next: 0, over: false, step });
        Self { turn, passed: Condvar::new() }
    }

    /// Waits for the turn of a unit; `None` if it will not come.
    fn wait(&self, unit: u64) -> Option<MutexGuard<'_, Turn<S>>> {
        let mut turn = lock(&self.turn);
        while turn.next != unit && !turn.over {
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        (!turn.over).then_some(turn)
    }

    fn pass(&self, mut turn: MutexGuard<'_, Turn<S>>) {
        turn.next += 1;
        drop(turn);
        self.passed.notify_all();
    }

    fn end(&self) {
        lock(&self.turn).over = true;
        self.passed.notify_all();
    }
}

/// Units to be written in order. The thread with the next unit writes it and the waiting ones after it;
/// other threads continue with other work.
struct Queue<'w, W: Work> {
    waiting: Mutex<Waiting<W::Encoded>>,
    /// Signals free space, or the end of writing.
    moved: Condvar,
    /// Locked by the writing thread.
    step: Mutex<&'w mut (dyn Write<W> + 'w)>,
    /// Maximum number of waiting units.
    most: usize,
}

struct Waiting<E> {
    /// The unit whose turn it is.
    next: u64,
    units: BTreeMap<u64, Result<E>>,
    /// Whether a thread is writing.
    writing: bool,
    over: bool,
}

impl<'w, W: Work> Queue<'w, W> {
    fn new(step: &'w mut (dyn Write<W> + 'w), most: usize) -> Self {
        let waiting = Waiting { next: 0, units: BTreeMap::new(), writing: false, over: false };
        Self { waiting: Mutex::new(waiting), moved: Condvar::new(), step: Mutex::new(step), most }
    }

    /// Leaves a unit to be written, or writes it and the waiting ones after it. `false` if nothing
    /// more is written.
    fn write(&self, unit: u64, encoded: Result<W::Encoded>) -> Result<bool> {
        let mut waiting = lock(&self.waiting);
        // There is always space for the next unit: others wait for it.
        while waiting.units.len() >= self.most && waiting.next != unit && !waiting.over {
            waiting = self.moved.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.over {
            return Ok(false);
        }
        waiting.units.insert(unit, encoded);
        if waiting.writing {
            return Ok(true);
        }
        waiting.writing = true;
        let mut step = lock(&self.step);
        loop {
            let next = waiting.next;
            let Some(encoded) = waiting.units.remove(&next).filter(|_| !waiting.over) else {
                break;
            };
            drop(waiting);
            encoded.and_then(|encoded| step.write(encoded))?;
            waiting = lock(&self.waiting);
            waiting.next += 1;
            // Waking threads is slow, so it is done when there is space for several units. The
            // thread with the next unit must be woken.
            let few = waiting.units.len() <= self.most / 2;
            if few || !waiting.units.contains_key(&waiting.next) {
                self.moved.notify_all();
            }
        }
        waiting.writing = false;
        Ok(!waiting.over)
    }

    fn end(&self) {
        lock(&self.waiting).over = true;
        self.moved.notify_all();
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops all work if its thread panics. Otherwise, the other threads would wait forever.
struct OnPanic<'s, 'a, 'w, W: Work>(&'s Shared<'a, 'w, W>);

impl<W: Work> Drop for OnPanic<'_, '_, '_, W> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Stopped::Unwanted);
        }
    }
}

impl<W: Work> Shared<'_, '_, W> {
    /// The work of each thread.
    fn work(&self, work: &W) {
        let _stop = OnPanic(self);
        loop {
            let (number, group) = {
                let mut reached = lock(&self.units);
                if reached.ended {
                    return;
                }
                let number = reached.next;
                reached.next += 1;
                let group = self.workers.check();
                match group.and_then(|()| next_units(work, &mut *reached.units)) {
                    Ok(group) if group.is_empty() => {
                        reached.ended = true;
                        return;
                    }
                    Ok(group) => (number, Ok(group)),
                    Err(error) => {
                        reached.ended = true;
                        (number, Err(error))
                    }
                }
            };
            let decoded = group.and_then(|group| work.decode(group));
            let encoded = match self.join(number, decoded) {
                Some(Ok((decoded, joint))) => work.encode(decoded, joint),
                Some(Err(error)) => Err(error),
                None => return,
            };
            if !self.write(number, encoded) {
                return;
            }
        }
    }

    /// Ends all work. The first reason counts.
    fn stop(&self, reason: Stopped) {
        lock(&self.stopped).get_or_insert(reason);
        lock(&self.units).ended = true;
        self.joins.end();
        self.writes.end();
    }

    /// Joins a unit when its turn comes. `None` if work has stopped.
    fn join(
        &self,
        number: u64,
        decoded: Result<(W::BatchUnits, Vec<u64>)>,
    ) -> Option<Result<(W::BatchUnits, W::Joint)>> {
        let mut turn = self.joins.wait(number)?;
        let joined = decoded.and_then(|(decoded, entries)| {
            let mut reached = lock(&self.units);
            entries.into_iter().try_for_each(|entries| reached.units.on_decoded(entries))?;
            drop(reached);
            Ok(turn.step.join(&decoded)?.map(|joint| (decoded, joint)))
        });
        match joined {
            Ok(Some(joined)) => {
                self.joins.pass(turn);
                Some(Ok(joined))
            }
            Ok(None) => {
                drop(turn);
                self.stop(Stopped::Unwanted);
                None
            }
            // Earlier units may still fail to be written, which takes precedence: the error waits
            // for its turn. No later unit is joined.
            Err(error) => Some(Err(error)),
        }
    }

    /// Writes a unit when its turn comes. `false` if work has stopped.
    fn write(&self, number: u64, encoded: Result<W::Encoded>) -> bool {
        self.writes.write(number, encoded).unwrap_or_else(|error| {
            self.stop(Stopped::Failed(error));
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Units that are their number. Some take longer to encode than others.
    struct Numbers {
        next: u64,
        end: u64,
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
        type BatchUnits = u64;
        type Encoded = u64;
        type Joint = ();

        fn decode(&self, units: Vec<Box<dyn Unit<u64> + '_>>) -> Result<(u64, Vec<u64>)> {
            let mut number = 0;
            for unit in units {
                unit.decode(&mut number)?;
            }
            Ok((number, Vec::new()))
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
        let units = Box::new(Numbers { next: 0, end: 2000 });
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
