//! The context of all functions: formats, storages, memory, threads, cancellation and progress.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use nnz_container::ContainerKind;
use nnz_core::{Cancellation, Progress, Result};
use nnz_engine::TaskContext;
use nnz_engine::flow::Workers;
use nnz_storage::Storage;
use nnz_storage::staging::WriteOptions;

use crate::formats::{Format, Registry};
use crate::storages::{check_storage_options, storage_with};
use crate::{Dataset, Location, OpenOptions};

/// Resources and settings of operations: the formats, the storage of paths and URLs, memory, threads, a directory for
/// temporary files, a token that cancels, and a receiver of progress.
///
/// All functions of this crate that read, write or compute take a context, and use nothing else: there is no global
/// state. Clones are cheap and share everything. It dereferences to a [`TaskContext`], which the functions of
/// [`engine`](crate::engine) take.
///
/// ```
/// use nnz::{Cancellation, Context, ConvertOptions, Location};
///
/// let cancellation = Cancellation::new();
/// let context = Context::default()
///     .with_memory(1 << 30)
///     .with_threads(2)
///     .with_cancellation(cancellation.clone());
/// // Another thread or a signal handler may do this.
/// cancellation.cancel();
/// let converted = nnz::convert("missing.mtx", "x.bpcells", &ConvertOptions::default(), &context);
/// assert!(converted.is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    registry: Arc<Registry>,
    task: TaskContext,
    /// Whether it belongs to one operation, in which nothing is requested twice.
    is_operation: bool,
}

/// All formats of this crate, the file system, URLs with the options of the environment, a quarter of the free memory,
/// and all cores.
impl Default for Context {
    fn default() -> Self {
        let task = TaskContext::default().with_storage(storage_with(Vec::new()));
        Self { registry: Arc::default(), task, is_operation: false }
    }
}

impl Deref for Context {
    type Target = TaskContext;

    fn deref(&self) -> &TaskContext {
        &self.task
    }
}

impl Context {
    fn map(self, change: impl FnOnce(TaskContext) -> TaskContext) -> Self {
        Self { task: change(self.task), is_operation: false, ..self }
    }

    /// Adds a format to those that are known. If several formats match with certainty, the first one is used: a built-in format, then the
    /// one that was added first.
    #[must_use]
    pub fn with_format(mut self, format: &'static dyn Format) -> Self {
        let registry = Arc::make_mut(&mut self.registry);
        *registry = std::mem::take(registry).with(format);
        self
    }

    /// Adds a kind of container, for all formats of named arrays. If another kind also matches, that is used.
    #[must_use]
    pub fn with_container(mut self, kind: &'static dyn ContainerKind) -> Self {
        let registry = Arc::make_mut(&mut self.registry);
        *registry = std::mem::take(registry).with_container(kind);
        self
    }

    /// Sets the formats and containers that are known.
    #[must_use]
    pub fn with_registry(self, registry: Registry) -> Self {
        Self { registry: Arc::new(registry), ..self }
    }

    /// Sets the storage of paths and URLs, with which sources are read and, at URLs, targets are written.
    ///
    /// It replaces the file system for reading: a storage of some paths only passes the others on to
    /// [`local`](crate::storage::local). Targets that are not at URLs are written to the file system.
    #[must_use]
    pub fn with_storage(self, storage: Arc<dyn Storage>) -> Self {
        self.map(|task| task.with_storage(storage))
    }

    /// Sets options of URLs: options of the crate object_store, such as `region` and `endpoint`, and `profile`, `anon`,
    /// `bearer_token` and `spool_limit`. Options that are not given come from the environment and the configuration
    /// files of the user.
    ///
    /// # Errors
    ///
    /// Fails if there is no such option. In a build without the feature `remote`, nothing is checked, and opening a URL
    /// is an error.
    pub fn with_storage_options(self, options: Vec<(String, String)>) -> Result<Self> {
        check_storage_options(&options)?;
        Ok(self.with_storage(storage_with(options)))
    }

    /// Sets the memory limit in bytes: of sorting, of tables of rows and columns, of what is read as a whole. By
    /// default it is the [default memory](crate::engine::default_memory) when it is first needed.
    #[must_use]
    pub fn with_memory(self, bytes: impl Into<Option<u64>>) -> Self {
        self.map(|task| task.with_memory(bytes))
    }

    /// Sets the number of threads; by default it is the number of cores.
    #[must_use]
    pub fn with_threads(self, threads: impl Into<Option<usize>>) -> Self {
        self.map(|task| task.with_threads(threads))
    }

    /// Sets the token that cancels functions. A thread that waits for a network does not wait any longer if the token
    /// of the context is cancelled in which the data was opened.
    #[must_use]
    pub fn with_cancellation(self, cancellation: Cancellation) -> Self {
        self.map(|task| task.with_cancellation(cancellation))
    }

    /// Sets what receives progress.
    #[must_use]
    pub fn with_progress(self, progress: Arc<dyn Progress>) -> Self {
        self.map(|task| task.with_progress(progress))
    }

    /// Returns the same without progress.
    #[must_use]
    pub fn without_progress(&self) -> Self {
        self.clone().map(|task| task.without_progress())
    }

    /// Begins a part of the progress to which functions in the returned context add up. It ends when that is dropped.
    #[must_use]
    pub fn in_part(&self, what: &str, total: Option<u64>) -> Self {
        self.clone().map(|task| task.in_part(what, total))
    }

    /// Sets the directory for temporary files, instead of `TMPDIR` and the directories of outputs.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory.
    pub fn with_temporary_directory(self, directory: &Path) -> Result<Self> {
        let task = self.task.with_temporary_directory(directory)?;
        Ok(Self { task, is_operation: false, ..self })
    }

    /// Returns the formats and containers that are known.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the part of the context that the functions of [`engine`](crate::engine) take.
    #[must_use]
    pub fn task(&self) -> &TaskContext {
        &self.task
    }

    /// Opens the data of a location.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](crate::open()).
    pub fn open(&self, location: impl Into<Location>) -> Result<Dataset> {
        OpenOptions::new().open(location, self)
    }

    /// Returns the context of an operation. What was learned about files before is not used in it, as they may have
    /// changed. It is the same in an operation.
    #[must_use]
    pub fn operation(&self) -> Self {
        let mut context = self.clone();
        if !self.is_operation {
            if let Some(storage) = self.storage().restarted() {
                context = context.with_storage(storage);
            }
            context.is_operation = true;
        }
        context
    }

    /// Returns how an output is put in place. It is written with as many threads as have their buffers in memory.
    #[must_use]
    pub fn output(&self, overwrite: bool, sync: bool) -> WriteOptions {
        let task = self.task.clone().with_threads(Workers::of(self).threads);
        WriteOptions::default().overwrite(overwrite).sync(sync).context(task)
    }
}
