//! Outputs in object storage.

mod job;
mod outline;
mod parts;
mod stop;

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use nnz_core::Cancellation;
use nnz_storage::staging::{UploadFile, UrlEntries, UrlOutput};

use self::job::{CreatedObjects, Job};
use self::outline::Outline;
use self::stop::Stop;
use crate::address::{Address, Service};
use crate::bridge::{self, TICK, cancelled};
use crate::client::Store;
use crate::failure::Failure;
use crate::{StorageOptions, StoreFiles};

/// The size of the parts of a large object, and the factor of the size of objects that are uploaded in parts.
const PART: u64 = 8 << 20;
const PARTS: u64 = 4;

/// Maximum number of parts; S3 allows 10,000.
const MOST_PARTS: u64 = 9000;

/// The time for an upload that is cancelled to remove what it uploaded.
const CLEANUP: Duration = Duration::from_secs(10);

/// An output in object storage.
pub(crate) struct Upload {
    address: Address,
    options: Arc<StorageOptions>,
    files: StoreFiles,
    cancellation: Cancellation,
    is_directory: bool,
    part_size: u64,
    stop: Stop,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    phase: Phase,
    /// The last outline of what exists.
    outline: Option<Outline>,
    /// The uploaded objects, which may be removed.
    created: Option<(Arc<Store>, Arc<CreatedObjects>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Running,
    Complete,
    Failed,
}

impl Upload {
    pub(crate) fn new(
        url: &Path,
        options: &Arc<StorageOptions>,
        files: StoreFiles,
        cancellation: &Cancellation,
        is_directory: bool,
    ) -> io::Result<Self> {
        let address = Address::parse(url)?;
        if address.service == Service::Web {
            let what = "https:// and http:// are read-only: write to s3://, gs:// or az://, or to a local path";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
        if address.path.is_empty() {
            let what = "the URL has no key: write to BUCKET/KEY";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let part_size = match options.get("part_size") {
            None => PART,
            Some(text) => text.parse().ok().filter(|size| *size > 0).ok_or_else(|| {
                let what = "part_size must be a number of bytes";
                io::Error::new(io::ErrorKind::InvalidInput, what)
            })?,
        };
        Ok(Self {
            address,
            options: Arc::clone(options),
            files,
            cancellation: cancellation.clone(),
            is_directory,
            part_size,
            stop: Stop::new(),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a client that does not write large objects.
    fn store(&self) -> io::Result<Arc<Store>> {
        Store::new(&self.address, &self.options).map(Arc::new)
    }

    fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> io::Result<T> {
        Ok(bridge::run(&self.cancellation, task)??)
    }

    /// Runs an upload to its end. One that is cancelled has some time to remove what it uploaded.
    fn run_to_end(
        &self,
        task: impl Future<Output = Result<(), Failure>> + Send + 'static,
    ) -> io::Result<()> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let task = bridge::handle()?.spawn(async move {
            let _ = sender.send(task.await);
        });
        let mut end = None;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Err(_)) if self.stop.is_stopped() => return Err(cancelled()),
                Ok(result) => return Ok(result?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the request thread ended"));
                }
            }
            if self.cancellation.is_cancelled() {
                self.stop.stop();
            }
            if self.stop.is_stopped()
                && Instant::now() > *end.get_or_insert_with(|| Instant::now() + CLEANUP)
            {
                task.abort();
                return Err(cancelled());
            }
        }
    }

    /// Returns what exists, by requests of a client.
    fn find_in(&self, store: &Arc<Store>) -> io::Result<UrlEntries> {
        let (store, key) = (Arc::clone(store), self.address.path.clone());
        let is_directory = self.is_directory;
        self.run(async move {
            let below = {
                let (store, key) = (Arc::clone(&store), key.clone());
                tokio::spawn(async move { store.list_all(&key, 1).await })
            };
            let file = store.exists(&key).await;
            let below = below.await.unwrap_or_else(|_| Err(Failure::cancelled()));
            let denied = |failure: &Failure| failure.kind == io::ErrorKind::PermissionDenied;
            match (file, below) {
                (Ok(file), Ok(below)) => Ok(UrlEntries { file, directory: !below.is_empty() }),
                // Users may have the right to write an object, but not to list.
                (Ok(file), Err(failure)) if denied(&failure) && !is_directory => {
                    Ok(UrlEntries { file, directory: false })
                }
                (Err(failure), Ok(below)) if denied(&failure) && !is_directory => {
                    Ok(UrlEntries { file: false, directory: !below.is_empty() })
                }
                (_, Err(failure)) | (Err(failure), _) => Err(failure),
            }
        })
    }

    fn set_phase(&self, phase: Phase) {
        self.state().phase = phase;
        self.changed.notify_all();
    }

    fn upload_files(&self, files: Vec<UploadFile>, replace: bool) -> io::Result<()> {
        // Members are always new: the members of a directory that is replaced are removed before.
        let only_new = self.is_directory || !replace;
        let store = Arc::new(Store::for_writing(&self.address, &self.options, only_new)?);
        let created = Arc::new(CreatedObjects::new(token()));
        let outline = {
            let mut state = self.state();
            state.created = Some((Arc::clone(&store), Arc::clone(&created)));
            state.outline.take().map(|outline| outline.objects)
        };
        let job = Arc::new(Job {
            store,
            key: self.address.path.clone(),
            files: self.files,
            created,
            part_size: self.part_size,
            stop: self.stop.clone(),
            limits: parts::Limits::new(),
            failure: OnceLock::new(),
        });
        match self.is_directory {
            true => self.run_to_end(job.directory(files, replace, outline)),
            false => self.run_to_end(job.file(files, replace)),
        }
    }
}

/// Returns a text that no other upload has.
fn token() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload").field("address", &self.address).finish_non_exhaustive()
    }
}

impl UrlOutput for Upload {
    fn find(&self) -> io::Result<UrlEntries> {
        let store = self.store()?;
        match self.find_in(&store) {
            Err(_) if store.is_elsewhere() => self.find_in(&self.store()?),
            found => found,
        }
    }

    fn copy_outline(&self, to: &Path) -> io::Result<()> {
        let (store, key) = (self.store()?, self.address.path.clone());
        let (files, to) = (self.files, to.to_path_buf());
        // It is asked for several times while a directory is written.
        let own = self.state().outline.take();
        let before = own.or_else(|| outline::recall(&self.address, &self.options));
        let before = before.unwrap_or_default();
        let found = self.run(outline::copy(store, key, files, to, before))?;
        outline::remember(&self.address, &self.options, &found);
        self.state().outline = Some(found);
        Ok(())
    }

    fn upload(&self, files: Vec<UploadFile>, replace: bool) -> io::Result<()> {
        // It changes now.
        outline::forget(&self.address, &self.options);
        self.set_phase(Phase::Running);
        let done = self.upload_files(files, replace);
        self.set_phase(if done.is_ok() { Phase::Complete } else { Phase::Failed });
        done
    }

    fn remove(&self) -> io::Result<()> {
        let (store, key) = (self.store()?, self.address.path.clone());
        self.run(async move { store.delete(&key).await })
    }

    fn undo(&self) {
        let created = self.state().created.take();
        if let Some((store, created)) = created {
            let _ = self.run_to_end(async move {
                created.remove(&store).await;
                Ok(())
            });
        }
    }

    fn abandon(&self, patience: Duration) -> bool {
        self.stop.stop();
        let running = |state: &mut State| state.phase == Phase::Running;
        let waited = self.changed.wait_timeout_while(self.state(), patience, running);
        waited.unwrap_or_else(PoisonError::into_inner).0.phase == Phase::Complete
    }
}
