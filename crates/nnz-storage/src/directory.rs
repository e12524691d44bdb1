//! An opened directory with its path.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, Place, Result};

use crate::storage::found;
use crate::{EntryKind, InputFile, ListedEntry, Metadata, Storage, TaskContext};

/// Maximum numbers of names and open files that are kept, and of bytes of small files.
const MAX_NAMES: usize = 4096;
const MAX_FILES: usize = 64;
const MAX_BYTES: usize = 16 << 20;

/// An opened directory, or a subdirectory of it, which is passed on to readers.
///
/// Files are opened in this directory even if another one takes its path. Clones share
/// listings and what was read with [`read_metadata`](Self::read_metadata).
#[derive(Clone)]
pub struct InputDirectory {
    root: Arc<Root>,
    /// The path in the opened directory; empty for the directory itself.
    key: PathBuf,
    /// The path in messages.
    path: PathBuf,
}

struct Root {
    /// The same with the directory as its storage.
    within: TaskContext,
    /// The context in which the directory was opened, and its path there.
    context: TaskContext,
    path: PathBuf,
    shown: PathBuf,
    /// Whether it is the root of an archive.
    archive: bool,
    cache: Mutex<DirectoryCache>,
}

/// Cached listings, open files and file contents of the directory and its subdirectories.
#[derive(Default)]
struct DirectoryCache {
    /// Directories with few enough entries to keep all names.
    listed: BTreeMap<PathBuf, Arc<BTreeMap<OsString, EntryKind>>>,
    /// Directories that cannot be listed or have more entries.
    unlisted: BTreeSet<PathBuf>,
    names: usize,
    /// Open files, by path.
    files: BTreeMap<PathBuf, InputFile>,
    /// Contents of small files, by path; `None` for missing ones.
    texts: BTreeMap<PathBuf, Option<Arc<[u8]>>>,
    bytes: usize,
}

impl InputDirectory {
    /// Opens a directory of the file system.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist.
    pub fn open(path: &Path) -> Result<Self> {
        let context = TaskContext::default();
        let root =
            context.storage().open_directory(path).map_err(|error| Error::io(path, error))?;
        Ok(Self::new(root, context, path.to_path_buf(), path.to_path_buf()))
    }

    /// Returns a folder of an archive whose files are a storage. It need not exist. Messages use `x.tar::inside`.
    #[must_use]
    pub fn in_archive(context: &TaskContext, archive: &Path, inside: &Path) -> Self {
        let (context, shown) = (context.clone(), archive.to_path_buf());
        let (path, cache) = (PathBuf::new(), Mutex::default());
        let within = context.clone();
        let root = Arc::new(Root { within, context, path, shown, archive: true, cache });
        Self { root, key: PathBuf::new(), path: archive.to_path_buf() }.inside(inside)
    }

    pub(crate) fn new(
        storage: Arc<dyn Storage>,
        context: TaskContext,
        path: PathBuf,
        shown: PathBuf,
    ) -> Self {
        let within = context.clone().with_storage(storage);
        let cache = Mutex::default();
        let (archive, shown_path) = (false, shown.clone());
        let root = Arc::new(Root { within, context, path, shown: shown_path, archive, cache });
        Self { root, key: PathBuf::new(), path: shown }
    }

    /// Returns the path in messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the context in which the directory was opened.
    #[must_use]
    pub fn context(&self) -> &TaskContext {
        &self.root.context
    }

