//! Directories that a user cannot write.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use super::{Refusal, Write, check, draw};
use crate::error::{Error, Result};
use crate::stress::round::Round;
use crate::stress::scene::Scene;

/// A user without rights, if we can become one.
const NOBODY: u32 = 65_534;

/// Writes to a read-only directory.
pub(super) fn read_only(round: &mut Round<'_>) -> Result<()> {
    let (kind, before) = draw(round)?;
    let scene = Scene::set_open(round, kind, before)?;
    let write = Write::draw(round, &scene);
    let work = round.work();
    let io = |error| Error::at(&work, &error);
    let may_become = rustix::process::geteuid().is_root();
    let as_nobody = |mut command: Command| {
        if may_become {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let mut test = Command::new("sh");
    test.args(["-c", "test -x \"$0\" && test -r \"$1\""]).arg(round.setup.binary());
    test.arg(round.setup.source(kind.content, write.input));
    if !as_nobody(test).status().is_ok_and(|status| status.success()) {
        round.tally.rate("skipped: a user without rights cannot run the command", true);
        return Ok(());
    }
    let mut command = round.setup.nnz();
    command.args(&write.arguments);
    let mut command = as_nobody(command);
    fs::set_permissions(&work, Permissions::from_mode(0o555)).map_err(io)?;
    let running = round.start_command(&mut command)?;
    let done = round.finish(running)?;
    fs::set_permissions(&work, Permissions::from_mode(0o755)).map_err(io)?;
    let place = work.to_string_lossy().into_owned();
    let says = ["permission denied", "read-only"];
    round.check(!done.succeeded(), "a read-only directory is written", || done.outcome());
    let refusal = Refusal {
        what: "a read-only directory",
        name: scene.kind.name,
        says: &says,
        place: &place,
    };
    check(round, &scene, &write, &done, &refusal)
}
