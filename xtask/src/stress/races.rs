//! Concurrent writers and readers of one target.

mod first;
mod groups;
mod readers;
mod replace;

use std::thread;
use std::time::Duration;

use super::process::{FinishedCommand, RunningCommand};
use super::round::Round;
use super::setup::INPUTS;
use crate::error::Result;

/// Runs a race of writers.
pub(super) fn round(round: &mut Round<'_>) -> Result<()> {
    match round.random.range(0, 10) {
        0..4 => groups::race(round),
        4..8 => replace::race(round),
        _ => first::race(round),
    }
}

/// Inputs for 2 to 4 writers, all different.
fn inputs(round: &mut Round<'_>) -> Vec<usize> {
    let mut inputs = INPUTS.to_vec();
    round.random.shuffle(&mut inputs);
    let writers = round.random.range(2, 5);
    inputs.truncate(usize::try_from(writers).unwrap_or(2));
    inputs
}

/// Starts commands shortly after each other.
fn start(round: &mut Round<'_>, commands: &[Vec<String>]) -> Result<Vec<RunningCommand>> {
    let longest = *round.random.pick(&[0, 2, 20]).unwrap_or(&0);
    let mut running = Vec::new();
    for command in commands {
        let pause = round.random.range(0, longest + 1);
        thread::sleep(Duration::from_millis(pause.into()));
        running.push(round.start(command)?);
    }
    Ok(running)
}

/// Waits for all of them, and checks that those that failed have printed a reason.
fn finish(round: &mut Round<'_>, running: Vec<RunningCommand>) -> Result<Vec<FinishedCommand>> {
    let mut all = Vec::new();
    for running in running {
        let done = round.finish(running)?;
        let reported = done.succeeded() || done.refused();
        round.check(reported, "a writer fails without a message", || done.outcome());
        all.push(done);
    }
    Ok(all)
}
