//! A bound to how long a record may be.

use std::io::{Error, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest record that is read: a quote that is never closed must not fill the memory.
const LONGEST: u64 = 256 << 20;

/// Counts the bytes that have been read since a record ended.
pub(super) struct Limited<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R> Limited<R> {
    /// Wraps a reader. The counter is set back by whoever takes records.
    pub(super) fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let read = Arc::<AtomicU64>::default();
        (Self { inner, read: Arc::clone(&read) }, read)
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        if self.read.load(Ordering::Relaxed) > LONGEST {
            return Err(Error::other(format!("a record of more than {LONGEST} bytes")));
        }
        let read = self.inner.read(bytes)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
