//! Hidden files that exist under a name right now, so that an interrupt can remove them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::lock;

static OUTPUTS: Mutex<Outputs> = Mutex::new(Outputs { hidden: BTreeMap::new(), placed: false });

/// What this process has made.
struct Outputs {
    /// What is there under hidden names.
    hidden: BTreeMap<PathBuf, InUse>,
    /// Whether something took its place.
    placed: bool,
}

/// What has a hidden name, locked while this process works on it. On Windows the lock has to go before anything can be
/// removed.
type InUse = Arc<Mutex<Option<File>>>;

fn set(in_use: &InUse, file: Option<File>) {
    *in_use.lock().unwrap_or_else(PoisonError::into_inner) = file;
}

/// A section that no interrupt ends: names are made, taken and removed in it.
///
/// [`Pending`] values must not be dropped in it, since dropping one enters it as well.
pub(super) struct Critical(MutexGuard<'static, Outputs>);

impl Critical {
    pub(super) fn enter() -> Self {
        Self(lock())
    }

    /// Registers a hidden name that something has now, to be removed later.
    pub(super) fn register(&mut self, path: PathBuf) -> Pending {
        let in_use = InUse::default();
        self.0.hidden.insert(path.clone(), Arc::clone(&in_use));
        Pending { path, in_use, reserve: Vec::new() }
    }

    /// Forgets a hidden name that nothing has any more, or whose content has to stay.
    pub(super) fn forget(&mut self, pending: &Pending) {
        self.0.hidden.remove(&pending.path);
    }

    /// Registers a hidden name again.
    pub(super) fn remember(&mut self, pending: &Pending) {
        self.0.hidden.insert(pending.path.clone(), Arc::clone(&pending.in_use));
    }

    /// Records that an output took its place.
    pub(super) fn placed(&mut self) {
        self.0.placed = true;
    }
}

/// A hidden name; what has it is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pending {
    path: PathBuf,
    in_use: InUse,
    /// Open files given up before a directory is removed, which takes open files itself.
    reserve: Vec<File>,
}

impl Pending {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Locks what has the name, so that other processes do not take it for a leftover.
    pub(super) fn mark_in_use(&mut self) {
        set(&self.in_use, lock::mark_in_use(&self.path));
    }

    /// Unlocks it, before programs that use locks themselves can open it.
    pub(super) fn unmark(&mut self) {
        set(&self.in_use, None);
    }

    /// Keeps open files to be given up when the directory is removed.
    pub(super) fn keep_reserve(&mut self, reserve: Vec<File>) {
        self.reserve = reserve;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.unmark();
        if lock().hidden.remove(&self.path).is_some() {
            self.reserve.clear();
            remove(&self.path);
        }
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
    for (path, in_use) in &outputs.hidden {
        set(in_use, None);
        remove(path);
    }
    std::mem::forget(outputs);
}

fn lock() -> MutexGuard<'static, Outputs> {
    OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often it is tried to remove a directory.
const REMOVALS: u8 = 50;

/// Removes as much as can be removed; there is nobody to report the rest to.
pub(super) fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        // Other threads may still be making files there.
        let gone = || std::fs::remove_dir_all(path).is_ok() || path.symlink_metadata().is_err();
        let _ = (0..REMOVALS).any(|_| gone());
    } else {
        let _ = std::fs::remove_file(path);
    }
}
