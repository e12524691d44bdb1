//! Groups that are added to one file or store concurrently.

use std::thread;

use super::{finish, inputs, start};
use crate::error::{Error, Result};
use crate::stress::helper::AddedDatasets;
use crate::stress::process::FinishedCommand;
use crate::stress::round::Round;
use crate::stress::scene::Scene;
use crate::stress::setup::Before;
use crate::stress::targets::{Content, Form, KINDS, TargetKind};

/// Each writer adds a group to an existing or a new file.
pub(super) fn race(round: &mut Round<'_>) -> Result<()> {
    let kinds: Vec<_> = KINDS.iter().filter(|kind| kind.is_group()).collect();
    let kind: &'static TargetKind =
        *round.random.pick(&kinds).ok_or_else(|| Error::new("no groups"))?;
    let before = if round.random.chance(70) { Before::Others } else { Before::Nothing };
    let scene = Scene::set(round, kind, before)?;
    let file = round.path(kind.file());
    let inputs = inputs(round);
    let commands: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(number, input)| round.setup.write(kind, *input, &format!("{file}::g{number}")))
        .collect();
    let names = datasets(round, &scene);
    let pause = f64::from(round.random.range(0, 30)) / 1000.0;
    let helper = round.setup.helpers.as_ref().map(|(_, adding)| adding);
    let (done, added) = thread::scope(|scope| {
        let adding = helper.filter(|_| !names.is_empty());
        let adding = adding.map(|helper| scope.spawn(|| helper.add(&file, &names, pause)));
        let running = start(round, &commands)?;
        let done = finish(round, running)?;
        let added = match adding.map(thread::ScopedJoinHandle::join) {
            None => AddedDatasets::default(),
            Some(Ok(added)) => added?,
            Some(Err(_)) => return Err(Error::new("the thread of h5py stopped")),
        };
        Ok((done, added))
    })?;
    round.note(format!("-- {added:?}"));
    let what =
        format!("{} ({})", kind.name, if before == Before::Nothing { "new" } else { "existing" });
    if names.is_empty() {
        let one = done.iter().any(FinishedCommand::succeeded);
        round.check(one, "no writer of groups succeeds", || what.clone());
    }
    let lost = check_groups(round, &file, &inputs, &done, &what)?;
    let name = format!("rounds in which a group is lost: {what}");
    round.tally.rate(name, lost);
    check_others(round, &scene, &file, inputs.len())?;
    check_added(round, &file, &added)?;
    scene.check_access(round);
    scene.check_nothing_left(round, "a race of groups")
}

/// The datasets that h5py adds meanwhile, if any.
fn datasets(round: &mut Round<'_>, scene: &Scene) -> Vec<String> {
    let possible = scene.kind.form == Form::Hdf5Group && scene.before == Before::Others;
    if !possible || !round.random.chance(60) {
        return Vec::new();
    }
    (0..round.random.range(1, 6)).map(|number| format!("h5py{number}")).collect()
}

/// Checks that exactly the groups of successful writers exist. Returns whether one is missing.
fn check_groups(
    round: &mut Round<'_>,
    file: &str,
    inputs: &[usize],
    done: &[FinishedCommand],
    what: &str,
) -> Result<bool> {
    let mut lost = false;
    for (number, (input, done)) in inputs.iter().zip(done).enumerate() {
        let group = format!("{file}::g{number}");
        let validated = round.run(&["validate", &group])?;
        if done.succeeded() {
            let class = format!("a group is lost: {what}");
            lost |= !round.check(validated.succeeded(), &class, || {
                format!("{}\n{}", done.outcome(), validated.outcome())
            });
            if !validated.succeeded() {
                continue;
            }
            let source = round.setup.source(Content::Matrix, *input);
            let same = round.run(&["diff", "--stored", &source, &group])?;
            let class = format!("a group has another content: {what}");
            round.check(same.succeeded(), &class, || same.outcome());
        } else {
            let class = format!("a refused write leaves a group: {what}");
            round.check(!validated.succeeded(), &class, || done.outcome());
        }
    }
    let succeeded = done.iter().filter(|done| done.succeeded()).count();
    let (hits, of) =
        (u64::try_from(succeeded).unwrap_or(0), u64::try_from(done.len()).unwrap_or(0));
    round.tally.rates_of(format!("writers of groups that succeed: {what}"), hits, of);
    Ok(lost)
}

/// Checks that earlier objects still exist.
fn check_others(round: &mut Round<'_>, scene: &Scene, file: &str, writers: usize) -> Result<()> {
    if scene.before == Before::Nothing {
        return Ok(());
    }
    let class = format!("earlier objects changed: {}", scene.kind.name);
    for group in ["others/first", "others/second"] {
        let group = format!("{file}::{group}");
        let source = round.setup.source(Content::Matrix, 2);
        let same = round.run(&["diff", "--stored", &source, &group])?;
        round.check(same.succeeded(), &class, || same.outcome());
    }
    let changed = scene.changed_objects(round, |name| {
        let added = |prefix: &str, number: usize| {
            let group = format!("/{prefix}{number}");
            name == group || name.starts_with(&format!("{group}/"))
        };
        (0..writers).any(|number| added("g", number)) || name.starts_with("/h5py")
    });
    match changed {
        Ok(changed) => round.check(changed.is_none(), &class, || format!("{changed:?}")),
        Err(error) => round.check(false, "h5py cannot read the file", || error.to_string()),
    };
    Ok(())
}

/// Checks that the datasets of h5py exist.
fn check_added(round: &mut Round<'_>, file: &str, added: &AddedDatasets) -> Result<()> {
    let Some((helper, _)) = &round.setup.helpers else { return Ok(()) };
    let count = |list: &[String]| u64::try_from(list.len()).unwrap_or(0);
    let (done, refused, replaced) =
        (count(&added.added), count(&added.refused), count(&added.replaced));
    let all = done + refused + replaced;
    if all == 0 {
        return Ok(());
    }
    let lost = helper.lost(file, &added.added)?;
    round.tally.rates_of("datasets that h5py adds with success", done, all);
    round.tally.rates_of("datasets that h5py is refused to add", refused, all);
    round.tally.rates_of("files replaced while h5py opens them", replaced, all);
    round.tally.rates_of("datasets of h5py that are lost", count(&lost), done);
    let class = "a dataset of h5py is lost";
    round.check(lost.is_empty(), class, || format!("{lost:?} of {added:?}"));
    Ok(())
}
