//! Work on many threads with the result of one.
//!
//! A matrix passes through as units. Each is reached in turn, decoded by any thread, joined to
//! those before it in turn, encoded by any thread, and written in turn. However many threads there
//! are, the steps that go in turn see units in the same order, and the first unit that fails, in
//! that order, is the one whose error is returned.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use nnz_core::{Error, Result, Unit, UnitReader};

/// What is done with each unit. Methods that take `&mut self` go in turn.
pub(crate) trait Work: Sync {
    /// What a decoded unit is.
    type Decoded: Send;
    /// What an encoded unit is.
    type Encoded: Send;
    /// What joining tells encoding.
    type Joint: Send;

    /// Units that are decoded together.
    const TOGETHER: usize = 1;

    /// Decodes units that follow each other. Returns also how many entries each has stored.
    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Self::Decoded, Vec<u64>)>;

    /// Encodes a unit.
    fn encode(&self, decoded: Self::Decoded, joint: Self::Joint) -> Result<Self::Encoded>;
}

/// The steps that go in turn.
pub(crate) trait InOrder<W: Work> {
    /// Joins a unit to those before it. `None` ends all work: what follows is not wanted.
    fn join(&mut self, decoded: &W::Decoded) -> Result<Option<W::Joint>>;

    /// Takes a unit to where it belongs.
    fn write(&mut self, encoded: W::Encoded) -> Result<()>;
}

/// Runs all units of a reader through the steps.
pub(crate) fn run<'a, W: Work>(
    units: Box<dyn UnitReader<'a> + 'a>,
    work: &W,
    in_order: &mut (dyn InOrder<W> + Send + '_),
    threads: usize,
) -> Result<()> {
    if threads < 2 {
        return run_alone(units, work, in_order);
    }
    let shared = Shared {
        units: Mutex::new(Reached { units, next: 0, ended: false }),
        turns: Mutex::new(Turns { to_join: 0, to_write: 0, stopped: None, in_order }),
        passed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let spawned = std::thread::Builder::new().spawn_scoped(scope, || shared.work(work));
            // Where the system has no more threads to give, those there are do all the work.
            if spawned.is_err() {
                break;
            }
        }
        shared.work(work);
    });
    let turns = shared.turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    match turns.stopped {
        Some(Stopped::Failed(error)) => Err(error),
        Some(Stopped::Unwanted) => Ok(()),
        None => shared.units.into_inner().unwrap_or_else(PoisonError::into_inner).units.end(),
    }
}

fn run_alone<'a, W: Work>(
    mut units: Box<dyn UnitReader<'a> + 'a>,
    work: &W,
    in_order: &mut (dyn InOrder<W> + Send + '_),
) -> Result<()> {
    loop {
        let group = next_units::<W>(&mut *units)?;
        if group.is_empty() {
            return units.end();
        }
        let (decoded, entries) = work.decode(group)?;
        entries.into_iter().try_for_each(|entries| units.decoded(entries))?;
        let Some(joint) = in_order.join(&decoded)? else { return Ok(()) };
        in_order.write(work.encode(decoded, joint)?)?;
    }
}

/// Takes as many units as are decoded together. None are left when there are none.
fn next_units<'a, W: Work>(
    units: &mut (dyn UnitReader<'a> + 'a),
) -> Result<Vec<Box<dyn Unit + 'a>>> {
    let mut group = Vec::with_capacity(W::TOGETHER);
    while group.len() < W::TOGETHER
        && let Some(unit) = units.next_unit()?
    {
        group.push(unit);
    }
    Ok(group)
}

struct Shared<'a, 'w, W: Work> {
    units: Mutex<Reached<'a>>,
    turns: Mutex<Turns<'w, W>>,
    /// Signals that a turn has passed.
    passed: Condvar,
}

struct Reached<'a> {
    units: Box<dyn UnitReader<'a> + 'a>,
    /// The number of the next unit.
    next: u64,
    ended: bool,
}

struct Turns<'w, W: Work> {
    /// The unit whose turn it is to be joined.
    to_join: u64,
    /// The unit whose turn it is to be written.
    to_write: u64,
    stopped: Option<Stopped>,
    in_order: &'w mut (dyn InOrder<W> + Send + 'w),
}

enum Stopped {
    Failed(Error),
    Unwanted,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops all work if its thread panics: the others would wait for its turn for ever.
struct OnPanic<'s, 'a, 'w, W: Work>(&'s Shared<'a, 'w, W>);

impl<W: Work> Drop for OnPanic<'_, '_, '_, W> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.turns).stopped.get_or_insert(Stopped::Unwanted);
            self.0.passed.notify_all();
        }
    }
}

impl<W: Work> Shared<'_, '_, W> {
    /// What each thread does until there is no more.
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
                match next_units::<W>(&mut *reached.units) {
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
            let joined = self.join(number, decoded);
            let encoded = match joined {
                Some(Ok((decoded, joint))) => work.encode(decoded, joint),
                Some(Err(error)) => Err(error),
                None => return,
            };
            if !self.write(number, encoded) {
                lock(&self.units).ended = true;
                return;
            }
        }
    }

    /// Joins a unit when its turn comes. `None` where work has stopped.
    fn join(
        &self,
        number: u64,
        decoded: Result<(W::Decoded, Vec<u64>)>,
    ) -> Option<Result<(W::Decoded, W::Joint)>> {
        let mut turns = lock(&self.turns);
        while turns.to_join != number && turns.stopped.is_none() {
            turns = self.passed.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        if turns.stopped.is_some() {
            return None;
        }
        let joined = decoded.and_then(|(decoded, entries)| {
            let mut reached = lock(&self.units);
            entries.into_iter().try_for_each(|entries| reached.units.decoded(entries))?;
            drop(reached);
            Ok(turns.in_order.join(&decoded)?.map(|joint| (decoded, joint)))
        });
        match joined {
            Ok(Some(joined)) => {
                turns.to_join += 1;
                self.passed.notify_all();
                Some(Ok(joined))
            }
            Ok(None) => {
                turns.stopped = Some(Stopped::Unwanted);
                self.passed.notify_all();
                None
            }
            // Units before this one may still fail to be written, and that counts more: the error
            // waits for its turn. No later unit is joined.
            Err(error) => Some(Err(error)),
        }
    }

    /// Writes a unit when its turn comes. `false` where work has stopped.
    fn write(&self, number: u64, encoded: Result<W::Encoded>) -> bool {
        let mut turns = lock(&self.turns);
        while turns.to_write != number && turns.stopped.is_none() {
            turns = self.passed.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        if turns.stopped.is_some() {
            return false;
        }
        let written = encoded.and_then(|encoded| turns.in_order.write(encoded));
        match written {
            Ok(()) => turns.to_write += 1,
            Err(error) => turns.stopped = Some(Stopped::Failed(error)),
        }
        self.passed.notify_all();
        turns.stopped.is_none()
    }
}
