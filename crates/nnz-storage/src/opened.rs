//! A path that was opened once.

use std::path::{Path, PathBuf};

use nnz_core::{Error, Result};

use crate::{EntryKind, InputDirectory, InputFile, TaskContext};

/// An opened path.
#[derive(Clone, Debug)]
pub enum Opened {
    /// A regular file.
    File(InputFile),
    /// A directory.
    Directory(InputDirectory),
    /// Something that can be read once, such as a pipe. It is opened when it is read, because
    /// opening a pipe waits for its writer.
    Special(TaskContext, PathBuf),
}

impl Opened {
    /// Opens a path of the storage of a context, which what is opened keeps, without its progress.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist, or cannot be read.
    pub fn new(context: &TaskContext, path: &Path) -> Result<Self> {
        let (context, storage) = (context.without_progress(), context.storage());
        let io = |error| Error::io(path, error);
        let found = storage.metadata(path).map_err(io)?;
        let (key, shown) = (path.to_path_buf(), storage.shown(path));
        Ok(match found.kind {
            EntryKind::File => {
                let file = storage.open(path).map_err(io)?;
                Self::File(InputFile::new(context, key, shown, file))
            }
            EntryKind::Directory => {
                let root = storage.open_directory(path).map_err(io)?;
                Self::Directory(InputDirectory::new(root, context, key, shown))
            }
            _ => Self::Special(context, key),
        })
    }

    /// Opens a path of the file system.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new).
    pub fn local(path: &Path) -> Result<Self> {
        Self::new(&TaskContext::default(), path)
    }

    /// Returns the path in messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(file) => file.path(),
            Self::Directory(directory) => directory.path(),
            Self::Special(_, path) => path,
        }
    }

    /// Returns the file; `None` if it is something else.
    #[must_use]
    pub fn file(&self) -> Option<&InputFile> {
        match self {
            Self::File(file) => Some(file),
            _ => None,
        }
    }

    /// Returns the directory; `None` if it is something else.
    #[must_use]
    pub fn directory(&self) -> Option<&InputDirectory> {
        match self {
            Self::Directory(directory) => Some(directory),
            _ => None,
        }
    }
}