    /// Returns the location for messages.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::path(self.path())
    }

    /// Returns a subdirectory, which need not exist.
    #[must_use]
    pub fn inside(&self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        if path.as_os_str().is_empty() {
            return self.clone();
        }
        let (root, key) = (Arc::clone(&self.root), self.key.join(path));
        Self { root, key, path: self.shown(path) }
    }

    /// Opens a subdirectory on its own: files are opened in that directory even if another one takes
    /// its path.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist.
    pub fn open_inside(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        if path.as_os_str().is_empty() {
            return Ok(self.clone());
        }
        let Root { within, context, path: root, .. } = &*self.root;
        let opened = within.storage().open_directory(&self.key.join(path))?;
        let key = root.join(&self.key).join(path);
        Ok(Self::new(opened, context.clone(), key, self.shown(path)))
    }

    /// Opens the directory that has this path now.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory.
    pub fn reopen(&self) -> Result<Self> {
        let Root { context, path, shown, .. } = &*self.root;
        let root =
            context.storage().open_directory(path).map_err(|error| Error::io(path, error))?;
        Ok(Self::new(root, context.clone(), path.clone(), shown.clone()).inside(&self.key))
    }

    /// Opens the file next to the opened directory that has the name of the directory with a
    /// suffix; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails as [`InputFile::sidecar`].
    pub fn sidecar(&self, suffix: &str) -> Result<Option<InputFile>> {
        let Root { context, path, shown, .. } = &*self.root;
        InputFile::sidecar_of(context, path, shown, suffix)
    }

    /// Takes small files in it that were found out another way, names that are not there (`None`), and directories
    /// with nothing else in them, so that nothing is asked for them where look-ups have a latency.
    pub fn remember(
        &self,
        files: impl IntoIterator<Item = (PathBuf, Option<Vec<u8>>)>,
        directories: impl IntoIterator<Item = PathBuf>,
    ) {
        let files = files.into_iter().map(|(name, text)| (self.key.join(name), text)).collect();
        let directories = directories.into_iter().map(|name| self.key.join(name)).collect();
        self.root.within.storage().remember(files, directories);
    }

    /// Returns whether each look-up has a latency.
    #[must_use]
    pub fn has_latency(&self) -> bool {
        self.root.within.storage().has_latency()
    }

    /// Announces that files in it, as far as they exist, will be opened soon, and a range of each will be read.
    pub fn will_open<P: AsRef<Path>>(&self, files: impl IntoIterator<Item = (P, Range<u64>)>) {
        let files = files.into_iter().map(|(name, range)| (self.key.join(name.as_ref()), range));
        let files: Vec<_> = files.collect();
        self.root.within.storage().will_open(&files);
    }

    /// Returns whether the path has been taken by another directory, so that files may be missing.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.root.within.storage().is_replaced()
    }

    /// Returns the metadata of a path in it, following links.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if it does not exist.
    pub fn metadata(&self, path: impl AsRef<Path>) -> io::Result<Metadata> {
        let path = path.as_ref();
        if self.is_known_missing(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.root.within.storage().metadata(&self.key.join(path))
    }

    /// Returns the kind of a path in it, without following links.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if it does not exist.
    pub fn kind(&self, path: impl AsRef<Path>) -> io::Result<EntryKind> {
        self.root.within.storage().kind(&self.key.join(path))
    }

    /// Returns whether a path in it exists.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn exists(&self, path: impl AsRef<Path>) -> Result<bool> {
        Ok(self.find(path.as_ref())?.is_some())
    }

    /// Returns whether a path in it is a regular file, or a link to one.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn is_file(&self, path: impl AsRef<Path>) -> Result<bool> {
        let path = path.as_ref();
        let cached = single(path).and_then(|name| self.cached_kind(name));
        Ok(match cached {
            Some(Some(EntryKind::File)) => true,
            Some(None | Some(EntryKind::Directory | EntryKind::Special)) => false,
            _ => self.find(path)?.is_some_and(|found| found.kind == EntryKind::File),
        })
    }

    /// Returns whether a path in it is a directory, or a link to one.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn is_directory(&self, path: impl AsRef<Path>) -> Result<bool> {
        let found = self.find(path.as_ref())?;
        Ok(found.is_some_and(|found| found.kind == EntryKind::Directory))
    }

    /// Returns the metadata of a path in it; `None` if it does not exist.
    fn find(&self, path: &Path) -> Result<Option<Metadata>> {
        found(self.metadata(path)).map_err(|error| Error::io(&self.shown(path), error))
    }

    /// Opens a file in it; `None` if it does not exist. A limited number of files is kept open, so
    /// that requesting a file again does not open it again.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file, or cannot be read.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<Option<InputFile>> {
        let path = path.as_ref();
        let key = self.key.join(path);
        if let Some(file) = self.lock().files.get(&key) {
            return Ok(Some(file.clone()));
        }
        let file = self.open_file(path)?;
        if let Some(file) = &file {
            let mut cache = self.lock();
            if cache.files.len() < MAX_FILES {
                cache.files.insert(key, file.clone());
            }
        }
        Ok(file)
    }

    /// Opens a file in it without keeping it open; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails as [`file`](Self::file).
    pub fn open_file(&self, path: impl AsRef<Path>) -> Result<Option<InputFile>> {
        let path = path.as_ref();
        if self.is_known_missing(path) {
            return Ok(None);
        }
        let name = self.shown(path);
        InputFile::in_context(&self.root.within, self.key.join(path), name)
    }

    /// Reads a small file in it, once; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it is not a regular file, has more than `most` bytes, or cannot be read.
    pub fn read_metadata(&self, path: impl AsRef<Path>, most: u64) -> Result<Option<Arc<[u8]>>> {
        let path = path.as_ref();
        let full = self.key.join(path);
        if let Some(text) = self.lock().texts.get(&full) {
            return Ok(text.clone());
        }
        let file = self.open_file(path)?;
        let text = file.map(|file| file.read_all(most)).transpose()?.map(Arc::<[u8]>::from);
        let bytes = text.as_ref().map_or(0, |text| text.len()) + full.as_os_str().len();
        let mut cache = self.lock();
        if cache.bytes.saturating_add(bytes) <= MAX_BYTES {
            cache.bytes += bytes;
            cache.texts.insert(full, text.clone());
        }
        Ok(text)
    }

    /// Returns the names and kinds of its entries, except the files that macOS adds, without following links; `None` if there are too
    /// many to keep, if the directory does not exist, or if it can be searched but not listed.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be listed for another reason.
    pub fn names(&self) -> Result<Option<Arc<BTreeMap<OsString, EntryKind>>>> {
        let cache = self.lock();
        if cache.unlisted.contains(&self.key) {
            return Ok(None);
        }
        if let Some(names) = cache.listed.get(&self.key) {
            return Ok(Some(Arc::clone(names)));
        }
        drop(cache);
        let mut names = BTreeMap::new();
        let mut complete = true;
        let listed = self.root.within.storage().list(&self.key, &mut |entry| {
            if is_of_macos(&entry.name) {
                return Ok(true);
            }
            complete = names.len() < MAX_NAMES;
            names.insert(entry.name, entry.kind);
            Ok(complete)
        });
        let listed = match listed {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
            listed => found(listed).map_err(|error| Error::io(&self.path, error))?,
        };
        let mut cache = self.lock();
        if listed.is_none() || !complete || cache.names > 16 * MAX_NAMES {
            cache.unlisted.insert(self.key.clone());
            return Ok(None);
        }
        cache.names += names.len();
        let names = Arc::new(names);
        cache.listed.insert(self.key.clone(), Arc::clone(&names));
        Ok(Some(names))
    }

    /// Calls `each` with the entries, except the files that macOS adds, in any order, until it returns false.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be listed, or `each` fails.
    pub fn for_each(&self, each: &mut dyn FnMut(&ListedEntry) -> Result<bool>) -> Result<()> {
        if let Some(names) = self.names()? {
            for (name, &kind) in &*names {
                if !each(&ListedEntry { name: name.clone(), kind })? {
                    break;
                }
            }
            return Ok(());
        }
        let mut failed = None;
        let listed = self.root.within.storage().list(&self.key, &mut |entry| {
            if is_of_macos(&entry.name) {
                return Ok(true);
            }
            each(&entry).or_else(|error| {
                failed = Some(error);
                Ok(false)
            })
        });
        match failed {
            Some(error) => Err(error),
            None => listed.map_err(|error| Error::io(&self.path, error)),
        }
    }

    /// Calls `each` with the name and length of all files in it, in any order; not at all if it
    /// does not exist.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be listed.
    pub fn for_each_file(&self, each: &mut dyn FnMut(&OsStr, u64)) -> io::Result<()> {
        let storage = self.root.within.storage();
        let listed = storage.list(&self.key, &mut |entry| {
            if entry.kind == EntryKind::File {
                each(&entry.name, storage.metadata(&self.key.join(&entry.name))?.len);
            }
            Ok(true)
        });
        match listed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            listed => listed,
        }
    }

    /// Returns a path in it for messages. The files of an archive are `x.tar::NAME`.
    fn shown(&self, path: &Path) -> PathBuf {
        if !self.root.archive || !self.key.as_os_str().is_empty() {
            return self.path.join(path);
        }
        let mut shown = self.path.as_os_str().to_owned();
        shown.push("::");
        shown.push(path);
        shown.into()
    }

    /// Returns whether the directory was listed and does not have this name.
    fn is_known_missing(&self, path: &Path) -> bool {
        single(path).and_then(|name| self.cached_kind(name)) == Some(None)
    }

    /// Returns the cached kind of an entry; `None` if the directory was not listed.
    fn cached_kind(&self, name: &OsStr) -> Option<Option<EntryKind>> {
        let cache = self.lock();
        cache.listed.get(&self.key).map(|names| names.get(name).copied())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, DirectoryCache> {
        self.root.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether macOS adds files of this name to directories: they are no members.
fn is_of_macos(name: &OsStr) -> bool {
    name == ".DS_Store" || name.as_encoded_bytes().starts_with(b"._")
}

/// Returns the only component of a path; `None` if it has several.
fn single(path: &Path) -> Option<&OsStr> {
    path.file_name().filter(|name| path.as_os_str() == *name)
}

impl fmt::Debug for InputDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputDirectory").field("path", &self.path).finish_non_exhaustive()
    }
}
