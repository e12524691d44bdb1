//! URLs as a storage.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nnz_core::{Cancellation, UrlParts, without_secrets};
use nnz_storage::{EntryKind, ListedEntry, Metadata, ReadAt, Storage};

use crate::StorageOptions;
use crate::address::{Address, Service};
use crate::bridge;
use crate::client::{Client, First, Listed};
use crate::failure::Failure;
use crate::object::{Inner, Object};
use crate::shared::Shared;
use crate::spool::{LIMIT, Spool};

/// Bytes that the first request for an object asks for, and for each of several that are opened together.
const FIRST: u64 = 64 << 10;
const HEAD: u64 = 4 << 10;

/// Names of a prefix that are listed to find out that it is one, and all of those that are kept.
const FEW_NAMES: usize = 1000;
const MOST_NAMES: usize = 1 << 20;

/// Objects that are opened together.
const TOGETHER: usize = 64;

/// Names that show that a directory of a web server is a store, in the order in which they are asked for:
/// where one is there, those after it are not.
const MARKS: [&[&str]; 2] = [
    &["version"],
    &[
        "zarr.json",
        ".zmetadata",
        ".zgroup",
        ".zarray",
        "binsparse.json",
        "matrix.mtx.gz",
        "matrix.mtx",
    ],
];

/// Names that show that a directory inside a store is one of its groups or arrays.
const GROUPS: &[&str] = &["zarr.json", ".zgroup", ".zarray"];

/// Other names of files that a store may have or not, and the endings of files beside others.
const OPTIONAL: [&str; 7] = [
    ".zattrs",
    "barcodes.tsv",
    "barcodes.tsv.gz",
    "features.tsv",
    "features.tsv.gz",
    "genes.tsv",
    "genes.tsv.gz",
];
const SIDECARS: [&str; 1] = [".meta"];

/// Places that are read over a network. Paths are URLs: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`,
/// `az://CONTAINER/KEY`, `https://HOST/PATH`.
///
/// A prefix of object storage is a directory. A web server lists nothing: there a directory is what has
/// the marker of a store.
#[derive(Clone)]
pub struct RemoteStorage {
    options: Arc<StorageOptions>,
    shared: Arc<Shared>,
    /// The directory that was opened; URLs are whole where there is none.
    base: Option<(Address, Arc<Client>)>,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    /// What was found and not opened yet, or opened and kept, by path.
    found: HashMap<PathBuf, Found>,
    /// Directories that were listed completely.
    listed: HashMap<PathBuf, ()>,
}

#[derive(Clone)]
enum Found {
    Missing,
    /// No object has the name; there may be some below.
    NoObject,
    Directory,
    /// An object of a list.
    Listed(u64),
    Opened(Arc<dyn ReadAt>),
}

