//! URLs as a storage.

mod ahead;
mod find;
mod known;
mod text;

use nnz_storage::TaskContext;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use nnz_core::{Cancellation, UrlParts, without_secrets};
use nnz_storage::staging::UrlOutput;
use nnz_storage::{EntryKind, ListedEntry, Metadata, ReadAt, Storage};

use self::known::{FileCache, MOST_NAMES, PathState};
use self::text::Stream;
use crate::address::Address;
use crate::bridge;
use crate::client::{Client, First, ListEntry};
use crate::failure::Failure;
use crate::object::{Inner, Object};
use crate::shared::Shared;
use crate::spool::{LIMIT, Spool};
use crate::upload::Upload;
use crate::{StorageOptions, StoreFiles};

/// A storage whose paths are URLs: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`,
/// `az://CONTAINER/KEY`, `https://HOST/PATH`.
///
/// A prefix of object storage is a directory. Web servers do not list directories: a URL is a directory if it
/// contains a file that marks a store.
#[derive(Clone)]
pub struct RemoteStorage {
    options: Arc<StorageOptions>,
    files: StoreFiles,
    shared: Arc<Shared>,
    /// The directory that was opened; URLs are whole where there is none.
    base: Option<(Address, Arc<Client>)>,
    known: Arc<Mutex<FileCache>>,
}

impl RemoteStorage {
    /// Uses the environment and the configuration files of the user.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(StorageOptions::new())
    }

    /// Uses options, which override the environment.
    #[must_use]
    pub fn with_options(options: StorageOptions) -> Self {
        let temporary = TaskContext::default().temporary_directory();
        let shared = Shared::new(Cancellation::new(), temporary);
        let (files, known) = (StoreFiles::default(), Arc::default());
        Self { options: Arc::new(options), files, shared, base: None, known }
    }

    /// Sets the names of files by which directories of web servers are recognized.
    #[must_use]
    pub fn with_store_files(mut self, files: StoreFiles) -> Self {
        self.files = files;
        self
    }

    /// Returns the address of a path, and the client for it.
    fn locate(&self, path: &Path) -> io::Result<(Address, Arc<Client>)> {
        match &self.base {
            Some((base, client)) if !nnz_core::is_url(path) => {
                Ok((base.join(path)?, Arc::clone(client)))
            }
            _ => {
                let address = Address::parse(path)?;
                let client = Client::of(&address, &self.options)?;
                Ok((address, client))
            }
        }
    }

    fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> io::Result<T> {
        bridge::run(&self.shared.cancellation, task)
    }

    /// Takes the first answer for an object.
    fn opened(
        &self,
        address: &Address,
        client: &Arc<Client>,
        first: First,
    ) -> io::Result<Option<Arc<dyn ReadAt>>> {
        Ok(match first {
            First::Part(part) => {
                let inner = Inner::new(client, address.clone(), &self.shared, part.total);
                inner.take_first(part, false);
                Some(Arc::new(Object(inner)))
            }
            First::Body(body) => {
                let limit = match self.options.get("spool_limit") {
                    Some(limit) => limit.parse().map_err(|_| {
                        let what = "spool_limit must be a number of bytes";
                        io::Error::new(io::ErrorKind::InvalidInput, what)
                    })?,
                    None => LIMIT,
                };
                Some(Arc::new(Spool::start(client, address, body, limit, &self.shared)?))
            }
            First::Page => None,
        })
    }

    /// Returns a directory as a storage.
    fn inside(&self, path: &Path, address: &Address, client: &Arc<Client>) -> Self {
        let mut below = FileCache::default();
        let known = self.known();
        for (at, found) in &known.found {
            if let Ok(name) = at.strip_prefix(path)
                && !name.as_os_str().is_empty()
            {
                below.found.insert(name.to_path_buf(), found.clone());
            }
        }
        for at in known.listed.keys() {
            if let Ok(name) = at.strip_prefix(path) {
                below.listed.insert(name.to_path_buf(), ());
            }
        }
        drop(known);
        Self {
            options: Arc::clone(&self.options),
            files: self.files,
            shared: Arc::clone(&self.shared),
            base: Some((address.clone(), Arc::clone(client))),
            known: Arc::new(Mutex::new(below)),
        }
    }

    /// Opens an object that was listed, without a request.
    fn open_listed(&self, path: &Path, len: u64) -> io::Result<Arc<Object>> {
        let (address, client) = self.locate(path)?;
        let object = Object(Inner::new(&client, address, &self.shared, len));
        let object = Arc::new(object);
        self.keep(path, PathState::Opened(Arc::clone(&object) as _));
        Ok(object)
    }
}

impl Default for RemoteStorage {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RemoteStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.base.as_ref().map(|(base, _)| base);
        f.debug_struct("RemoteStorage").field("base", &base).finish_non_exhaustive()
    }
}

impl Storage for RemoteStorage {
    /// Writes to object storage, not to web servers.
    fn output(&self, url: &Path, is_directory: bool) -> io::Result<Option<Arc<dyn UrlOutput>>> {
        let token = &self.shared.cancellation;
        let upload = Upload::new(url, &self.options, self.files, token, is_directory)?;
        Ok(Some(Arc::new(upload)))
    }

