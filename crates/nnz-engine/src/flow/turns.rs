//! A step that units come to one after the other.

use std::sync::{Condvar, Mutex, PoisonError};

use super::lock;

/// The unit that may enter the step.
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
    /// Waits until a unit may enter. `false` where it will not.
    pub(super) fn wait(&self, unit: u64) -> bool {
        let mut turn = lock(&self.turn);
        while turn.next != unit && !turn.over {
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        !turn.over
    }

    /// Lets the next unit enter.
    pub(super) fn pass(&self) {
        lock(&self.turn).next += 1;
        self.passed.notify_all();
    }

    /// Lets no more units enter.
    pub(super) fn end(&self) {
        lock(&self.turn).over = true;
        self.passed.notify_all();
    }
}
