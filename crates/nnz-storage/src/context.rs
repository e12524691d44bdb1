//! Resources of an operation, its progress and its cancellation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use nnz_core::{Cancellation, Error, NoProgress, Progress, ProgressPart, Result};

use crate::{LocalStorage, Storage, default_memory, default_threads};

/// Resources of an operation, its progress and its cancellation. Clones share everything.
///
/// Functions that read, write or compute take a context; the crate `nnz` has one that knows formats, too.
///
/// ```
/// use nnz_core::Cancellation;
/// use nnz_storage::TaskContext;
///
/// let cancellation = Cancellation::new();
/// let context = TaskContext::default()
///     .with_memory(1 << 30)
///     .with_threads(2)
///     .with_cancellation(cancellation.clone());
/// assert!(context.check().is_ok());
/// cancellation.cancel();
/// assert!(context.check().is_err());
/// ```
#[derive(Clone)]
pub struct TaskContext {
    /// Determined at the first use if it is not set, once for all clones.
    memory: Arc<OnceLock<u64>>,
    has_memory: bool,
    threads: Arc<OnceLock<usize>>,
    cancellation: Option<Cancellation>,
    progress: Arc<dyn Progress>,
    temporary_directory: Option<Arc<Path>>,
    storage: Arc<dyn Storage>,
}

/// The file system, the [default memory](default_memory), all cores, no progress and no cancellation.
impl Default for TaskContext {
    fn default() -> Self {
        Self {
            memory: Arc::default(),
            has_memory: false,
            threads: Arc::default(),
            cancellation: None,
            progress: Arc::new(NoProgress),
            temporary_directory: None,
            storage: Arc::new(LocalStorage),
        }
    }
}

impl fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskContext")
            .field("memory", &self.memory.get())
            .field("threads", &self.threads.get())
            .field("cancellation", &self.cancellation)
            .field("temporary_directory", &self.temporary_directory)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}

impl TaskContext {
    /// Sets the memory limit in bytes: of sorting, of tables of rows and columns, of what is read as a whole. By
    /// default, or with `None`, it is the [default memory](default_memory) when it is first needed.
    #[must_use]
    pub fn with_memory(mut self, bytes: impl Into<Option<u64>>) -> Self {
        let bytes = bytes.into();
        self.has_memory = bytes.is_some();
        self.memory = Arc::new(bytes.map_or_else(OnceLock::new, OnceLock::from));
        self
    }

    /// Sets the number of threads; by default it is the [number of cores](default_threads).
    #[must_use]
    pub fn with_threads(mut self, threads: impl Into<Option<usize>>) -> Self {
        self.threads = Arc::new(threads.into().map_or_else(OnceLock::new, OnceLock::from));
        self
    }

    /// Sets the token that cancels operations. A thread that waits for a network does not wait any longer if the token
    /// of the context is cancelled in which the data was opened.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = Some(cancellation);
        self.bind_storage()
    }

    /// Sets what receives the progress of operations.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// Returns the same without progress, for a step of an operation that reports its own.
    #[must_use]
    pub fn without_progress(&self) -> Self {
        self.clone().with_progress(Arc::new(NoProgress))
    }

    /// Begins a part of the progress to which operations in the returned context add up. It ends when that is dropped.
    #[must_use]
    pub fn in_part(&self, what: &str, total: Option<u64>) -> Self {
        let part = ProgressPart::begin(what, total, &self.progress);
        self.clone().with_progress(Arc::new(part))
    }

    /// Sets the directory for temporary files, instead of `TMPDIR` and the directories of outputs.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory.
    pub fn with_temporary_directory(mut self, directory: &Path) -> Result<Self> {
        let found = directory.metadata().map_err(|error| Error::io(directory, error))?;
        if !found.is_dir() {
            return Err(Error::io(directory, std::io::ErrorKind::NotADirectory.into()));
        }
        self.temporary_directory = Some(directory.into());
        Ok(self.bind_storage())
    }

    /// Sets the storage of paths, by default the file system.
    #[must_use]
    pub fn with_storage(mut self, storage: Arc<dyn Storage>) -> Self {
        self.storage = storage;
        self.bind_storage()
    }

    fn bind_storage(mut self) -> Self {
        if let Some(storage) = self.storage.in_context(&self) {
            self.storage = storage;
        }
        self
    }

    /// Returns the memory limit in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        *self.memory.get_or_init(default_memory)
    }

    /// Returns the limit in bytes of what is returned in memory: three times the default memory, if no limit was set.
    #[must_use]
    pub fn result_memory(&self) -> u64 {
        match self.has_memory {
            true => self.memory(),
            false => self.memory().saturating_mul(3),
        }
    }

    /// Returns the number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        *self.threads.get_or_init(default_threads)
    }

    /// Returns the token that cancels operations.
    #[must_use]
    pub fn cancellation(&self) -> Option<&Cancellation> {
        self.cancellation.as_ref()
    }

    /// Fails if operations are cancelled.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Cancelled`](nnz_core::ErrorKind::Cancelled).
    pub fn check(&self) -> Result<()> {
        self.cancellation.as_ref().map_or(Ok(()), Cancellation::check)
    }

    /// Returns what receives the progress of operations.
    #[must_use]
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Returns the storage of paths.
    #[must_use]
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Returns the directory for temporary files: the one that was set, `TMPDIR`, or `/tmp` if that is not set or
    /// empty.
    #[must_use]
    pub fn temporary_directory(&self) -> PathBuf {
        if let Some(directory) = &self.temporary_directory {
            return directory.to_path_buf();
        }
        let directory = std::env::temp_dir();
        if directory.as_os_str().is_empty() { PathBuf::from("/tmp") } else { directory }
    }

    /// Returns the directory for temporary files while writing an output in a directory: the one that was set, or
    /// that directory, unless it is at a URL.
    #[must_use]
    pub fn spill_directory(&self, output: &Path) -> PathBuf {
        match self.temporary_directory.is_some() || nnz_core::is_url(output) {
            true => self.temporary_directory(),
            false => output.to_path_buf(),
        }
    }
}