impl RemoteStorage {
    /// Takes everything from the environment and the files of the user.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(StorageOptions::new())
    }

    /// Takes options before what the environment says.
    #[must_use]
    pub fn with_options(options: StorageOptions) -> Self {
        Self::with_cancellation(options, Cancellation::new())
    }

    /// Takes options, and a token that ends what waits for a server.
    #[must_use]
    pub fn with_cancellation(options: StorageOptions, cancellation: Cancellation) -> Self {
        let (options, shared) = (Arc::new(options), Shared::new(cancellation));
        Self { options, shared, base: None, known: Arc::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, path: &Path, found: Found) {
        let mut known = self.known();
        if known.found.len() < MOST_NAMES {
            known.found.insert(path.to_path_buf(), found);
        }
    }

    /// Returns where a path is, and who is asked.
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
                let (len, tag, head) = (part.total, part.tag, Some(part.bytes));
                let inner = Inner::new(client, address.clone(), &self.shared, len, tag, head);
                Some(Arc::new(Object(inner)))
            }
            First::Body(body) => {
                let limit = match self.options.get("spool_limit") {
                    Some(limit) => limit.parse().map_err(|_| {
                        let what = "spool_limit has to be a number of bytes";
                        io::Error::new(io::ErrorKind::InvalidInput, what)
                    })?,
                    None => LIMIT,
                };
                let token = &self.shared.cancellation;
                Some(Arc::new(Spool::start(client, address, body, limit, token)?))
            }
            First::Page => None,
        })
    }

    /// Finds out what is at a path, and keeps what was fetched for that.
    fn find(&self, path: &Path) -> io::Result<Found> {
        let found = self.known().found.get(path).cloned();
        match found.or_else(|| self.is_listed_without(path)) {
            None | Some(Found::NoObject) => {}
            Some(found) => return Ok(found),
        }
        let (address, client) = self.locate(path)?;
        let found = match address.service {
            Service::Web => self.find_page(path, &address, &client),
            _ => self.find_object(path, &address, &client),
        };
        let found = match found {
            Err(error) if self.may_be_absent(&address, &error) => Found::Missing,
            found => found?,
        };
        self.keep(path, found.clone());
        Ok(found)
    }

    /// Finds an object; whether there are others below is not asked inside a directory.
    fn find_file(&self, path: &Path) -> io::Result<Found> {
        let found = self.known().found.get(path).cloned();
        if let Some(found) = found.or_else(|| self.is_listed_without(path)) {
            return Ok(found);
        }
        if self.base.is_none() {
            return self.find(path);
        }
        let (address, client) = self.locate(path)?;
        let (at, asked) = (address.clone(), Arc::clone(&client));
        let first = self.run(async move { asked.first(&at, FIRST).await })?;
        let found = match first {
            Ok(first) => match self.opened(&address, &client, first)? {
                Some(opened) => Found::Opened(opened),
                None => Found::NoObject,
            },
            Err(failure) if failure.is_missing() => Found::NoObject,
            Err(failure) => match io::Error::from(failure) {
                error if self.may_be_absent(&address, &error) => Found::NoObject,
                error => return Err(error),
            },
        };
        self.keep(path, found.clone());
        Ok(found)
    }

    /// Returns whether something that a server forbids is taken to be missing: who may not list gets this answer
    /// for what is not there. Of what every store has, such as chunks, it stays an error.
    fn may_be_absent(&self, address: &Address, error: &io::Error) -> bool {
        let name = address.name();
        error.kind() == io::ErrorKind::PermissionDenied
            && match self.base {
                Some(_) => {
                    OPTIONAL.contains(&name) || MARKS.iter().any(|marks| marks.contains(&name))
                }
                None => SIDECARS.iter().any(|suffix| name.ends_with(suffix)),
            }
    }

    /// Returns that nothing is at a path, where its directory was listed without it.
    fn is_listed_without(&self, path: &Path) -> Option<Found> {
        let parent = path.parent().filter(|_| self.base.is_some())?;
        self.known().listed.get(parent).map(|()| Found::Missing)
    }

    /// Asks object storage for an object and for objects below, at once.
    fn find_object(
        &self,
        path: &Path,
        address: &Address,
        client: &Arc<Client>,
    ) -> io::Result<Found> {
        let (at, asked) = (address.clone(), Arc::clone(client));
        let lists = self.run(async move {
            let (key, listing) = (at.clone(), Arc::clone(&asked));
            let list = tokio::spawn(async move { listing.list(&key, FEW_NAMES).await });
            let object = match at.path.is_empty() {
                true => Err(Failure::missing()),
                false => asked.first(&at, FIRST).await,
            };
            match object {
                Ok(first) => {
                    list.abort();
                    Ok(Ok(first))
                }
                Err(failure) => match list.await {
                    Ok(list) => Ok(Err((failure, list))),
                    Err(_) => Err(Failure::transient("the request was given up")),
                },
            }
        })??;
        let (failure, list) = match lists {
            Ok(first) => {
                let opened = self.opened(address, client, first)?;
                return Ok(opened.map_or(Found::Missing, Found::Opened));
            }
            Err(lists) => lists,
        };
        match list {
            Ok((names, complete)) if !names.is_empty() => {
                self.take_list(path, &names, complete);
                Ok(Found::Directory)
            }
            _ if failure.is_missing() => match list {
                // Whoever may not list gets no other answer for what is not there.
                Err(denied) if denied.kind != io::ErrorKind::PermissionDenied => Err(denied.into()),
                _ => Ok(Found::Missing),
            },
            _ => Err(failure.into()),
        }
    }

    /// Asks a web server for a file, and for the marks of a directory.
    fn find_page(&self, path: &Path, address: &Address, client: &Arc<Client>) -> io::Result<Found> {
        // Inside a store there are groups of one.
        let is_root = self.base.is_none();
        let (at, asked) = (address.clone(), Arc::clone(client));
        let first_marks = is_root && !has_extension_of_file(address.name());
        let found = self.run(async move {
            let marked = async |marks: &'static [&'static str]| {
                let mut tasks = Vec::new();
                for mark in marks {
                    let (Ok(at), asked) = (at.join(Path::new(mark)), Arc::clone(&asked)) else {
                        continue;
                    };
                    tasks.push(tokio::spawn(async move { (mark, asked.first(&at, HEAD).await) }));
                }
                let mut found = Vec::new();
                for task in tasks {
                    if let Ok((mark, Ok(first @ (First::Part(_) | First::Body(_))))) = task.await {
                        found.push((*mark, first));
                    }
                }
                found
            };
            let own = tokio::spawn({
                let (at, asked) = (at.clone(), Arc::clone(&asked));
                async move { asked.first(&at, FIRST).await }
            });
            let mut store = Vec::new();
            if first_marks {
                store = marked(MARKS[0]).await;
            }
            let own = own.await.map_err(|_| Failure::transient("the request was given up"))?;
            let is_file = matches!(own, Ok(First::Part(_) | First::Body(_)));
            if !is_root && !is_file {
                store = marked(GROUPS).await;
            } else if !is_file && store.is_empty() {
                if !first_marks {
                    store = marked(MARKS[0]).await;
                }
                if store.is_empty() {
                    store = marked(MARKS[1]).await;
                }
            }
            match own {
                _ if !store.is_empty() => Ok(Err(store)),
                Ok(first) => Ok(Ok(first)),
                Err(failure) => Err(failure),
            }
        })?;
        match found {
            Ok(Err(marks)) => {
                // A store is of one kind: other marks are not asked for.
                if is_root {
                    for mark in MARKS.iter().copied().flatten() {
                        self.keep(&path.join(mark), Found::Missing);
                    }
                }
                for (mark, first) in marks {
                    let address = address.join(Path::new(mark))?;
                    if let Some(opened) = self.opened(&address, client, first)? {
                        self.keep(&path.join(mark), Found::Opened(opened));
                    }
                }
                Ok(Found::Directory)
            }
            Ok(Ok(First::Page)) if is_root => {
                let what =
                    "the server answers with a page for people, and not with a file or store";
                Err(io::Error::new(io::ErrorKind::Unsupported, what))
            }
            Ok(Ok(first)) => {
                let opened = self.opened(address, client, first)?;
                Ok(opened.map_or(Found::Missing, Found::Opened))
            }
            Err(failure) if failure.is_missing() => Ok(Found::Missing),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Returns a directory as a storage.
    fn inside(&self, path: &Path, address: &Address, client: &Arc<Client>) -> Self {
        let mut below = Known::default();
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
            shared: Arc::clone(&self.shared),
            base: Some((address.clone(), Arc::clone(client))),
            known: Arc::new(Mutex::new(below)),
        }
    }

    fn take_list(&self, path: &Path, names: &[Listed], complete: bool) {
        let mut known = self.known();
        for Listed { name, len } in names {
            if known.found.len() >= MOST_NAMES {
                return;
            }
            let found = len.map_or(Found::Directory, Found::Listed);
            let entry = known.found.entry(path.join(name)).or_insert(Found::Missing);
            if matches!(entry, Found::Missing | Found::NoObject) {
                *entry = found;
            }
        }
        if complete {
            known.listed.insert(path.to_path_buf(), ());
        }
    }

    /// Opens an object that was listed: nothing is asked for.
    fn open_listed(&self, path: &Path, len: u64) -> io::Result<Arc<Object>> {
        let (address, client) = self.locate(path)?;
        let object = Object(Inner::new(&client, address, &self.shared, len, None, None));
        let object = Arc::new(object);
        self.keep(path, Found::Opened(Arc::clone(&object) as _));
        Ok(object)
    }
}

