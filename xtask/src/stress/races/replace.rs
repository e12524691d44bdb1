//! Writers with --force, and readers meanwhile.

use super::readers::Readers;
use super::{finish, inputs, start};
use crate::error::{Error, Result};
use crate::stress::process::FinishedCommand;
use crate::stress::round::Round;
use crate::stress::scene::{Holds, Scene};
use crate::stress::setup::{Before, INPUTS};
use crate::stress::targets::KINDS;

/// Replaces a target several times at once.
pub(super) fn race(round: &mut Round<'_>) -> Result<()> {
    let kind = round.random.pick(KINDS).ok_or_else(|| Error::new("no targets"))?;
    let there = round.random.chance(80);
    let old = *round.random.pick(&INPUTS).unwrap_or(&0);
    let before = if there { Before::Target(old) } else { Before::Nothing };
    let scene = Scene::set(round, kind, before)?;
    let mut inputs = inputs(round);
    let commands: Vec<_> =
        inputs.iter().map(|input| scene.write(round, *input, &["--force"])).collect();
    let readers = there && round.random.chance(60);
    let mut running = start(round, &commands)?;
    if readers {
        let mut readers = Readers::new(&scene, &inputs, old);
        while running.iter_mut().any(|writer| !writer.has_ended()) {
            readers.read(round)?;
        }
        readers.read(round)?;
    }
    let done = finish(round, running)?;
    let outcomes = || done.iter().map(FinishedCommand::outcome).collect::<Vec<_>>().join("\n");
    let misled = done.iter().any(|done| done.err.contains("--force"));
    let class = format!("a hint on --force with --force: {}", kind.name);
    round.check(!misled, &class, outcomes);
    let succeeded = u64::try_from(done.iter().filter(|done| done.succeeded()).count()).unwrap_or(0);
    let all = u64::try_from(done.len()).unwrap_or(0);
    round.tally.rates_of(
        format!("writers with --force that succeed: {}", kind.name),
        succeeded,
        all,
    );

    let mut at = done.iter();
    inputs.retain(|_| at.next().is_some_and(FinishedCommand::succeeded));
    let holds = scene.holds(round, &inputs)?;
    // A writer may have written the old content.
    let whole = match holds {
        Holds::New(_) => true,
        Holds::Old => inputs.is_empty() || (there && inputs.contains(&old)),
        Holds::Neither(_) => false,
    };
    let class = format!("the target was not written by one of its writers: {}", kind.name);
    round.check(whole, &class, || format!("{}\n{holds:?}", outcomes()));
    scene.check_access(round);
    scene.check_nothing_left(round, "a race of writers with --force")
}
