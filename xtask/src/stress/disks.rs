//! Writes that the system prevents: full disks, limits, and directories that are missing or not
//! writable.

mod denied;
mod limits;
mod small_disk;
mod temporary;

use std::process::Command;

use super::process::FinishedCommand;
use super::round::Round;
use super::scene::{Holds, Scene};
use super::setup::{Before, INPUTS, LARGEST};
use super::targets::{Content, KINDS, TargetKind};
use crate::error::{Error, Result};

/// Prevents writes of one kind in one way.
pub(super) fn round(round: &mut Round<'_>) -> Result<()> {
    match round.random.range(0, 10) {
        0..3 => small_disk::full(round),
        3..5 => limits::file_size(round),
        5..7 => limits::open_files(round),
        7..9 => temporary::missing_or_full(round),
        _ => denied::read_only(round),
    }
}

/// Returns a kind of target, and what exists before.
fn draw(round: &mut Round<'_>) -> Result<(&'static TargetKind, Before)> {
    let kind = round.random.pick(KINDS).ok_or_else(|| Error::new("no targets"))?;
    let mut choices = vec![Before::Nothing, Before::Target(0)];
    if kind.is_group() {
        choices.push(Before::Others);
    }
    let before = *round.random.pick(&choices).unwrap_or(&Before::Nothing);
    Ok((kind, before))
}

/// The write: all of an input, as it is or sorted on disk.
struct Write {
    arguments: Vec<String>,
    input: usize,
    sorted: bool,
}

impl Write {
    fn draw(round: &mut Round<'_>, scene: &Scene) -> Self {
        let input = if round.random.chance(70) { LARGEST } else { INPUTS[1] };
        let mut flags = vec!["--force"];
        let sorted = scene.kind.content == Content::Matrix && round.random.chance(30);
        if sorted {
            flags.extend(["--order", "row", "--memory", "1M"]);
        }
        if round.random.chance(30) {
            flags.push("--no-sync");
        }
        Self { arguments: scene.write(round, input, &flags), input, sorted }
    }
}

/// A limit of the system, and the expected message.
struct Refusal<'a> {
    what: &'a str,
    /// The name of the finding: the kind of target, if that matters.
    name: &'a str,
    /// The message contains one of these, ignoring case.
    says: &'a [&'a str],
    /// The message contains this place; empty if none is expected.
    place: &'a str,
}

/// Checks that a write succeeds, or fails with a reason and leaves no files.
fn check(
    round: &mut Round<'_>,
    scene: &Scene,
    write: &Write,
    done: &FinishedCommand,
    refusal: &Refusal<'_>,
) -> Result<()> {
    let (what, name) = (refusal.what, refusal.name);
    round.tally.rate(format!("{what}: writes refused"), !done.succeeded());
    if done.succeeded() {
        if write.sorted {
            let source = round.setup.source(scene.kind.content, write.input);
            let target = scene.target(round);
            let same = round.run(&["diff", &source, &target])?;
            let class = format!("{what}: success, but the target differs: {name}");
            round.check(same.succeeded(), &class, || same.outcome());
        } else {
            let holds = scene.holds(round, &[write.input])?;
            let class = format!("{what}: success, but the target differs: {name}");
            let whole = holds == Holds::New(write.input);
            round.check(whole, &class, || format!("{}\n{holds:?}", done.outcome()));
        }
        scene.check_access(round);
    } else {
        let class = format!("{what}: neither success nor a message: {name}");
        round.check(done.refused(), &class, || done.outcome());
        let message = done.err.to_lowercase();
        let class = format!("{what}: unexpected message: {name}");
        let says = refusal.says.iter().any(|words| message.contains(words));
        round.check(says && !message.contains("damaged"), &class, || done.outcome());
        let class = format!("{what}: the message does not name the place: {name}");
        round.check(done.err.contains(refusal.place), &class, || done.outcome());
        let holds = scene.holds(round, &[])?;
        let class = format!("{what}: the old target changed: {name}");
        round.check(holds == Holds::Old, &class, || format!("{}\n{holds:?}", done.outcome()));
    }
    scene.check_nothing_left(round, what)
}

/// The nnz command, in a shell with a limit.
fn limited(round: &Round<'_>, limit: &str, arguments: &[String]) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit} && exec \"$@\"")).arg("sh");
    shell.arg(round.setup.binary()).args(arguments);
    shell
}
