//! Reporting progress.

use std::sync::Arc;

/// Receives the progress of an operation. Calls come from one thread at a time.
///
/// An operation can have several parts, such as sorting and writing, each with a beginning and an end. A part starts
/// again if entries turn out not to be in the order that a file states. A call can cancel the operation.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use nnz_core::{Cancellation, Progress};
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
pub trait Progress: Send + Sync {
    /// A part begins, with `total` entries if known. `what` is its name, a participle such as `reading`, `sorting`,
    /// `writing`, `checking`, `comparing` or `measuring`.
    ///
    /// Functions that only read a source, such as statistics of one, report nothing by themselves; a source that
    /// reports is `Observed` in `nnz::engine`.
    fn begin(&self, what: &str, total: Option<u64>);

    /// The given number of entries is finished, possibly all at once.
    fn advance(&self, entries: u64);

    /// The operation uses this many bytes of temporary disk space in total.
    fn disk(&self, bytes: u64) {
        let _ = bytes;
    }

    /// The part ends, finished or not, after any number of calls of [`advance`](Self::advance).
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

/// One part of an operation that reads several sources, or one in several passes: what they report is added up.
///
/// ```
/// use std::sync::Arc;
///
/// use nnz_core::{NoProgress, Progress, ProgressPart};
///
/// let progress: Arc<dyn Progress> = Arc::new(NoProgress);
/// let part = ProgressPart::begin("comparing", Some(20), &progress);
/// for source in ["first", "second"] {
///     part.begin(source, Some(10));
///     part.advance(10);
///     part.end();
/// }
/// ```
pub struct ProgressPart(Arc<dyn Progress>);

impl std::fmt::Debug for ProgressPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgressPart").finish_non_exhaustive()
    }
}

impl ProgressPart {
    /// Begins a part, which ends when it is dropped.
    #[must_use]
    pub fn begin(what: &str, total: Option<u64>, progress: &Arc<dyn Progress>) -> Self {
        progress.begin(what, total);
        Self(Arc::clone(progress))
    }
}

impl Progress for ProgressPart {
    fn begin(&self, _: &str, _: Option<u64>) {}

    fn advance(&self, entries: u64) {
        self.0.advance(entries);
    }

    fn disk(&self, bytes: u64) {
        self.0.disk(bytes);
    }

    fn end(&self) {}
}

impl Drop for ProgressPart {
    fn drop(&mut self) {
        self.0.end();
    }
}
