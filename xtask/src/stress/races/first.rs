//! Writers of one new target without --force: one of them is the first.

use super::{finish, inputs, start};
use crate::error::{Error, Result};
use crate::stress::process::FinishedCommand;
use crate::stress::round::Round;
use crate::stress::scene::{Holds, Scene};
use crate::stress::setup::Before;
use crate::stress::targets::KINDS;

/// Writes a target that does not exist.
pub(super) fn race(round: &mut Round<'_>) -> Result<()> {
    let kind = round.random.pick(KINDS).ok_or_else(|| Error::new("no targets"))?;
    let others = kind.is_group() && round.random.chance(50);
    let before = if others { Before::Others } else { Before::Nothing };
    let scene = Scene::set(round, kind, before)?;
    let inputs = inputs(round);
    let commands: Vec<_> = inputs.iter().map(|input| scene.write(round, *input, &[])).collect();
    let running = start(round, &commands)?;
    let done = finish(round, running)?;
    let winners: Vec<_> = inputs
        .iter()
        .zip(&done)
        .filter(|(_, done)| done.succeeded())
        .map(|(input, _)| *input)
        .collect();
    let outcomes = || done.iter().map(FinishedCommand::outcome).collect::<Vec<_>>().join("\n");
    let class =
        format!("not exactly one of several writers of a new target succeeds: {}", kind.name);
    round.check(winners.len() == 1, &class, outcomes);
    let holds = scene.holds(round, &winners)?;
    let class = format!("the target was not written by the successful writer: {}", kind.name);
    let one = matches!(holds, Holds::New(_));
    round.check(one, &class, || format!("{}\n{holds:?}", outcomes()));
    scene.check_access(round);
    scene.check_nothing_left(round, "a race for a new target")
}
