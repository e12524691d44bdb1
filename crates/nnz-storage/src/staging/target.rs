//! The path of an output.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::lock::DirectoryLock;
use super::url::UrlTarget;
use super::{WriteOptions, hidden};
use crate::TemporaryFile;
use crate::system::{self, FileId};

/// State of the target that is required when an output is put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// Nothing, or with `overwrite` anything that may be replaced.
    Anything,
    /// Nothing, even with `overwrite`.
    Nothing,
    /// The file that was read, unchanged.
    Unchanged(Version),
}

/// The state of a file. Another file, length or modification time means that it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    id: FileId,
    len: u64,
    modified: (i64, i64),
}

impl Version {
    /// Returns the state from metadata.
    #[must_use]
    pub fn of(found: &Metadata) -> Self {
        Self { id: FileId::of(found), len: found.len(), modified: system::modified(found) }
    }

    /// Returns the length in bytes.
    pub fn bytes(&self) -> u64 {
        self.len
    }
}

/// A target that may be written, and its directory.
#[derive(Debug)]
pub(super) struct OutputTarget {
    pub(super) path: PathBuf,
    pub(super) parent: PathBuf,
    name: OsString,
    pub(super) options: WriteOptions,
    pub(super) expected: Expected,
    /// The directory, if it can be opened: for locks, and for syncing.
    directory: Option<File>,
    /// The URL, if the output is uploaded. Its parent is the directory for temporary files then.
    pub(super) url: Option<UrlTarget>,
}

/// Converts the error that a target exists to the error that it changed: it did not exist a moment
/// ago, so another process created it.
#[must_use]
pub fn appeared(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Exists => Error::new(ErrorKind::Changed, error.place().clone()),
        _ => error,
    }
}

impl OutputTarget {
    /// Checks that `path` may be written, as a file or as a directory.
    pub(super) fn check(path: &Path, options: &WriteOptions, is_directory: bool) -> Result<Self> {
        if nnz_core::is_url(path) {
            return Self::check_url(path, options, is_directory);
        }
        // A link is not replaced, but the file that it points to.
        let path = match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                path.canonicalize().map_err(|error| Error::io(path, error))?
            }
            _ => path.to_path_buf(),
        };
        let Some(name) = path.file_name().map(ToOwned::to_owned) else {
            let what = "not the name of a file or directory".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
        };
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        match parent.metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::io(&parent, io::ErrorKind::NotADirectory.into())),
            Err(error) => return Err(Error::io(&parent, error)),
        }
        let directory = File::open(&parent).ok();
        let expected = Expected::Anything;
        let target =
            Self { path, parent, name, options: options.clone(), expected, directory, url: None };
        if let Some(found) = target.find()? {
            if !found.is_file() && !found.is_dir() {
                let what = "neither a file nor a directory: it cannot be replaced".to_owned();
                return Err(Error::new(ErrorKind::Argument(what), Place::path(target.path)));
            }
            if !options.overwrite {
                return Err(target.exists());
            }
        }
        hidden::sweep(&target.parent, &target.name, target.directory.as_ref());
        Ok(target)
    }

    /// Checks that a URL may be written.
    fn check_url(url: &Path, options: &WriteOptions, is_directory: bool) -> Result<Self> {
        let url = UrlTarget::check(url, options, is_directory)?;
        let path = url.path.clone();
        let parent = options.context.temporary_directory();
        match parent.metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::io(&parent, io::ErrorKind::NotADirectory.into())),
            Err(error) => return Err(Error::io(&parent, error)),
        }
        let name = path.file_name().map(ToOwned::to_owned).unwrap_or_default();
        let directory = File::open(&parent).ok();
        hidden::sweep(&parent, &name, directory.as_ref());
        // Staged files are only read by this process.
        let options = options.clone().sync(false);
        let (expected, url) = (Expected::Anything, Some(url));
        Ok(Self { path, parent, name, options, expected, directory, url })
    }

    /// Returns the metadata of a local target now.
    pub(super) fn find(&self) -> Result<Option<Metadata>> {
        match self.path.symlink_metadata() {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io(error)),
        }
    }

    /// Locks the directory against other processes that create names in it.
    pub(super) fn lock(&self) -> DirectoryLock<'_> {
        DirectoryLock::acquire(self.directory.as_ref())
    }

    /// Creates a hidden name next to the target.
    pub(super) fn hidden_sibling(&self) -> PathBuf {
        hidden::sibling(&self.parent, &self.name)
    }

    /// Returns the error of writing the target. Staged files for a URL are in another directory.
    pub(super) fn io(&self, error: io::Error) -> Error {
        match &self.url {
            None => Error::io(&self.path, error),
            Some(_) => Error::new(ErrorKind::Io(error), TemporaryFile::place(&self.parent)),
        }
    }

    pub(super) fn exists(&self) -> Error {
        Error::new(ErrorKind::Exists, Place::path(&*self.path))
    }

    pub(super) fn changed(&self) -> Error {
        Error::new(ErrorKind::Changed, Place::path(&*self.path))
    }

    /// Syncs the new name.
    pub(super) fn sync_parent(&self) -> Result<()> {
        // A directory that cannot be read cannot be synced, nor can some on network file systems;
        // the files themselves are synced.
        let Some(directory) = self.directory.as_ref().filter(|_| self.options.sync) else {
            return Ok(());
        };
        match directory.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other.map_err(|error| Error::io(&self.parent, error)),
        }
    }
}
