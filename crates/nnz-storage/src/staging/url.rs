//! Outputs at URLs: staged in the directory for temporary files, and uploaded when they are complete.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nnz_core::{Error, ErrorKind, Place, Result, is_url};

use super::WriteOptions;
use super::critical;
use super::directory::Replaceable;
use super::ready::directory_in_the_way;
use super::target::Expected;
use super::tree::Tree;
use crate::{TaskContext, system};

/// An output at a URL.
pub trait UrlOutput: Send + Sync + fmt::Debug {
    /// Returns what exists at the URL.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined, or if nothing can be written there.
    fn find(&self) -> io::Result<UrlEntries>;

    /// Copies the existing directory to an empty local one: the names and lengths of all files, and the
    /// contents of those by which a store is recognized. Other files have undefined contents.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read or copied.
    fn copy_outline(&self, to: &Path) -> io::Result<()>;

    /// Uploads everything. If this fails, new files are removed again, as far as possible.
    ///
    /// # Errors
    ///
    /// Fails with [`AlreadyExists`](io::ErrorKind::AlreadyExists) if something exists that may not be replaced,
    /// and with [`StaleNetworkFileHandle`](io::ErrorKind::StaleNetworkFileHandle) if it is not the object of the
    /// last [outline](Self::copy_outline).
    fn upload(&self, files: Vec<UploadFile>, replace: bool) -> io::Result<()>;

    /// Removes what exists at the URL of a file.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    fn remove(&self) -> io::Result<()>;

    /// Removes the new files that were uploaded, as far as possible.
    fn undo(&self);

    /// Cancels an upload that another thread has started, waits until its files are removed, and returns whether
    /// it was complete before.
    fn abandon(&self, patience: Duration) -> bool;
}

/// Entries that exist at a URL. In object storage an object and a directory can have the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UrlEntries {
    /// Whether there is an object.
    pub file: bool,
    /// Whether there are objects below it.
    pub directory: bool,
}

/// A local file to upload.
#[derive(Debug)]
pub struct UploadFile {
    name: String,
    source: Source,
    len: u64,
}

#[derive(Debug)]
enum Source {
    Open(File),
    Path(PathBuf),
}

impl UploadFile {
    fn new(name: String, source: Source) -> io::Result<Self> {
        let len = match &source {
            Source::Open(file) => file.metadata()?.len(),
            Source::Path(path) => path.metadata()?.len(),
        };
        Ok(Self { name, source, len })
    }

    /// Returns the path in the directory, with `/` between names; empty for an output that is a file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the file has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Fills `out` with bytes from `at` on.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn read_exact_at(&self, out: &mut [u8], at: u64) -> io::Result<()> {
        match &self.source {
            Source::Open(file) => system::read_exact_at(file, out, at),
            Source::Path(path) => system::read_exact_at(&File::open(path)?, out, at),
        }
    }
}

/// Prepares an output at a URL.
fn prepare(url: &Path, is_directory: bool, context: &TaskContext) -> Result<Arc<dyn UrlOutput>> {
    let output = context.storage().output(url, is_directory).map_err(|error| io(url, error))?;
    output
        .ok_or_else(|| Error::unsupported(Place::path(url), "writing to this URL is not supported"))
}

/// Returns whether an output exists: a local file or directory, also if it cannot be read, or one at a URL.
///
/// # Errors
///
/// Fails if a URL cannot be written, or if this cannot be determined for it.
pub fn exists(path: &Path, context: &TaskContext) -> Result<bool> {
    if !is_url(path) {
        return Ok(path.symlink_metadata().is_ok());
    }
    let found = prepare(path, true, context)?.find().map_err(|error| io(path, error))?;
    Ok(found.file || found.directory)
}

