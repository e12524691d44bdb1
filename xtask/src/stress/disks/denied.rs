//! Directories that a user may not write.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;

use super::{Refusal, Write, check, draw};
use crate::error::{Error, Result};
use crate::stress::round::Round;
use crate::stress::scene::Scene;

/// A user without rights, where we may become one.
const NOBODY: u32 = 65_534;

/// Writes to a directory that may only be read.
pub(super) fn read_only(round: &mut Round<'_>) -> Result<()> {
    let (kind, before) = draw(round)?;
    let scene = Scene::set_open(round, kind, before)?;
    let write = Write::draw(round, &scene);
    let work = round.work();
    let io = |error| Error::at(&work, &error);
    let may_become = rustix::process::geteuid().is_root();
    let as_nobody = |arguments: &[String]| {
        let mut command = round.setup.nnz();
        command.args(arguments);
        if may_become {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    let reads = ["info".to_owned(), round.setup.source(kind.content, write.input)];
    if !as_nobody(&reads).output().is_ok_and(|done| done.status.code() != Some(126)) {
        round.tally.rate("skipped: a user without rights cannot run the command", true);
        return Ok(());
    }
    let mut command = as_nobody(&write.arguments);
    fs::set_permissions(&work, Permissions::from_mode(0o555)).map_err(io)?;
    let running = round.start_command(&mut command)?;
    let done = round.finish(running)?;
    fs::set_permissions(&work, Permissions::from_mode(0o755)).map_err(io)?;
    let place = work.to_string_lossy().into_owned();
    let says = ["permission denied", "read-only"];
    round.check(!done.succeeded(), "a directory that may not be written is written", || {
        done.outcome()
    });
    let refusal = Refusal { what: "a read-only directory", says: &says, place: &place };
    check(round, &scene, &write, &done, &refusal)
}