/// Returns whether a name looks like that of a file, not of a store of several.
fn has_extension_of_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| !["zarr", "bpcells", "bsp"].contains(&extension.as_str()))
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
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let directory = Metadata { kind: EntryKind::Directory, len: 0 };
        if self.base.is_some() && path.as_os_str().is_empty() {
            return Ok(directory);
        }
        match self.find(path)? {
            Found::Missing | Found::NoObject => Err(Failure::missing().into()),
            Found::Directory => Ok(directory),
            Found::Listed(len) => Ok(Metadata { kind: EntryKind::File, len }),
            Found::Opened(file) => Ok(Metadata { kind: EntryKind::File, len: file.len() }),
        }
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        let found = self.find_file(path)?;
        if self.base.is_none() {
            // Opening it again asks again.
            self.known().found.remove(path);
        }
        match found {
            Found::Missing | Found::NoObject => Err(Failure::missing().into()),
            Found::Directory => {
                let what = "it is no object, but there are objects below it";
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
            Found::Listed(len) => Ok(self.open_listed(path, len)?),
            Found::Opened(file) => Ok(file),
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
            Found::Missing | Found::NoObject => Err(Failure::missing().into()),
            Found::Directory => {
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
        let entry = |name: &Path, found: &Found| {
            let kind = match found {
                Found::Missing | Found::NoObject => return None,
                Found::Directory => EntryKind::Directory,
                Found::Listed(_) | Found::Opened(_) => EntryKind::File,
            };
            Some(ListedEntry { name: name.as_os_str().to_owned(), kind })
        };
        let known = self.known();
        if known.listed.contains_key(path) {
            let inside = |(at, found): (&PathBuf, &Found)| {
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
        let (address, client) = self.locate(path)?;
        let (names, complete) =
            self.run(async move { client.list(&address, MOST_NAMES).await })??;
        if names.is_empty() {
            return Err(Failure::missing().into());
        }
        self.take_list(path, &names, complete);
        for Listed { name, len } in names {
            let kind = if len.is_some() { EntryKind::File } else { EntryKind::Directory };
            if !each(ListedEntry { name: name.into(), kind })? {
                break;
            }
        }
        Ok(())
    }

    fn shown(&self, path: &Path) -> PathBuf {
        without_secrets(path).into_owned()
    }

    fn sidecar(&self, path: &Path, suffix: &str) -> PathBuf {
        // Before the query. What is not UTF-8 is no URL.
        let Some(text) = path.to_str() else { return path.to_path_buf() };
        let query = UrlParts::of(path.as_os_str()).map_or(0, |parts| parts.query.len());
        let (before, query) = text.split_at(text.len() - query);
        PathBuf::from(format!("{before}{suffix}{query}"))
    }

    fn has_latency(&self) -> bool {
        true
    }

    fn remember(&self, files: Vec<(PathBuf, Option<Vec<u8>>)>) {
        let mut known = self.known();
        for (path, text) in files {
            if known.found.len() >= MOST_NAMES {
                return;
            }
            let Some(text) = text else {
                known.found.entry(path).or_insert(Found::NoObject);
                continue;
            };
            for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
                known.found.entry(above.to_path_buf()).or_insert(Found::Directory);
            }
            known.found.entry(path).or_insert_with(|| Found::Opened(Arc::new(Text(text))));
        }
    }

    fn will_open(&self, paths: &[PathBuf]) {
        let mut asked = Vec::new();
        for path in paths {
            let found = self.known().found.get(path).cloned();
            match found.or_else(|| self.is_listed_without(path)) {
                Some(Found::Listed(len)) if len > 0 => {
                    if let Ok(object) = self.open_listed(path, len) {
                        object.will_read(0..HEAD);
                    }
                }
                Some(_) => {}
                None => asked.extend(self.locate(path).ok().map(|at| (path.clone(), at))),
            }
        }
        // What fails here fails when it is opened.
        for some in asked.chunks(TOGETHER) {
            let some = some.to_vec();
            let answers = self.run(async move {
                let ask = |(path, (address, client)): (PathBuf, (Address, Arc<Client>))| {
                    tokio::spawn(async move {
                        let first = client.first(&address, HEAD).await;
                        (path, address, client, first)
                    })
                };
                let tasks: Vec<_> = some.into_iter().map(ask).collect();
                let mut answers = Vec::new();
                for task in tasks {
                    answers.extend(task.await);
                }
                answers
            });
            for (path, address, client, first) in answers.unwrap_or_default() {
                match first {
                    Ok(first) => {
                        let opened = self.opened(&address, &client, first);
                        if let Ok(opened) = opened {
                            self.keep(&path, opened.map_or(Found::NoObject, Found::Opened));
                        }
                    }
                    Err(failure) if failure.is_missing() => self.keep(&path, Found::NoObject),
                    Err(_) => {}
                }
            }
        }
    }
}

/// A small file that is in memory.
#[derive(Debug)]
struct Text(Vec<u8>);

impl ReadAt for Text {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let part = self.0.get(at..).unwrap_or_default();
        let count = part.len().min(out.len());
        out[..count].copy_from_slice(&part[..count]);
        Ok(count)
    }
}

/// An object that is read from its start to its end.
#[derive(Debug)]
struct Stream {
    file: Arc<dyn ReadAt>,
    position: u64,
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(out, self.position)?;
        self.position = self.position.saturating_add(count as u64);
        Ok(count)
    }
}
