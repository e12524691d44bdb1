//! Files that are opened ahead of their readers: many at once, as far as there is memory for what is fetched of
//! them.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};

use nnz_core::Cancellation;

use super::RemoteStorage;
use super::known::{FileCache, PathState};
use crate::address::Address;
use crate::bridge;
use crate::client::{Client, First, ObjectPart};
use crate::failure::Failure;
use crate::object::{Inner, Object};
use crate::shared::Shared;
use crate::{StorageOptions, StoreFiles};

/// Files that are announced: more are opened when they are read.
const MOST: usize = 1 << 16;

/// Most bytes of a file that are fetched ahead.
const MOST_BYTES: u64 = 8 << 20;

impl RemoteStorage {
    /// Announces that ranges of files will be read.
    pub(super) fn open_ahead(&self, files: &[(PathBuf, Range<u64>)]) {
        let mut listed = Vec::new();
        let mut opened = Vec::new();
        let mut known = self.known();
        for (path, range) in files {
            let most = range.start.saturating_add(MOST_BYTES);
            let range = range.start..range.end.clamp(range.start.saturating_add(1), most);
            match known.found.get(path) {
                Some(PathState::Listed(len)) if *len > 0 => listed.push((path, *len, range)),
                Some(PathState::Opened(file)) => opened.push((Arc::clone(file), range)),
                None if known.announced.len() < MOST && !self.is_outside(&known, path) => {
                    known.announced.push_back((path.clone(), range));
                }
                _ => {}
            }
        }
        drop(known);
        for (path, len, range) in listed {
            // A file that cannot be opened is an error when it is read.
            if let Ok(object) = self.open_listed(path, len) {
                opened.push((object, range));
            }
        }
        for (file, range) in opened {
            let end = range.end.min(file.len());
            file.will_read(range.start.min(end)..end);
        }
        self.pump();
    }

    /// Returns whether a path is known to be missing, or is requested already.
    fn is_outside(&self, known: &FileCache, path: &Path) -> bool {
        let parent = path.parent().filter(|_| self.base.is_some());
        parent.is_some_and(|parent| known.listed.contains_key(parent))
            || known.opening.contains_key(path)
    }

    /// Returns what is known of a path, after waiting for its request.
    pub(super) fn look(&self, path: &Path) -> io::Result<Option<PathState>> {
        let opening = self.known().opening.get(path).cloned();
        if let Some(opening) = opening {
            opening.wait(&self.shared.cancellation)?;
        }
        let found = self.known().found.get(path).cloned();
        Ok(found.or_else(|| self.is_listed_without(path)))
    }

    /// Takes a file from those that were announced, and returns the range of it that is wanted.
    pub(super) fn take_announced(&self, path: &Path) -> Option<Range<u64>> {
        let mut known = self.known();
        let at = known.announced.iter().position(|(announced, _)| announced == path)?;
        known.announced.remove(at).map(|(_, range)| range)
    }

    /// Requests announced files, as long as there is memory for them.
    pub(super) fn pump(&self) {
        while let Some(asking) = self.next_ahead() {
            // Without a thread for requests, dropping it reports that to waiting readers.
            if let Ok(requests) = bridge::handle() {
                drop(requests.spawn(asking.run()));
            }
        }
    }

    fn next_ahead(&self) -> Option<OpenRequest> {
        let mut known = self.known();
        loop {
            let range = &known.announced.front()?.1;
            let len = range.end - range.start;
            if !self.shared.take_ahead(len) {
                return None;
            }
            let (path, range) = known.announced.pop_front()?;
            let located = match known.found.contains_key(&path) || known.opening.contains_key(&path)
            {
                true => None,
                false => self.locate(&path).ok(),
            };
            let Some((address, client)) = located else {
                self.shared.release_ahead(len);
                continue;
            };
            let opening = Arc::new(Opening::default());
            known.opening.insert(path.clone(), Arc::clone(&opening));
            let storage = WeakStorage {
                options: Arc::clone(&self.options),
                files: self.files,
                shared: Arc::clone(&self.shared),
                base: self.base.clone(),
                known: Arc::downgrade(&self.known),
            };
            return Some(OpenRequest {
                storage,
                path,
                address,
                client,
                range,
                opening,
                done: false,
            });
        }
    }
}

