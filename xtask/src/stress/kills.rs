//! Writes that are stopped at random moments, usually shortly before their end.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::process::FinishedCommand;
use super::round::Round;
use super::scene::{Holds, Scene};
use super::setup::{Before, INPUTS, LARGEST};
use super::targets::{Form, KINDS, TargetKind};
use crate::error::{Error, Result};

/// The number of writes that are stopped in one round.
const KILLS: u32 = 8;

/// Stops writes of one kind.
pub(super) fn round(round: &mut Round<'_>) -> Result<()> {
    let kind = round.random.pick(KINDS).ok_or_else(|| Error::new("no targets"))?;
    let mut choices = vec![Before::Nothing, Before::Target(0)];
    if kind.is_group() {
        choices.push(Before::Others);
    }
    let before = *round.random.pick(&choices).unwrap_or(&Before::Nothing);
    let input = if round.random.chance(70) { LARGEST } else { 1 };
    let flags = flags(round, before);

    let scene = Scene::set(round, kind, before)?;
    let running = round.start(&scene.write(round, input, &flags))?;
    let done = round.finish(running)?;
    if !round.check(done.succeeded(), "a write fails", || done.outcome()) {
        return Ok(());
    }
    let holds = scene.holds(round, &[input])?;
    let class = format!("a write differs from one without others: {}", kind.name);
    round.check(holds == Holds::New(input), &class, || format!("{holds:?}"));
    scene.check_access(round);
    scene.check_nothing_left(round, "a write")?;

    let mut time = done.took;
    for _ in 0..KILLS {
        let scene = Scene::set(round, kind, before)?;
        stop(round, &scene, input, &flags, &mut time)?;
    }
    Ok(())
}

fn flags(round: &mut Round<'_>, before: Before) -> Vec<&'static str> {
    let mut flags = Vec::new();
    if matches!(before, Before::Target(_)) {
        flags.push("--force");
    }
    if round.random.chance(30) {
        flags.push("--no-sync");
    }
    if round.random.chance(50) {
        flags.extend(["--threads", "1"]);
    }
    flags
}

/// Stops one write and checks the target.
fn stop(
    round: &mut Round<'_>,
    scene: &Scene,
    input: usize,
    flags: &[&str],
    time: &mut Duration,
) -> Result<()> {
    let signals = [Signal::KILL, Signal::KILL, Signal::INT, Signal::TERM, Signal::HUP];
    let signal = *round.random.pick(&signals).unwrap_or(&Signal::KILL);
    let late = round.random.chance(75);
    let permille = if late { round.random.range(880, 1060) } else { round.random.range(0, 1060) };
    let running = round.start(&scene.write(round, input, flags))?;
    thread::sleep(*time * permille / 1000);
    running.signal(signal);
    round.note(format!(
        "-- {signal:?} after {permille} thousandths of {time:?}: {}",
        running.line()
    ));
    let done = round.finish(running)?;
    if late {
        // The next signal is closer to the end, whatever the speed of the machine.
        *time = *time * if done.succeeded() { 96 } else { 103 } / 100;
    }
    round.tally.rate("stopped before the end", !done.succeeded());
    if signal == Signal::KILL {
        killed(round, scene, input, &done)
    } else {
        interrupted(round, scene, input, signal, &done)
    }
}

/// A signal that can be handled leaves the old target, or the new one and success.
fn interrupted(
    round: &mut Round<'_>,
    scene: &Scene,
    input: usize,
    signal: Signal,
    done: &FinishedCommand,
) -> Result<()> {
    let name = scene.kind.name;
    let raw = signal.as_raw();
    let stopped = done.code == Some(128 + raw) || done.signal == Some(raw);
    round.check(done.succeeded() || stopped, "unexpected status after a signal", || done.outcome());
    let holds = scene.holds(round, &[input])?;
    let wanted = if done.succeeded() { Holds::New(input) } else { Holds::Old };
    let class = match holds {
        Holds::Old | Holds::New(_) => format!("wrong status after a signal: {name}"),
        Holds::Neither(_) => format!("a signal leaves neither old nor new: {name}"),
    };
    round.check(holds == wanted, &class, || format!("{}\n{holds:?}", done.outcome()));
    scene.check_access(round);
    scene.check_nothing_left(round, "a signal")
}

/// SIGKILL leaves the old target or the new one, and possibly a hidden file that the next write
/// removes.
fn killed(
    round: &mut Round<'_>,
    scene: &Scene,
    input: usize,
    done: &FinishedCommand,
) -> Result<()> {
    let kind = scene.kind;
    let holds = scene.holds(round, &[input])?;
    let details = || format!("{}\n{holds:?}", done.outcome());
    match &holds {
        Holds::Old => round.check(!done.succeeded(), "success without a target", details),
        Holds::New(_) => true,
        Holds::Neither(_) if kind.form == Form::Pair => {
            // Each file is renamed in a separate step: the target must be readable.
            let name = format!("only one of two files is new after SIGKILL: {}", kind.name);
            round.tally.rate(name, true);
            half(round, scene)?
        }
        Holds::Neither(_) => {
            let class = format!("SIGKILL leaves neither old nor new: {}", kind.name);
            round.check(false, &class, details)
        }
    };
    scene.check_access(round);
    if done.succeeded() {
        return scene.check_nothing_left(round, "a write");
    }
    let left = round.leftovers(kind.names)?;
    let way = if scene.before == Before::Nothing { "new" } else { "existing" };
    round
        .tally
        .rate(format!("SIGKILL leaves a hidden name: {} ({way})", kind.name), !left.is_empty());
    // A link to an unnamed HDF5 file cannot be hidden: Linux chooses its name.
    let stand_in = |name: &str| name.starts_with('#') && name.ends_with(" (deleted)");
    let known = |name: &str| name.starts_with('.') || stand_in(name);
    let known = left.iter().all(|path| path.rsplit('/').next().is_some_and(known));
    let class = format!("SIGKILL leaves files that are neither hidden nor links: {}", kind.name);
    round.check(known, &class, || format!("{left:?}"));
    if left.is_empty() { Ok(()) } else { next_write(round, scene) }
}

/// Checks that a target of two files, one of which is new, is readable.
fn half(round: &mut Round<'_>, scene: &Scene) -> Result<bool> {
    let TargetKind { name, content, .. } = scene.kind;
    if *content != super::targets::Content::Matrix {
        return Ok(true);
    }
    let target = scene.target(round);
    let read = round.run(&["validate", &target])?;
    let class = format!("SIGKILL between two files leaves an unreadable target: {name}");
    Ok(round.check(read.succeeded(), &class, || read.outcome()))
}

/// Checks that the next write removes files of a killed one.
fn next_write(round: &mut Round<'_>, scene: &Scene) -> Result<()> {
    let inputs = [INPUTS[2]];
    let running = round.start(&scene.write(round, inputs[0], &["--force"]))?;
    let done = round.finish(running)?;
    round.check(done.succeeded(), "a killed write prevents the next one", || done.outcome());
    let holds = scene.holds(round, &inputs)?;
    let class = format!("a write after a killed one is incomplete: {}", scene.kind.name);
    round.check(holds == Holds::New(inputs[0]), &class, || format!("{holds:?}"));
    scene.check_nothing_left(round, "the write after a killed one")
}
