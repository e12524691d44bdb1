//! A storage that records the requests to another.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{EntryKind, Identity, ListedEntry, Mapped, Metadata, ReadAt, Storage};

/// A request to a storage. Paths are those in the wrapped storage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A path was examined, without opening it.
    LookUp(PathBuf),
    /// A file was opened.
    Open(PathBuf),
    /// A file that can be read once was opened.
    Stream(PathBuf),
    /// A directory was opened.
    OpenDirectory(PathBuf),
    /// A directory was listed.
    List(PathBuf),
    /// Bytes of a file were read.
    Read(PathBuf, Range<u64>),
}

/// Wraps a storage and records all requests.
#[derive(Clone, Debug)]
pub struct CountingStorage {
    inner: Arc<dyn Storage>,
    /// The prefix of paths.
    root: PathBuf,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl CountingStorage {
    /// Wraps a storage.
    #[must_use]
    pub fn new(inner: Arc<dyn Storage>) -> Self {
        Self { inner, root: PathBuf::new(), requests: Arc::default() }
    }

    /// Returns the requests so far, in order, and clears the record.
    #[must_use]
    pub fn take(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn record(&self, request: impl FnOnce(PathBuf) -> Request, path: &Path) {
        record(&self.requests, request(join(&self.root, path)));
    }
}

fn record(requests: &Mutex<Vec<Request>>, request: Request) {
    requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
}

/// Joins without a trailing slash.
fn join(root: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { root.to_path_buf() } else { root.join(path) }
}

impl Storage for CountingStorage {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.record(Request::LookUp, path);
        self.inner.metadata(path)
    }

    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        self.record(Request::LookUp, path);
        self.inner.kind(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        self.record(Request::Open, path);
        let (inner, path) = (self.inner.open(path)?, join(&self.root, path));
        Ok(Arc::new(CountedFile { inner, path, requests: Arc::clone(&self.requests) }))
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.record(Request::Stream, path);
        self.inner.open_stream(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        self.record(Request::OpenDirectory, path);
        let (inner, root) = (self.inner.open_directory(path)?, join(&self.root, path));
        Ok(Arc::new(Self { inner, root, requests: Arc::clone(&self.requests) }))
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        self.record(Request::List, path);
        self.inner.list(path, each)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.record(Request::LookUp, path);
        self.inner.resolve(path)
    }

    fn is_replaced(&self) -> bool {
        self.inner.is_replaced()
    }
}

#[derive(Debug)]
struct CountedFile {
    inner: Arc<dyn ReadAt>,
    path: PathBuf,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl CountedFile {
    fn record(&self, at: u64, len: usize) {
        let end = at.saturating_add(len as u64);
        record(&self.requests, Request::Read(self.path.clone(), at..end));
    }
}

impl ReadAt for CountedFile {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let count = self.inner.read_at(out, at)?;
        self.record(at, count);
        Ok(count)
    }

    fn will_read(&self, range: Range<u64>) {
        self.inner.will_read(range);
    }

    fn map(&self, at: u64, len: usize) -> Option<Mapped> {
        self.inner.map(at, len).inspect(|_| self.record(at, len))
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        self.inner.identity()
    }
}