/// A storage that is dropped although requests for it run.
struct WeakStorage {
    options: Arc<StorageOptions>,
    files: StoreFiles,
    shared: Arc<Shared>,
    base: Option<(Address, Arc<Client>)>,
    known: Weak<Mutex<FileCache>>,
}

impl WeakStorage {
    fn upgrade(&self) -> Option<RemoteStorage> {
        Some(RemoteStorage {
            options: Arc::clone(&self.options),
            files: self.files,
            shared: Arc::clone(&self.shared),
            base: self.base.clone(),
            known: self.known.upgrade()?,
        })
    }
}

/// A request that a reader may wait for.
#[derive(Debug, Default)]
pub(super) struct Opening {
    /// Set at the end, with an error unless the storage knows more now.
    end: Mutex<Option<Result<(), Failure>>>,
    ended: Condvar,
}

impl Opening {
    fn wait(&self, cancellation: &Cancellation) -> io::Result<()> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(end) = &*end {
                return end.clone().map_err(io::Error::from);
            }
            let waited = self.ended.wait_timeout(end, bridge::TICK);
            end = waited.unwrap_or_else(PoisonError::into_inner).0;
            if cancellation.is_cancelled() {
                return Err(bridge::cancelled());
            }
        }
    }
}

/// A file that is requested.
struct OpenRequest {
    storage: WeakStorage,
    path: PathBuf,
    address: Address,
    client: Arc<Client>,
    /// The bytes that are requested, for which there is memory.
    range: Range<u64>,
    opening: Arc<Opening>,
    done: bool,
}

impl OpenRequest {
    async fn run(mut self) {
        let (shared, range) = (Arc::clone(&self.storage.shared), self.range.clone());
        let len = range.end - range.start;
        if self.storage.known.strong_count() == 0 {
            return;
        }
        let first = shared.limited(len, self.client.first(&self.address, range)).await;
        let (found, end, kept) = match first {
            Ok(First::Part(part)) => {
                let kept = part.bytes.len() as u64;
                (Some(self.opened(part)), Ok(()), kept)
            }
            // A copy of what comes without ranges is made by its reader.
            Ok(First::Body(_)) => (None, Ok(()), 0),
            Ok(First::Page) => (Some(PathState::NoObject), Ok(()), 0),
            Err(failure) if failure.is_missing() => (Some(PathState::NoObject), Ok(()), 0),
            Err(failure) => match self.storage.upgrade() {
                Some(storage) if storage.may_be_absent(&self.address, failure.kind) => {
                    (Some(PathState::NoObject), Ok(()), 0)
                }
                _ => (None, Err(failure), 0),
            },
        };
        shared.release_ahead(len.saturating_sub(kept));
        self.finish(found, end);
        if let Some(storage) = self.storage.upgrade() {
            storage.pump();
        }
    }

    /// Makes an object of a part of it, which counts as fetched ahead until it is read.
    fn opened(&self, part: ObjectPart) -> PathState {
        let (client, shared) = (&self.client, &self.storage.shared);
        let inner = Inner::new(client, self.address.clone(), shared, part.total);
        inner.take_first(part, true);
        PathState::Opened(Arc::new(Object(inner)))
    }

    fn finish(&mut self, found: Option<PathState>, end: Result<(), Failure>) {
        self.done = true;
        if let Some(storage) = self.storage.upgrade() {
            let mut known = storage.known();
            known.opening.remove(&self.path);
            if let Some(found) = found {
                known.found.insert(self.path.clone(), found);
            }
        }
        *self.opening.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        self.opening.ended.notify_all();
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if !self.done {
            self.storage.shared.release_ahead(self.range.end - self.range.start);
            self.finish(None, Err(Failure::transient("the request ended without a response")));
        }
    }
}
