//! A step that units pass in order.

use std::sync::{Condvar, Mutex, PoisonError};

use super::lock;

/// The order of units at a step.
#[derive(Default)]
pub(super) struct Turns {
    turn: Mutex<Turn>,
    /// Signals that a unit has passed, or that no more will.
    passed: Condvar,
}

#[derive(Default)]
struct Turn {
    next: u64,
    over: bool,
}

impl Turns {
    /// Waits until a unit is next. `false` if the step has ended.
    pub(super) fn wait(&self, unit: u64) -> bool {
        let mut turn = lock(&self.turn);
        while turn.next != unit && !turn.over {
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        !turn.over
    }

    /// Lets the next unit pass.
    pub(super) fn pass(&self) {
        lock(&self.turn).next += 1;
        self.passed.notify_all();
    }

    /// Ends the step: no more units pass.
    pub(super) fn end(&self) {
        lock(&self.turn).over = true;
        self.passed.notify_all();
    }
}
