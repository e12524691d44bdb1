//! Hidden files that exist under a name right now, so that an interrupt can remove them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PENDING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A hidden name that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pending(PathBuf);

impl Pending {
    /// Promises to remove `path`, which is about to be created.
    pub(super) fn new(path: PathBuf) -> Self {
        lock().insert(path.clone());
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs the step that takes the hidden name away, during which nothing can be abandoned.
    ///
    /// The step returns what is left to be removed: the target that was replaced.
    pub(super) fn resolve(
        self,
        step: impl FnOnce(&Path) -> std::io::Result<Option<PathBuf>>,
    ) -> std::io::Result<()> {
        let mut pending = lock();
        let replaced = step(&self.0)?;
        pending.remove(&self.0);
        if let Some(replaced) = replaced {
            pending.insert(replaced.clone());
            // Dropped after the lock: removing a large directory takes a while.
            drop(pending);
            drop(Self(replaced));
        } else {
            drop(pending);
        }
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if lock().remove(&self.0) {
            remove(&self.0);
        }
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
pub(super) fn remove(path: &Path) {
    if path.is_dir() {
        let _ = std::fs::remove_dir_all(path);
    } else {
        let _ = std::fs::remove_file(path);
    }
}
