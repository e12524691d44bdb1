//! Hidden files that exist under a name right now, so that an interrupt can remove them.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PENDING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A hidden name that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pending {
    path: PathBuf,
    /// Locked, as a sign to others that somebody still works on it.
    in_use: Option<File>,
}

impl Pending {
    /// Promises to remove `path`, which is about to be created.
    pub(super) fn new(path: PathBuf) -> Self {
        lock().insert(path.clone());
        Self { path, in_use: None }
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
        let mut pending = lock();
        let replaced = step(&self.path)?;
        pending.remove(&self.path);
        if let Some(replaced) = replaced {
            pending.insert(replaced.clone());
            // Dropped after the lock: removing a large directory takes a while.
            drop(pending);
            drop(Self { path: replaced, in_use: None });
        } else {
            drop(pending);
        }
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if lock().remove(&self.path) {
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
pub fn abandon_all() {
    let pending = lock();
    pending.iter().for_each(|path| remove(path));
    std::mem::forget(pending);
}

fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes as much as can be removed; there is nobody to tell of what cannot.
fn remove(path: &Path) {
    if path.is_dir() {
        let _ = std::fs::remove_dir_all(path);
    } else {
        let _ = std::fs::remove_file(path);
    }
}
