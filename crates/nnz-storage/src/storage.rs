//! What can be asked of files and directories, wherever they are.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Mapped;

/// Returns what was found; `None` where the storage says that there is nothing of the name, or a link
/// that leads nowhere.
pub(crate) fn found<T>(asked: io::Result<T>) -> io::Result<Option<T>> {
    let circle = rustix::io::Errno::LOOP.raw_os_error();
    match asked {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ if error.raw_os_error() == Some(circle) => Ok(None),
            _ => Err(error),
        },
    }
}

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file, which is read at any position.
    File,
    /// A directory.
    Directory,
    /// A symbolic link; only listings have them.
    Link,
    /// Something else, such as a pipe or a device, which is read once.
    Special,
}

/// Describes what is at a path, where links lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: EntryKind,
    /// The length of a file in bytes.
    pub len: u64,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEntry {
    /// The name in the directory.
    pub name: OsString,
    /// What it is; a link is not followed.
    pub kind: EntryKind,
}

/// Distinguishes one state of a file from another: equal as long as nobody changed or replaced the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(String);

impl Identity {
    /// Makes an identity of what a storage tells states apart by, such as an entity tag.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Files and directories that are read.
///
/// A relative path starts at the root of the storage: the working directory for local files, and the
/// directory itself for one that was opened.
pub trait Storage: Send + Sync + fmt::Debug {
    /// Describes what is at a path. Nothing is opened.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) where there is nothing.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// Returns what is at a path, where a link is not followed.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) where there is nothing.
    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        self.metadata(path).map(|found| found.kind)
    }

    /// Opens a regular file.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) where there is none, with
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) where there is something else, and where it cannot
    /// be read.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>>;

    /// Opens something that is read once, such as a pipe.
    ///
    /// # Errors
    ///
    /// Fails where there is nothing, or it cannot be read.
    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>>;

    /// Opens a directory as a storage of its own. Its files stay those of this directory when another
    /// takes its name.
    ///
    /// # Errors
    ///
    /// Fails with [`NotADirectory`](io::ErrorKind::NotADirectory) where there is something else.
    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>>;

    /// Passes the entries of a directory to `each`, in no order, until it returns false.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be listed, or `each` fails.
    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()>;

    /// Returns the path that links at `path` lead to.
    ///
    /// # Errors
    ///
    /// Fails where they lead nowhere.
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

    /// Takes small files that were found out another way, and names that are not there (`None`), so that nothing is
    /// asked for them.
    fn remember(&self, files: Vec<(PathBuf, Option<Vec<u8>>)>) {
        let _ = files;
    }

    /// Returns whether each look-up has a latency.
    fn has_latency(&self) -> bool {
        false
    }

    /// Announces that the beginnings of files will be read soon, all of those that exist.
    fn will_open(&self, paths: &[PathBuf]) {
        let _ = paths;
    }

    /// Returns whether something else has the name of this directory now: files may be missing since.
    fn is_replaced(&self) -> bool {
        false
    }
}

/// A file that is open, read at any position and from many threads.
pub trait ReadAt: Send + Sync + fmt::Debug {
    /// Returns the length in bytes when it was opened.
    fn len(&self) -> u64;

    /// Returns whether it had no bytes when it was opened.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads some bytes from `at` on, none only at the end, and returns how many.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read.
    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize>;

    /// Fills `out` with bytes from `at` on.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read, and with [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) where
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

    /// Says that a range will be read soon, so that a storage with a long way to go can fetch it.
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

    /// Maps bytes into memory; `None` where that cannot be done.
    fn map(&self, at: u64, len: usize) -> Option<Mapped> {
        let _ = (at, len);
        None
    }

    /// Returns what tells its present state from others; `None` where nothing does.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be found out.
    fn identity(&self) -> io::Result<Option<Identity>> {
        Ok(None)
    }
}
