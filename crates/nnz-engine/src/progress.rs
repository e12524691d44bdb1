//! Reporting progress.

/// Receives the progress of an operation. Calls come from one thread at a time.
pub trait Progress: Sync {
    /// Work of `total` entries begins, where that is known.
    fn begin(&self, what: &str, total: Option<u64>);

    /// So many more entries are done.
    fn advance(&self, entries: u64);

    /// Work takes so many bytes of temporary space on disk, all in all.
    fn disk(&self, bytes: u64) {
        let _ = bytes;
    }

    /// The work is over, done or not.
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
