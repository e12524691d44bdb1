//! The order of units on many threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nnz_core::{Error, Result};

use super::lock;
use super::queue::{Queue, Write};
use super::turns::Turns;

/// Which unit is listed, joined and written next, and whether work has stopped.
pub(super) struct Order<'w> {
    /// The number of the next unit to list. It changes only while the units are locked.
    next: AtomicU64,
    /// Whether no more units are listed.
    ended: AtomicBool,
    joins: Turns,
    writes: Queue<'w>,
    stopped: Mutex<Option<StopReason>>,
}

/// Reason why work has stopped.
pub(super) enum StopReason {
    Failed(Error),
    /// The rest is not needed.
    NotNeeded,
}

impl<'w> Order<'w> {
    /// Creates the order of a run, in which up to `waiting` units wait to be written.
    pub(super) fn new(waiting: usize) -> Self {
        Self {
            next: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            joins: Turns::default(),
            writes: Queue::new(waiting),
            stopped: Mutex::new(None),
        }
    }

    /// Returns the number of the next unit to list. `None` if no more are listed.
    pub(super) fn next(&self) -> Option<u64> {
        if self.ended.load(Ordering::Acquire) {
            return None;
        }
        Some(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Lists no more units.
    pub(super) fn no_more(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Waits until a unit is the next to join. `false` if work has stopped.
    pub(super) fn wait_to_join(&self, number: u64) -> bool {
        self.joins.wait(number)
    }

    /// Lets the next unit be joined.
    pub(super) fn joined(&self) {
        self.joins.pass();
    }

    /// Writes a unit after the previous ones. `false` if work has stopped.
    pub(super) fn write(&self, number: u64, unit: Result<Write<'w>>) -> bool {
        self.writes.write(number, unit).unwrap_or_else(|error| {
            self.stop(StopReason::Failed(error));
            false
        })
    }

    /// Stops all work. The first reason is kept.
    pub(super) fn stop(&self, reason: StopReason) {
        lock(&self.stopped).get_or_insert(reason);
        self.no_more();
        self.joins.end();
        self.writes.end();
    }

    /// Returns a guard that stops all work if its thread panics: other threads would wait for ever for
    /// the unit of this one.
    pub(super) fn stop_on_panic(&self) -> impl Drop {
        struct OnPanic<'a, 'w>(&'a Order<'w>);

        impl Drop for OnPanic<'_, '_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.stop(StopReason::NotNeeded);
                }
            }
        }
        OnPanic(self)
    }

    /// Returns whether all units were processed.
    ///
    /// # Errors
    ///
    /// Fails with the error of the first unit that failed.
    pub(super) fn end(&self) -> Result<bool> {
        match lock(&self.stopped).take() {
            Some(StopReason::Failed(error)) => Err(error),
            Some(StopReason::NotNeeded) => Ok(false),
            None => Ok(true),
        }
    }
}
