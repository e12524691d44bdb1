//! Reporting progress.

/// Receives the progress of an operation. Calls come from one thread at a time.
///
/// Work may have several parts, such as sorting and writing, each with a beginning and an end; where entries turn out
/// not to be in the order that a file promised, a part begins again. A call may cancel the operation.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use nnz_engine::{Cancellation, Progress};
///
/// /// Counts, and cancels after a million entries.
/// struct Bar {
///     done: AtomicU64,
///     cancellation: Cancellation,
/// }
///
/// impl Progress for Bar {
///     fn begin(&self, what: &str, total: Option<u64>) {
///         self.done.store(0, Ordering::Relaxed);
///         eprintln!("{what}: {total:?} entries");
///     }
///
///     fn advance(&self, entries: u64) {
///         if self.done.fetch_add(entries, Ordering::Relaxed) + entries > 1_000_000 {
///             self.cancellation.cancel();
///         }
///     }
///
///     fn end(&self) {}
/// }
/// ```
pub trait Progress: Sync {
    /// Work of `total` entries begins, where that is known. `what` is a word for it: `sorting` or `writing`.
    fn begin(&self, what: &str, total: Option<u64>);

    /// So many more entries are done, possibly all at once.
    fn advance(&self, entries: u64);

    /// Work takes so many bytes of temporary space on disk, all in all.
    fn disk(&self, bytes: u64) {
        let _ = bytes;
    }

    /// The work is over, done or not, after any number of calls of [`advance`](Self::advance).
    fn end(&self);
}

/// Ignores progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}