/// Refuses to add a group to an existing file or store at a URL, which would be downloaded and uploaded again.
/// Local paths are accepted.
///
/// # Errors
///
/// Fails if there is something at a URL, or if this cannot be determined.
pub fn check_addition(path: &Path, context: &TaskContext) -> Result<()> {
    if !is_url(path) || !exists(path, context)? {
        return Ok(());
    }
    let what = "adding to a file or store at a URL is not supported: write a new one, or change a local copy";
    Err(Error::unsupported(Place::path(path), what))
}

fn io(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Error::new(ErrorKind::Exists, Place::path(path)),
        _ => Error::io(path, error),
    }
}

/// A URL that may be written.
#[derive(Clone, Debug)]
pub(super) struct UrlTarget {
    pub(super) path: PathBuf,
    output: Arc<dyn UrlOutput>,
}

impl UrlTarget {
    /// Checks that a URL may be written.
    pub(super) fn check(url: &Path, options: &WriteOptions, is_directory: bool) -> Result<Self> {
        // A slash at the end would be part of the names of members.
        let path = match url.to_str() {
            Some(text) => PathBuf::from(text.trim_end_matches('/')),
            None => url.to_path_buf(),
        };
        let target = Self { output: prepare(&path, is_directory, &options.context)?, path };
        let found = target.find()?;
        if !options.overwrite && (found.file || found.directory) {
            return Err(target.exists());
        }
        if found.directory && !is_directory {
            return Err(directory_in_the_way(&target.path));
        }
        Ok(target)
    }

    fn find(&self) -> Result<UrlEntries> {
        self.output.find().map_err(|error| self.io(error))
    }

    fn io(&self, error: io::Error) -> Error {
        io(&self.path, error)
    }

    fn exists(&self) -> Error {
        Error::new(ErrorKind::Exists, Place::path(&*self.path))
    }

    /// Checks that the existing directory may be replaced.
    pub(super) fn check_replaceable(
        &self,
        replaceable: Replaceable,
        context: &TaskContext,
    ) -> Result<()> {
        if !self.find()?.directory {
            return Ok(());
        }
        let directory = context.temporary_directory();
        let outline = tempfile::tempdir_in(&directory).map_err(|e| Error::io(&directory, e))?;
        self.output.copy_outline(outline.path()).map_err(|error| self.io(error))?;
        replaceable.check(outline.path(), &self.path)
    }

    /// Uploads an output, where `expected` is at the URL.
    pub(super) fn upload(
        &self,
        files: Vec<UploadFile>,
        options: &WriteOptions,
        expected: Expected,
    ) -> Result<()> {
        let replace = options.overwrite && expected == Expected::Anything;
        let upload = critical::register_upload(&self.output);
        let done = self.output.upload(files, replace);
        upload.finish(done.is_ok());
        done.map_err(|error| self.io(error))
    }

    /// Removes an old sidecar.
    pub(super) fn remove_if_there(&self, options: &WriteOptions) -> Result<()> {
        match self.find()? {
            UrlEntries { directory: true, .. } => Err(directory_in_the_way(&self.path)),
            UrlEntries { file: false, .. } => Ok(()),
            _ if !options.overwrite => Err(self.exists()),
            _ => self.output.remove().map_err(|error| self.io(error)),
        }
    }

    /// Removes what was uploaded.
    pub(super) fn undo(&self) {
        self.output.undo();
    }
}

/// Returns the file of an output that is a file.
pub(super) fn file(file: File) -> io::Result<Vec<UploadFile>> {
    Ok(vec![UploadFile::new(String::new(), Source::Open(file))?])
}

/// Returns the files of an output that is a directory.
pub(super) fn files(tree: &mut Tree) -> io::Result<Vec<UploadFile>> {
    let mut files = Vec::new();
    for (name, file) in tree.take_unnamed() {
        files.push(UploadFile::new(name, Source::Open(file))?);
    }
    tree.for_each_named(&mut |name, path| {
        files.push(UploadFile::new(name, Source::Path(path.to_path_buf()))?);
        Ok(())
    })?;
    Ok(files)
}