    /// Information about files is shared only if operations are members of the same token.
    fn in_context(&self, context: &TaskContext) -> Option<Arc<dyn Storage>> {
        let (token, temporary) = (context.cancellation(), context.temporary_directory());
        let is_same = token.is_none_or(|token| token.is_member_of(&self.shared.cancellation));
        if is_same && temporary == self.shared.temporary {
            return None;
        }
        let token = token.unwrap_or(&self.shared.cancellation).clone();
        let shared = Shared::new(token, temporary);
        Some(Arc::new(Self { shared, known: Arc::default(), ..self.clone() }))
    }

    fn restarted(&self) -> Option<Arc<dyn Storage>> {
        Some(Arc::new(Self { known: Arc::default(), ..self.clone() }))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let directory = Metadata::new(EntryKind::Directory, 0);
        if self.base.is_some() && path.as_os_str().is_empty() {
            return Ok(directory);
        }
        match self.find(path)? {
            PathState::Missing | PathState::NoObject => Err(Failure::missing().into()),
            PathState::Directory => Ok(directory),
            PathState::Listed(len) => Ok(Metadata::new(EntryKind::File, len)),
            PathState::Opened(file) => Ok(Metadata::new(EntryKind::File, file.len())),
        }
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        let found = self.find_file(path)?;
        self.pump();
        if self.base.is_none() {
            // Opening it again asks again.
            self.known().found.remove(path);
        }
        match found {
            PathState::Missing | PathState::NoObject => Err(Failure::missing().into()),
            PathState::Directory => {
                let what = "a prefix, not an object";
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
            PathState::Listed(len) => Ok(self.open_listed(path, len)?),
            PathState::Opened(file) => Ok(file),
        }
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let file = self.open(path)?;
        Ok(Box::new(Stream { file, position: 0 }))
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        if self.base.is_some() && path.as_os_str().is_empty() {
            return Ok(Arc::new(self.clone()));
        }
        match self.find(path)? {
            PathState::Missing | PathState::NoObject => Err(Failure::missing().into()),
            PathState::Directory => {
                let (address, client) = self.locate(path)?;
                let opened = self.inside(path, &address, &client);
                if self.base.is_none() {
                    // Opening it again asks again.
                    self.known().found.retain(|at, _| !at.starts_with(path));
                    self.known().listed.retain(|at, ()| !at.starts_with(path));
                }
                Ok(Arc::new(opened))
            }
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        let entry = |name: &Path, found: &PathState| {
            let kind = match found {
                PathState::Missing | PathState::NoObject => return None,
                PathState::Directory => EntryKind::Directory,
                PathState::Listed(_) | PathState::Opened(_) => EntryKind::File,
            };
            Some(ListedEntry::new(name.as_os_str(), kind))
        };
        let known = self.known();
        if known.listed.contains_key(path) {
            let inside = |(at, found): (&PathBuf, &PathState)| {
                let name = at.strip_prefix(path).ok()?;
                (name.components().count() == 1).then(|| entry(name, found))?
            };
            let entries: Vec<_> = known.found.iter().filter_map(inside).collect();
            drop(known);
            for entry in entries {
                if !each(entry)? {
                    break;
                }
            }
            return Ok(());
        }
        drop(known);
        let list = || {
            let (address, client) = self.locate(path)?;
            let asked = Arc::clone(&client);
            let found = self.run(async move { asked.list(&address, MOST_NAMES).await })?;
            Ok::<_, io::Error>((found, client.is_elsewhere()))
        };
        let (names, complete) = match list()? {
            (Err(_), true) => list()?.0?,
            (found, _) => found?,
        };
        if names.is_empty() {
            return Err(Failure::missing().into());
        }
        self.take_list(path, &names, complete);
        for ListEntry { name, len } in names {
            let kind = if len.is_some() { EntryKind::File } else { EntryKind::Directory };
            if !each(ListedEntry::new(name, kind))? {
                break;
            }
        }
        Ok(())
    }

    fn shown(&self, path: &Path) -> PathBuf {
        without_secrets(path).into_owned()
    }

    fn sidecar(&self, path: &Path, suffix: &str) -> PathBuf {
        // Before the query. A path that is not UTF-8 is not a URL.
        let Some(text) = path.to_str() else { return path.to_path_buf() };
        let query = UrlParts::of(path.as_os_str()).map_or(0, |parts| parts.query.len());
        let (before, query) = text.split_at(text.len() - query);
        PathBuf::from(format!("{before}{suffix}{query}"))
    }

    fn has_latency(&self) -> bool {
        true
    }

    fn remember(&self, files: Vec<(PathBuf, Option<Vec<u8>>)>, directories: Vec<PathBuf>) {
        self.take_files(files, directories);
    }

    fn will_open(&self, files: &[(PathBuf, Range<u64>)]) {
        self.open_ahead(files);
    }
}
