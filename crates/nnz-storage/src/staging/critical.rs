//! A registry of hidden files that exist, so that they can be removed on an interrupt.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::lock;
use super::url::UrlOutput;

static OUTPUTS: Mutex<Outputs> =
    Mutex::new(Outputs { hidden: BTreeMap::new(), uploads: Vec::new(), placed: false });

/// Outputs of this process.
struct Outputs {
    /// Existing hidden paths.
    hidden: BTreeMap<PathBuf, InUse>,
    /// Outputs that are being uploaded.
    uploads: Vec<Arc<dyn UrlOutput>>,
    /// Whether an output is in place.
    placed: bool,
}

/// A hidden path, locked while this process uses it. On Windows the lock is released before anything can be
/// removed.
type InUse = Arc<Mutex<Option<File>>>;

fn set(in_use: &InUse, file: Option<File>) {
    *in_use.lock().unwrap_or_else(PoisonError::into_inner) = file;
}

/// A critical section in which hidden files are created, renamed and removed, and which an
/// interrupt does not end.
///
/// [`Pending`] values must not be dropped in it, because dropping one enters it too.
pub(super) struct Critical(MutexGuard<'static, Outputs>);

impl Critical {
    pub(super) fn enter() -> Self {
        Self(lock())
    }

    /// Registers a hidden path that exists now, to remove it later.
    pub(super) fn register(&mut self, path: PathBuf) -> Pending {
        let in_use = InUse::default();
        self.0.hidden.insert(path.clone(), Arc::clone(&in_use));
        Pending { path, in_use, reserve: Vec::new() }
    }

    /// Unregisters a hidden path that does not exist any more, or whose content must be kept.
    pub(super) fn forget(&mut self, pending: &Pending) {
        self.0.hidden.remove(&pending.path);
    }

    /// Registers a hidden path again.
    pub(super) fn remember(&mut self, pending: &Pending) {
        self.0.hidden.insert(pending.path.clone(), Arc::clone(&pending.in_use));
    }

    /// Records that an output is in place, unless it is part of a larger one that is still hidden.
    pub(super) fn placed(&mut self, path: &Path) {
        self.0.placed |= !path.ancestors().any(|parent| self.0.hidden.contains_key(parent));
    }
}

/// A hidden path, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pending {
    path: PathBuf,
    in_use: InUse,
    /// Open files that are closed before a directory is removed, which needs file descriptors.
    reserve: Vec<File>,
}

impl Pending {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Locks the hidden file, so that other processes do not remove it as a leftover.
    pub(super) fn mark_in_use(&mut self) {
        set(&self.in_use, lock::mark_in_use(&self.path));
    }

    /// Unlocks it, before programs that use locks open it.
    pub(super) fn unmark(&mut self) {
        set(&self.in_use, None);
    }

    /// Keeps open files, to close them when the directory is removed.
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

/// Removes all unfinished outputs without waiting: for a program that is about to end.
///
/// If an output is being put in place, that step is completed first. After this call nothing can be
/// staged: threads that try wait for the end of the program.
pub fn remove_staged_outputs() {
    let mut outputs = lock();
    abandon_uploads(&mut outputs);
    abandon(outputs);
}

/// Same as [`remove_staged_outputs`] if no output is in place yet. Otherwise removes nothing and
/// returns `false`: a program that writes a single output should then end normally.
pub fn remove_staged_outputs_unless_placed() -> bool {
    let mut outputs = lock();
    let unfinished = !outputs.placed && !abandon_uploads(&mut outputs);
    if unfinished {
        abandon(outputs);
    }
    unfinished
}

/// The time for uploads that are cancelled to remove what they uploaded.
const PATIENCE: Duration = Duration::from_secs(2);

/// Cancels all uploads, waits until what they uploaded is removed, and returns whether one was complete before.
fn abandon_uploads(outputs: &mut Outputs) -> bool {
    let end = Instant::now() + PATIENCE;
    // All are cancelled before one is waited for.
    for upload in &outputs.uploads {
        upload.abandon(Duration::ZERO);
    }
    let mut complete = false;
    for upload in &outputs.uploads {
        complete |= upload.abandon(end.saturating_duration_since(Instant::now()));
    }
    complete
}

/// An upload that an interrupt cancels, until this is dropped.
pub(super) struct Upload(Option<Arc<dyn UrlOutput>>);

/// Registers an upload that starts now.
pub(super) fn register_upload(output: &Arc<dyn UrlOutput>) -> Upload {
    lock().uploads.push(Arc::clone(output));
    Upload(Some(Arc::clone(output)))
}

impl Upload {
    /// Records the end of the upload. After an interrupt, this waits for the end of the program.
    pub(super) fn finish(mut self, placed: bool) {
        self.remove(placed);
    }

    fn remove(&mut self, placed: bool) {
        let Some(output) = self.0.take() else { return };
        let mut outputs = lock();
        outputs.placed |= placed;
        if let Some(at) = outputs.uploads.iter().position(|other| Arc::ptr_eq(other, &output)) {
            outputs.uploads.swap_remove(at);
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.remove(false);
    }
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

/// Number of attempts to remove a directory.
const REMOVALS: u8 = 50;

/// Removes as much as possible; errors cannot be reported.
pub(super) fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        // Other threads may still create files in it.
        let is_removed =
            || std::fs::remove_dir_all(path).is_ok() || path.symlink_metadata().is_err();
        let _ = (0..REMOVALS).any(|_| is_removed());
    } else {
        let _ = std::fs::remove_file(path);
    }
}
