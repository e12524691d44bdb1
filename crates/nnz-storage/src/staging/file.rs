//! Atomic output of a file.

use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::access::Access;
use super::critical::{Critical, Pending};
use super::ready::{self, CompleteOutput, Content};
use super::target::OutputTarget;
use super::{WriteOptions, anonymous};
use crate::system;

/// A file that is being written and appears when it is committed. Dropped before, it leaves
/// nothing.
#[derive(Debug)]
pub struct StagedFile {
    file: File,
    target: OutputTarget,
    /// The hidden path, if the file could not be created without a name.
    hidden: Option<Pending>,
}

impl StagedFile {
    /// Starts a file that will be `target`.
    ///
    /// # Errors
    ///
    /// Fails if the target exists and may not be replaced, if it is a directory, or if its
    /// directory cannot be written.
    pub fn create(target: &Path, options: &WriteOptions) -> Result<Self> {
        if !nnz_core::is_url(target) {
            // First: it cannot be replaced, so that the error is not that it exists.
            if target.is_dir() {
                return Err(ready::directory_in_the_way(target));
            }
            if target.as_os_str().to_string_lossy().ends_with(std::path::is_separator) {
                let what = "the name of a file cannot end with a slash".to_owned();
                return Err(Error::new(ErrorKind::Argument(what), Place::path(target)));
            }
        }
        let target = OutputTarget::check(target, options, false)?;
        ready::check_file(&target)?;
        if let Some(file) = anonymous::create(&target.parent).map_err(|e| target.io(e))? {
            return Ok(Self { file, target, hidden: None });
        }
        let (file, hidden) = create_hidden(&target).map_err(|error| target.io(error))?;
        Ok(Self { file, target, hidden: Some(hidden) })
    }

    /// Replaces the expectation of what exists at the target.
    pub fn expect(&mut self, expected: super::Expected) {
        self.target.expected = expected;
    }

    /// Returns the path of the target.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Opens the file with a function that takes a path.
    ///
    /// The function may resolve the path, but the path that the system shows for a file without a
    /// name does not exist. A stand-in exists at that path meanwhile; a killed process leaves it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened by a path, or if `open` fails.
    pub fn open_with<T>(&self, open: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
        if let Some(hidden) = &self.hidden {
            return open(hidden.path());
        }
        let path = anonymous::path(&self.file);
        let shown = std::fs::read_link(&path).ok().filter(|shown| shown.is_absolute());
        let stand_in = shown.and_then(|shown| create_stand_in(shown, &self.target));
        let opened = open(&path);
        drop(stand_in);
        opened
    }

    /// Returns the open file, to write it by other means than [`Write`].
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the parent directory of the target.
    pub fn parent(&self) -> &Path {
        &self.target.parent
    }

    /// Returns the directory for temporary files of what is written.
    #[must_use]
    pub fn spill_directory(&self) -> std::path::PathBuf {
        self.target.options.context.spill_directory(&self.target.parent)
    }

    /// Puts the file in place and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the data or the name cannot be written. Then nothing is left, and an existing
    /// target is unchanged.
    pub fn commit(self) -> Result<u64> {
        self.settle()?.commit()
    }

    /// Puts the file in place together with a file next to it that describes it, so that the latter
    /// never describes another file. Returns the size of both in bytes.
    ///
    /// # Errors
    ///
    /// Fails as [`commit`](Self::commit).
    pub fn commit_with_sidecar(self, sidecar: Self) -> Result<u64> {
        let (ready, sidecar) = (self.settle()?, sidecar.settle()?);
        ready.commit_with_sidecar(sidecar)
    }

    /// Fails if the operation is cancelled: some formats write most of a file when they finish it.
    fn check_cancelled(&self) -> io::Result<()> {
        self.target.options.context.check().map_err(io::Error::other)
    }

    /// Completes everything except the name, including syncing if requested.
    pub(super) fn settle(self) -> Result<CompleteOutput> {
        let Self { file, target, hidden } = self;
        let settle = || {
            if target.url.is_none()
                && let Some(access) = Access::of(&target.path)?
            {
                access.apply(&file)?;
            }
            if target.options.sync {
                file.sync_all()?;
            }
            Ok(file.metadata()?.len())
        };
        let bytes = settle().map_err(|error| target.io(error))?;
        Ok(CompleteOutput::new(target, Content::File(file, hidden), bytes))
    }
}

/// Creates a file with a hidden name.
fn create_hidden(target: &OutputTarget) -> io::Result<(File, Pending)> {
    let path = target.hidden_sibling();
    // A replacement of a private file is private from the start, and so is what is only uploaded.
    let private = target.url.is_some() || target.path.symlink_metadata().is_ok();
    let _lock = target.lock();
    let mut critical = Critical::enter();
    let file = system::create_file(&path, private)?;
    let mut hidden = critical.register(path);
    hidden.mark_in_use();
    Ok((file, hidden))
}

/// Creates a stand-in. Only the canonical path depends on it.
fn create_stand_in(path: std::path::PathBuf, target: &OutputTarget) -> Option<Pending> {
    let _lock = target.lock();
    let mut critical = Critical::enter();
    let mut file = File::create_new(&path).ok()?;
    let mut pending = critical.register(path);
    let _ = file.write_all(super::hidden::STAND_IN);
    pending.mark_in_use();
    Some(pending)
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check_cancelled()?;
        self.file.write(bytes)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        self.check_cancelled()?;
        self.file.write_vectored(pieces)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl io::Read for StagedFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Seek for StagedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_hidden_file_is_not_removed_by_another_writer_before_it_is_in_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let options = WriteOptions::default().overwrite(true).sync(false);
        let target = OutputTarget::check(&path, &options, false).unwrap();
        let (mut file, hidden) = create_hidden(&target).unwrap();
        file.write_all(b"complete").unwrap();
        let hidden_path = hidden.path().to_path_buf();
        let ready = StagedFile { file, target, hidden: Some(hidden) }.settle().unwrap();
        // Another writer of the same target removes what killed processes left.
        drop(StagedFile::create(&path, &options).unwrap());
        assert!(hidden_path.exists());
        assert_eq!(ready.commit().unwrap(), 8);
        assert_eq!(std::fs::read(&path).unwrap(), b"complete");
        assert!(!hidden_path.exists());
    }
}
