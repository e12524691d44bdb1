//! Traits for reading files and directories.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::staging::UrlOutput;
use crate::{Mapped, TaskContext};

/// Converts errors to `None` if the path does not exist or is a broken link.
pub(crate) fn found<T>(asked: io::Result<T>) -> io::Result<Option<T>> {
    match asked {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ if crate::system::is_link_loop(&error) => Ok(None),
            _ => Err(error),
        },
    }
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file, which can be read at any position.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; only in listings.
    Link,
    /// Something else, such as a pipe or a device, which can be read once.
    Special,
}

/// Metadata of a path, following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// The kind.
    pub kind: EntryKind,
    /// The length of a file in bytes.
    pub len: u64,
}

impl Metadata {
    /// Describes an entry of a kind; only files have a length.
    #[must_use]
    pub const fn new(kind: EntryKind, len: u64) -> Self {
        Self { kind, len }
    }
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedEntry {
    /// The name in the directory.
    pub name: OsString,
    /// The kind, without following links.
    pub kind: EntryKind,
}

impl ListedEntry {
    /// Describes an entry of a name and kind.
    #[must_use]
    pub fn new(name: impl Into<OsString>, kind: EntryKind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// The state of a file: equal as long as the file is not changed or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(String);

impl Identity {
    /// Creates an identity from a text that the storage uses to identify states, such as an entity
    /// tag.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Files and directories that can be read.
///
/// Relative paths start at the root of the storage: the working directory for local files, or the
/// opened directory.
pub trait Storage: Send + Sync + fmt::Debug {
    /// Returns the metadata of a path, without opening it.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if it does not exist.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// Returns the kind of a path, without following links.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if it does not exist.
    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        self.metadata(path).map(|found| found.kind)
    }

    /// Opens a regular file.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if it does not exist, with
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) if it is not a regular file, or if it cannot
    /// be read.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>>;

    /// Opens something that can be read once, such as a pipe.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist, or cannot be read.
    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;

    /// Opens a directory as a storage. Files are opened in this directory even if another one takes
    /// its path.
    ///
    /// # Errors
    ///
    /// Fails with [`NotADirectory`](io::ErrorKind::NotADirectory) if it is not a directory.
    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>>;

    /// Calls `each` with the entries of a directory, in any order, until it returns false.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be listed, or if `each` fails.
    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()>;

    /// Resolves links.
    ///
    /// # Errors
    ///
    /// Fails if a link is broken.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    /// Returns a path as messages have it and its extension is read; other than the path where that has
    /// parts that are secret.
    fn shown(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }

    /// Returns the path of the file with the same name and something after it.
    fn sidecar(&self, path: &Path, suffix: &str) -> PathBuf {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        PathBuf::from(path)
    }

    /// Takes small files that were found out another way, names that are not there (`None`), and directories with
    /// nothing else in them, so that nothing is asked for them.
    fn remember(&self, files: Vec<(PathBuf, Option<Vec<u8>>)>, directories: Vec<PathBuf>) {
        let _ = (files, directories);
    }

    /// Returns whether each look-up has a latency.
    fn has_latency(&self) -> bool {
        false
    }

    /// Announces that files, as far as they exist, will be opened soon, and a range of each will be read.
    fn will_open(&self, files: &[(PathBuf, Range<u64>)]) {
        let _ = files;
    }

    /// Prepares an output at a URL: a file, or a directory. Nothing is written or asked. By default there is none, and
    /// the storage is read only.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be written there.
    fn output(&self, url: &Path, is_directory: bool) -> io::Result<Option<Arc<dyn UrlOutput>>> {
        let _ = (url, is_directory);
        Ok(None)
    }

    /// Returns the same storage for a context: its threads do not wait any longer if that is cancelled, and its
    /// temporary files are in the directory of that. `None` if it has neither, as by default.
    fn in_context(&self, context: &TaskContext) -> Option<Arc<dyn Storage>> {
        let _ = context;
        None
    }

    /// Returns the same storage for another operation, which uses nothing that earlier ones learned about files: they
    /// may have changed. `None` if it keeps nothing, as by default.
    fn restarted(&self) -> Option<Arc<dyn Storage>> {
        None
    }

    /// Returns whether the path has been taken by another directory, so that files may be missing.
    fn is_replaced(&self) -> bool {
        false
    }
}

/// An open file that can be read at any position and from many threads.
pub trait ReadAt: Send + Sync + fmt::Debug {
    /// Returns the length in bytes when it was opened.
    fn len(&self) -> u64;

    /// Returns whether it was empty when it was opened.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads some bytes from `at` on, none only at the end, and returns their number.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize>;

    /// Fills `out` with bytes from `at` on.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, and with [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if
    /// the file ends before.
    fn read_exact_at(&self, mut out: &mut [u8], mut at: u64) -> io::Result<()> {
        while !out.is_empty() {
            match self.read_at(out, at) {
                Ok(0) => {
                    let what = "failed to fill whole buffer";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
                }
                Ok(count) => {
                    out = out.get_mut(count..).unwrap_or_default();
                    at = at.saturating_add(count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Announces that a range will be read soon, so that a remote storage can fetch it.
    fn will_read(&self, range: Range<u64>) {
        let _ = range;
    }

    /// Announces that several ranges will be read soon, which a storage may fetch together.
    fn will_read_all(&self, ranges: &[Range<u64>]) {
        for range in ranges {
            self.will_read(range.clone());
        }
    }

    /// Returns whether each read has a latency, so that reads are worth announcing.
    fn has_latency(&self) -> bool {
        false
    }

    /// Maps bytes into memory; `None` if this is not possible.
    fn map(&self, at: u64, len: usize) -> Option<Mapped> {
        let _ = (at, len);
        None
    }

    /// Returns the present state of the file; `None` if states cannot be identified.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    fn identity(&self) -> io::Result<Option<Identity>> {
        Ok(None)
    }
}
