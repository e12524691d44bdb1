//! A step that units pass in order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use super::lock;

/// The order of units at a step.
#[derive(Default)]
pub(super) struct Turns {
    turn: Mutex<TurnState>,
    /// A copy of the next unit, or [`u64::MAX`] at the end.
    next: AtomicU64,
    /// Signals that a unit has passed, or that no more will.
    passed: Condvar,
}

#[derive(Default)]
struct TurnState {
    next: u64,
    over: bool,
    /// The number of threads that sleep.
    sleeping: usize,
}

/// Number of times a thread checks whether it is next before it sleeps: units take similar times, so it
/// usually is within a few microseconds, and waking takes longer.
const LOOKS: u32 = 1000;

impl Turns {
    /// Waits until a unit is next. `false` if the step has ended.
    pub(super) fn wait(&self, unit: u64) -> bool {
        for _ in 0..LOOKS {
            if self.next.load(Ordering::Acquire) >= unit {
                break;
            }
            std::hint::spin_loop();
        }
        let mut turn = lock(&self.turn);
        while turn.next != unit && !turn.over {
            turn.sleeping += 1;
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
            turn.sleeping -= 1;
        }
        !turn.over
    }

    /// Lets the next unit pass.
    pub(super) fn pass(&self) {
        let mut turn = lock(&self.turn);
        turn.next += 1;
        self.next.store(turn.next, Ordering::Release);
        // A notification is a system call, also if no thread sleeps.
        if turn.sleeping > 0 {
            self.passed.notify_all();
        }
    }

    /// Ends the step: no more units pass.
    pub(super) fn end(&self) {
        self.next.store(u64::MAX, Ordering::Release);
        lock(&self.turn).over = true;
        self.passed.notify_all();
    }
}
