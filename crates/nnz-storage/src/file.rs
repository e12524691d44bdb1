//! An opened file with its path.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use nnz_core::{Error, ErrorKind, Place, Result};

use crate::page_cache::{PAGE, PageCache, PagePart};
use crate::storage::found;
use crate::{EntryKind, Identity, Mapped, Opened, ReadAt, TaskContext};

/// Found where a file is expected.
pub(crate) const NOT_REGULAR: &str = "a directory or special file";

/// An opened regular file, which is passed on to readers.
///
/// It remains the same file if its path is taken by another one. Clones share what was read with
/// [`read_metadata_at`](Self::read_metadata_at).
#[derive(Clone)]
pub struct InputFile(Arc<Inner>);

struct Inner {
    context: TaskContext,
    /// The path in the storage.
    key: PathBuf,
    /// The path in messages.
    path: PathBuf,
    file: Arc<dyn ReadAt>,
    pages: PageCache,
    /// The state of the file when `pages` were read.
    identity: OnceLock<Option<Identity>>,
}

impl InputFile {
    /// Opens a file of the file system.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist, is not a regular file, or cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        match Opened::local(path)? {
            Opened::File(file) => Ok(file),
            _ => Err(Error::mismatch(Place::path(path), NOT_REGULAR, "a file")),
        }
    }

    pub(crate) fn new(
        context: TaskContext,
        key: PathBuf,
        path: PathBuf,
        file: Arc<dyn ReadAt>,
    ) -> Self {
        Self(Arc::new(Inner {
            context,
            key,
            path,
            file,
            pages: PageCache::default(),
            identity: OnceLock::new(),
        }))
    }

    /// Wraps an open file that has no path in a storage, such as one in memory.
    #[must_use]
    pub fn from_reader(name: &Path, file: Arc<dyn ReadAt>, context: &TaskContext) -> Self {
        Self::new(context.without_progress(), name.to_path_buf(), name.to_path_buf(), file)
    }

    /// Returns the path in messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the context in which the file was opened.
    #[must_use]
    pub fn context(&self) -> &TaskContext {
        &self.0.context
    }

    /// Returns the location for messages.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::path(self.path())
    }

    /// Returns the length in bytes when the file was opened.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.file.len()
    }

    /// Returns whether the file was empty when it was opened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` with data from byte `at` on. The data is not cached; cached data is not read
    /// again.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read, and with [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the
    /// file ends before.
    pub fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        let (mut out, mut at) = (out, at);
        loop {
            let count = match self.0.pages.next(out, at) {
                PagePart::Copied(count) => count,
                PagePart::Missing(count) => {
                    self.0.file.read_exact_at(&mut out[..count], at)?;
                    count
                }
            };
            out = &mut out[count..];
            if out.is_empty() {
                return Ok(());
            }
            at = at.saturating_add(count as u64);
        }
    }

    /// Fills `out` with metadata from byte `at` on: a header, a directory, a table. Its pages are
    /// cached, up to several MiB, so that they are read once.
    ///
    /// # Errors
    ///
    /// Fails as [`read_exact_at`](Self::read_exact_at).
    pub fn read_metadata_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        if self.0.pages.next(out, at) == PagePart::Copied(out.len()) {
            return Ok(());
        }
        if self.0.identity.get().is_none() {
            let _ = self.0.identity.set(self.0.file.identity()?);
        }
        self.0.pages.fill(&*self.0.file, out.len(), at)?;
        self.read_exact_at(out, at)
    }

    /// Reads up to `most` bytes of data from byte `at` on; none only at the end.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        match self.0.pages.next(out, at) {
            PagePart::Copied(count) => Ok(count),
            PagePart::Missing(0) => Ok(0),
            PagePart::Missing(count) => self.0.file.read_at(&mut out[..count], at),
        }
    }

    /// Returns the first `most` bytes, or all if there are fewer. They are cached.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn start(&self, most: usize) -> Result<Vec<u8>> {
        let len = usize::try_from(self.len()).unwrap_or(usize::MAX).min(most);
        let mut start = vec![0; len];
        self.read_metadata_at(&mut start, 0).map_err(|error| self.error(error))?;
        Ok(start)
    }

    /// Reads the whole file, of at most `most` bytes, into memory. Nothing is cached.
    ///
    /// # Errors
    ///
    /// Fails if it is longer, or cannot be read.
    pub fn read_all(&self, most: u64) -> Result<Vec<u8>> {
        let len = self.len();
        if len > most {
            let found = format!("{len} bytes");
            return Err(Error::mismatch(self.place(), found, format!("at most {most}")));
        }
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        self.read_exact_at(&mut bytes, 0).map_err(|error| self.error(error))?;
        Ok(bytes)
    }

    /// Returns a reader from start to end.
    #[must_use]
    pub fn reader(&self) -> FileReader {
        FileReader { file: self.clone(), position: 0, keep: false }
    }

    /// Returns a reader from the start whose data is cached, for detecting a format before reading
    /// it.
    #[must_use]
    pub fn start_reader(&self) -> FileReader {
        FileReader { file: self.clone(), position: 0, keep: true }
    }

    /// Checks that the file has not changed since its data was cached, as far as the storage can
    /// determine.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Changed`] if it has.
    pub fn check_unchanged(&self) -> Result<()> {
        let Some(Some(before)) = self.0.identity.get() else { return Ok(()) };
        match self.0.file.identity().map_err(|error| self.error(error))? {
            Some(now) if now != *before => Err(Error::new(ErrorKind::Changed, self.place())),
            _ => Ok(()),
        }
    }

    /// Returns the present state of the file; `None` if states cannot be identified.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn identity(&self) -> io::Result<Option<Identity>> {
        self.0.file.identity()
    }

    /// Discards cached data, so that it is read again.
    pub fn forget(&self) {
        self.0.pages.clear();
    }

    /// Announces that a range will be read soon.
    pub fn will_read(&self, range: Range<u64>) {
        self.0.file.will_read(range);
    }

    /// Announces that several ranges will be read soon, which a storage may fetch together.
    pub fn will_read_all(&self, ranges: &[Range<u64>]) {
        self.0.file.will_read_all(ranges);
    }

    /// Announces that metadata in several ranges will be read soon, which is read in whole pages.
    pub fn will_read_metadata(&self, ranges: &[Range<u64>]) {
        let page = |range: &Range<u64>| {
            range.start / PAGE * PAGE..range.end.div_ceil(PAGE).saturating_mul(PAGE).min(self.len())
        };
        self.will_read_all(&ranges.iter().map(page).collect::<Vec<_>>());
    }

    /// Returns whether each read has a latency, so that reads are worth announcing.
    #[must_use]
    pub fn has_latency(&self) -> bool {
        self.0.file.has_latency()
    }

    /// Maps bytes into memory; `None` if this is not possible.
    #[must_use]
    pub fn map(&self, at: u64, len: usize) -> Option<Mapped> {
        self.0.file.map(at, len)
    }

    /// Opens the file in the same directory that has the name of this file with a suffix.
    ///
    /// If the path is a link, the file next to its target is opened, or else the one next to the
    /// link. Returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file, or cannot be read.
    pub fn sidecar(&self, suffix: &str) -> Result<Option<Self>> {
        let Inner { context, key, path, .. } = &*self.0;
        Self::sidecar_of(context, key, path, suffix)
    }

    /// Opens the sidecar of a path of the file system, as [`sidecar`](Self::sidecar).
    ///
    /// # Errors
    ///
    /// Fails as [`sidecar`](Self::sidecar).
    pub fn local_sidecar(path: &Path, suffix: &str) -> Result<Option<Self>> {
        Self::sidecar_of(&TaskContext::default(), path, path, suffix)
    }

    pub(crate) fn sidecar_of(
        context: &TaskContext,
        key: &Path,
        path: &Path,
        suffix: &str,
    ) -> Result<Option<Self>> {
        let storage = context.storage();
        let with_suffix = |path: &Path| storage.sidecar(path, suffix);
        let io = |error| Error::io(path, error);
        if found(storage.kind(key)).map_err(io)? == Some(EntryKind::Link)
            && let Some(target) = found(storage.resolve(key)).map_err(io)?
        {
            let sidecar_of = with_suffix(&target);
            if found(storage.kind(&sidecar_of)).map_err(io)?.is_some() {
                return Self::in_context(context, sidecar_of.clone(), sidecar_of);
            }
        }
        Self::in_context(context, with_suffix(key), with_suffix(path))
    }

    /// Opens a file by its path in a storage; `None` if it does not exist.
    pub(crate) fn in_context(
        context: &TaskContext,
        key: PathBuf,
        path: PathBuf,
    ) -> Result<Option<Self>> {
        match context.storage().open(&key) {
            Ok(file) => Ok(Some(Self::new(context.clone(), key, path, file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                Err(Error::mismatch(Place::path(path), NOT_REGULAR, "a file"))
            }
            Err(error) => Err(Error::io(&path, error)),
        }
    }

    /// Creates an error of this file from an error of the storage.
    #[must_use]
    pub fn error(&self, error: io::Error) -> Error {
        Error::io(self.path(), error)
    }
}

impl fmt::Debug for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputFile").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// A reader of a file from start to end.
#[derive(Clone, Debug)]
pub struct FileReader {
    file: InputFile,
    position: u64,
    keep: bool,
}

impl FileReader {
    /// Skips bytes.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer.
    pub fn skip(&mut self, count: u64) -> io::Result<()> {
        match self.position.checked_add(count).filter(|end| *end <= self.file.len()) {
            Some(end) => {
                self.position = end;
                Ok(())
            }
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Read for FileReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.file.len().saturating_sub(self.position));
        let most = out.len().min(left.unwrap_or(usize::MAX));
        let count = match self.keep && most > 0 {
            true => self.file.read_metadata_at(&mut out[..most], self.position).map(|()| most)?,
            false => self.file.read_at(out, self.position)?,
        };
        self.position = self.position.saturating_add(count as u64);
        Ok(count)
    }
}
