//! Units that wait to be written.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

use nnz_core::Result;

use super::lock;

/// Writes a unit.
pub(super) type Write<'w> = Box<dyn FnOnce() -> Result<()> + Send + 'w>;

/// Units that are written in order. A thread that brings the next one writes it, and those after it
/// that have arrived by then; other threads go on with other units.
pub(super) struct Queue<'w> {
    waiting: Mutex<QueueState<'w>>,
    /// Signals that there is room, or that no more will be written.
    moved: Condvar,
    /// Units that may wait.
    most: usize,
}

/// The state of a queue.
struct QueueState<'w> {
    /// The unit that is written next.
    next: u64,
    units: BTreeMap<u64, Result<Write<'w>>>,
    /// Whether a thread writes.
    writing: bool,
    over: bool,
    /// The number of threads that sleep until there is room.
    sleeping: usize,
}

impl<'w> Queue<'w> {
    pub(super) fn new(most: usize) -> Self {
        let waiting = QueueState {
            next: 0,
            units: BTreeMap::new(),
            writing: false,
            over: false,
            sleeping: 0,
        };
        Self { waiting: Mutex::new(waiting), moved: Condvar::new(), most }
    }

    /// Queues a unit, or writes it and those that wait after it. `false` where no more is written.
    pub(super) fn write(&self, unit: u64, write: Result<Write<'w>>) -> Result<bool> {
        let mut waiting = lock(&self.waiting);
        // There is always room for the next one, which makes room for the others.
        while waiting.units.len() >= self.most && waiting.next != unit && !waiting.over {
            waiting.sleeping += 1;
            waiting = self.moved.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            waiting.sleeping -= 1;
        }
        if waiting.over {
            return Ok(false);
        }
        waiting.units.insert(unit, write);
        if waiting.writing {
            return Ok(true);
        }
        waiting.writing = true;
        loop {
            let next = waiting.next;
            let Some(write) = waiting.units.remove(&next).filter(|_| !waiting.over) else { break };
            drop(waiting);
            write.and_then(|write| write())?;
            waiting = lock(&self.waiting);
            waiting.next += 1;
            // Waking threads is slow, so they should find room for more than one unit. The thread that
            // has the next unit must not sleep.
            let few = waiting.units.len() <= self.most / 2;
            let useful = few || !waiting.units.contains_key(&waiting.next);
            // A notification is a system call, also if no thread sleeps.
            if useful && waiting.sleeping > 0 {
                self.moved.notify_all();
            }
        }
        waiting.writing = false;
        Ok(!waiting.over)
    }

    /// Writes no more units.
    pub(super) fn end(&self) {
        lock(&self.waiting).over = true;
        self.moved.notify_all();
    }
}
