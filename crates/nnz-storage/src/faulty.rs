//! A storage that fails, for tests.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{EntryKind, Identity, ListedEntry, Metadata, ReadAt, Storage};

/// Wraps a storage; each read returns few bytes, or one call fails.
#[derive(Clone, Debug)]
pub struct FaultyStorage {
    inner: Arc<dyn Storage>,
    faults: Arc<Faults>,
}

#[derive(Debug)]
struct Faults {
    calls: AtomicU64,
    /// The index of the call that fails; `u64::MAX` for none.
    failing: u64,
    /// The maximum number of bytes that a read returns.
    short: usize,
}

impl Faults {
    fn call(&self) -> io::Result<()> {
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.failing {
            return Err(io::Error::other(FaultyStorage::FAULT));
        }
        Ok(())
    }
}

impl FaultyStorage {
    /// The message of the error.
    pub const FAULT: &str = "a fault of the storage";

    /// Wraps a storage whose call number `call`, from 0, fails. Calls are: examine a path, open,
    /// list, read the next entry of a listing, read, and identify the state of a file.
    #[must_use]
    pub fn failing(inner: Arc<dyn Storage>, call: u64) -> Self {
        let faults = Faults { calls: AtomicU64::new(0), failing: call, short: usize::MAX };
        Self { inner, faults: Arc::new(faults) }
    }

    /// Wraps a storage whose reads return at most `most` bytes, and at least one.
    #[must_use]
    pub fn short(inner: Arc<dyn Storage>, most: usize) -> Self {
        let faults = Faults { calls: AtomicU64::new(0), failing: u64::MAX, short: most.max(1) };
        Self { inner, faults: Arc::new(faults) }
    }

    /// Returns the number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.faults.calls.load(Ordering::Relaxed)
    }

    /// Returns whether a call failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.calls() > self.faults.failing
    }
}

impl Storage for FaultyStorage {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.faults.call()?;
        self.inner.metadata(path)
    }

    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        self.faults.call()?;
        self.inner.kind(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        self.faults.call()?;
        let inner = self.inner.open(path)?;
        Ok(Arc::new(FaultyFile { inner, faults: Arc::clone(&self.faults) }))
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.faults.call()?;
        let inner = self.inner.open_stream(path)?;
        Ok(Box::new(FaultyStream { inner, faults: Arc::clone(&self.faults) }))
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        self.faults.call()?;
        let inner = self.inner.open_directory(path)?;
        Ok(Arc::new(Self { inner, faults: Arc::clone(&self.faults) }))
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        self.faults.call()?;
        self.inner.list(path, &mut |entry| {
            self.faults.call()?;
            each(entry)
        })
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.faults.call()?;
        self.inner.resolve(path)
    }

    fn is_replaced(&self) -> bool {
        self.inner.is_replaced()
    }
}

#[derive(Debug)]
struct FaultyFile {
    inner: Arc<dyn ReadAt>,
    faults: Arc<Faults>,
}

impl ReadAt for FaultyFile {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        self.faults.call()?;
        let most = out.len().min(self.faults.short);
        self.inner.read_at(&mut out[..most], at)
    }

    fn will_read(&self, range: Range<u64>) {
        self.inner.will_read(range);
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        self.faults.call()?;
        self.inner.identity()
    }
}

struct FaultyStream {
    inner: Box<dyn Read + Send>,
    faults: Arc<Faults>,
}

impl Read for FaultyStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.faults.call()?;
        let most = out.len().min(self.faults.short);
        self.inner.read(&mut out[..most])
    }
}
