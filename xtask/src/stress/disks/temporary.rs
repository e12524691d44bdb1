//! The directory of temporary files: missing, full, or not a directory.

use std::fs;

use super::small_disk::SmallDisk;
use super::{Refusal, Write, check, draw};
use crate::error::{Error, Result};
use crate::stress::round::Round;
use crate::stress::scene::Scene;
use crate::stress::targets::Content;

/// Sources that may need temporary files.
const SOURCES: [(&str, &[&str]); 7] = [
    ("bsp.npz", &[]),
    ("bsp.npz", &["--compress", "gzip:1"]),
    ("mtx.gz", &[]),
    ("rds", &[]),
    ("zarr", &["--compress", "gzip:1"]),
    ("h5", &["--to", "binsparse", "--compress", "gzip:1"]),
    ("dbdf", &[]),
];

/// Writes and reads if temporary files cannot be created.
pub(super) fn missing_or_full(round: &mut Round<'_>) -> Result<()> {
    let (kind, before) = draw(round)?;
    let scene = Scene::set(round, kind, before)?;
    let mut write = Write::draw(round, &scene);
    if kind.content == Content::Matrix {
        let source = source(round, write.input)?;
        let plain = round.setup.source(Content::Matrix, write.input);
        for argument in &mut write.arguments {
            if *argument == plain {
                argument.clone_from(&source);
            }
        }
        // Its types can differ from the types of the input.
        write.sorted = true;
    }
    let temporary = round.directory().join("temporary");
    let io = |error| Error::at(&temporary, &error);
    let mut disk = None;
    let what = match round.random.range(0, 3) {
        0 => "a TMPDIR that is missing",
        1 => {
            fs::write(&temporary, "").map_err(io)?;
            "a TMPDIR that is a file"
        }
        _ => {
            fs::create_dir(&temporary).map_err(io)?;
            disk = SmallDisk::mount(&temporary, 8);
            if disk.is_none() {
                round.tally.rate("skipped: no small file system can be mounted", true);
                return Ok(());
            }
            "a TMPDIR that is full"
        }
    };
    let mut command = round.setup.nnz();
    command.args(&write.arguments).env("TMPDIR", &temporary);
    let running = round.start_command(&mut command)?;
    let done = round.finish(running)?;
    let place = temporary.to_string_lossy().into_owned();
    let says = ["no such file or directory", "no space left", "not a directory"];
    check(
        round,
        &scene,
        &write,
        &done,
        &Refusal { what, name: "any target", says: &says, place: &place },
    )?;
    drop(disk);
    Ok(())
}

/// Converts an input to another format, once.
fn source(round: &mut Round<'_>, input: usize) -> Result<String> {
    let (ending, flags) = round.random.pick(&SOURCES).ok_or_else(|| Error::new("no sources"))?;
    let name = format!("{input}-{}.{ending}", flags.len());
    let path = round.setup.directory.join(name).to_string_lossy().into_owned();
    if fs::metadata(&path).is_err() {
        let from = round.setup.source(Content::Matrix, input);
        let mut words = vec!["convert", "-q"];
        words.extend(*flags);
        words.extend([from.as_str(), path.as_str()]);
        round.must(&words)?;
    }
    Ok(path)
}
