//! A file system that becomes full.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Refusal, Write, check, draw};
use crate::error::Result;
use crate::stress::round::Round;
use crate::stress::scene::Scene;
use crate::stress::setup::Before;

/// A file system in memory, mounted until this is dropped.
pub(super) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one on an empty directory; `None` if the system does not allow it.
    pub(super) fn mount(directory: &Path, kib: u64) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "nnz-stress"]).arg(directory);
        mount.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mounted = mount.status().is_ok_and(|status| status.success());
        mounted.then(|| Self(directory.to_path_buf()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Writes to a disk that may be too small.
pub(super) fn full(round: &mut Round<'_>) -> Result<()> {
    let (kind, before) = draw(round)?;
    let scene = Scene::set(round, kind, before)?;
    let there = if before == Before::Nothing { 0 } else { kib(&round.work()) };
    let work = round.work();
    let most = *round.random.pick(&[100, 1000, 5000]).unwrap_or(&100);
    let more = u64::from(round.random.range(16, most));
    let Some(_disk) = SmallDisk::mount(&work, there + more) else {
        round.tally.rate("skipped: no small file system can be mounted", true);
        return Ok(());
    };
    // Files below the mount point are hidden.
    let scene = Scene::set(round, scene.kind, before)?;
    let write = Write::draw(round, &scene);
    let running = round.start(&write.arguments)?;
    let done = round.finish(running)?;
    let place = work.to_string_lossy().into_owned();
    // Sorting checks the free space in advance.
    let says = ["no space left on the device", "no space left on device", "sorting takes at least"];
    let refusal =
        Refusal { what: "a full disk", name: scene.kind.name, says: &says, place: &place };
    check(round, &scene, &write, &done, &refusal)
}

/// Returns the size of the files in a directory in KiB, in pages.
fn kib(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => 4 + kib(&entry.path()),
        Ok(found) => found.len().div_ceil(4096) * 4,
        Err(_) => 0,
    });
    sizes.sum()
}
