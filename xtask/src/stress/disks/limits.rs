//! Limits of a process: size of files and number of open files.

use super::{Refusal, Write, check, draw, limited};
use crate::error::Result;
use crate::stress::round::Round;
use crate::stress::scene::Scene;

/// Writes with a limit on the size of files.
pub(super) fn file_size(round: &mut Round<'_>) -> Result<()> {
    let (kind, before) = draw(round)?;
    let scene = Scene::set(round, kind, before)?;
    let write = Write::draw(round, &scene);
    let most = *round.random.pick(&[40, 400, 6000]).unwrap_or(&40);
    // The message goes to a file as well.
    let blocks = round.random.range(8, most);
    let mut command = limited(round, &format!("ulimit -f {blocks}"), &write.arguments);
    let running = round.start_command(&mut command)?;
    let done = round.finish(running)?;
    let place = round.work().to_string_lossy().into_owned();
    let refusal =
        Refusal { what: "ulimit -f", name: scene.kind.name, says: &["too large"], place: &place };
    check(round, &scene, &write, &done, &refusal)
}

/// Writes with a limit on open files.
pub(super) fn open_files(round: &mut Round<'_>) -> Result<()> {
    let (kind, before) = draw(round)?;
    let scene = Scene::set(round, kind, before)?;
    let write = Write::draw(round, &scene);
    let files = round.random.range(8, 21);
    let mut command = limited(round, &format!("ulimit -n {files}"), &write.arguments);
    let running = round.start_command(&mut command)?;
    let done = round.finish(running)?;
    let refusal = Refusal {
        what: "ulimit -n",
        name: scene.kind.name,
        says: &["too many open files"],
        place: "/",
    };
    check(round, &scene, &write, &done, &refusal)
}
