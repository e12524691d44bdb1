//! Hidden files that exist under a name right now, so that an interrupt can remove them.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static OUTPUTS: Mutex<Outputs> = Mutex::new(Outputs { hidden: BTreeSet::new(), placed: false });

/// What this process has made.
struct Outputs {
    /// What is there under hidden names.
    hidden: BTreeSet<PathBuf>,
    /// Whether something took its place.
    placed: bool,
}

/// A hidden name that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pending {
    path: PathBuf,
    /// Locked, as a sign to others that somebody still works on it.
    in_use: Option<File>,
}

impl Pending {
    /// Runs the step that makes something of a hidden name, during which nothing can be abandoned:
    /// the system takes a while for it, and finishes it even for a program that ends.
    pub(super) fn make<T>(
        path: PathBuf,
        step: impl FnOnce(&Path) -> std::io::Result<T>,
    ) -> std::io::Result<(Self, T)> {
        let mut outputs = lock();
        let made = step(&path)?;
        outputs.hidden.insert(path.clone());
        Ok((Self { path, in_use: None }, made))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Marks what has been created as being in use. Where there are no locks, the number of the
    /// process in its name has to do.
    pub(super) fn mark_in_use(&mut self) {
        self.in_use = File::open(&self.path).ok().filter(try_lock);
    }

    /// Runs the step that takes the hidden name away, during which nothing can be abandoned.
    ///
    /// The step returns what is left to be removed: the target that was replaced.
    pub(super) fn resolve(
        self,
        step: impl FnOnce(&Path) -> std::io::Result<Option<PathBuf>>,
    ) -> std::io::Result<()> {
        let mut outputs = lock();
        let replaced = step(&self.path)?;
        outputs.placed = true;
        outputs.hidden.remove(&self.path);
        if let Some(replaced) = replaced {
            outputs.hidden.insert(replaced.clone());
            // Dropped after the lock: removing a large directory takes a while.
            drop(outputs);
            drop(Self { path: replaced, in_use: None });
        } else {
            drop(outputs);
        }
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if lock().hidden.remove(&self.path) {
            remove(&self.path);
        }
    }
}

fn try_lock(file: &File) -> bool {
    rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Removes a hidden file or directory that nobody uses.
pub(super) fn remove_unused(path: &Path) {
    if File::open(path).is_ok_and(|file| try_lock(&file)) {
        remove(path);
    }
}

/// Removes every unfinished output and waits for none: for a program about to end.
///
/// A step that puts a finished output in its place is let finish first. After this call nothing
/// can be staged any more: the threads that try wait for the end of the program.
pub fn remove_staged_outputs() {
    abandon(lock());
}

/// Does what [`remove_staged_outputs`] does if no output is in its place yet. `false` where one is, and nothing
/// was removed: whoever writes a single one had better let the program end by itself.
pub fn remove_staged_outputs_unless_placed() -> bool {
    let outputs = lock();
    let unfinished = !outputs.placed;
    if unfinished {
        abandon(outputs);
    }
    unfinished
}

fn abandon(outputs: MutexGuard<'static, Outputs>) {
    outputs.hidden.iter().for_each(|path| remove(path));
    std::mem::forget(outputs);
}

/// Runs a step during which nothing can be abandoned.
pub(super) fn undisturbed<T>(step: impl FnOnce() -> T) -> T {
    let _outputs = lock();
    step()
}

/// Runs the step that puts in its place what had no name before, during which nothing can be
/// abandoned.
pub(super) fn place(step: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<()> {
    let mut outputs = lock();
    step()?;
    outputs.placed = true;
    Ok(())
}

fn lock() -> MutexGuard<'static, Outputs> {
    OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often it is tried to remove a directory.
const REMOVALS: u8 = 50;

/// Removes as much as can be removed; there is nobody to tell of what cannot.
fn remove(path: &Path) {
    if path.is_dir() {
        // Other threads may still be making files there.
        let gone = || std::fs::remove_dir_all(path).is_ok() || !path.exists();
        let _ = (0..REMOVALS).any(|_| gone());
    } else {
        let _ = std::fs::remove_file(path);
    }
}
