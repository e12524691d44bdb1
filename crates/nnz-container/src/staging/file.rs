//! One file that appears whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::pending::{self, Pending};
use super::{Target, WriteOptions, anonymous};

/// A file being written, invisible until it is committed. Dropped before, it leaves nothing.
#[derive(Debug)]
pub struct StagedFile {
    file: File,
    target: Target,
    /// The hidden name, where the file could not be made without one.
    hidden: Option<Pending>,
}

impl StagedFile {
    /// Starts a file that will be `target`.
    ///
    /// # Errors
    ///
    /// Fails where the target exists and may not be replaced, is a directory, or its directory
    /// cannot be written.
    pub fn create(target: &Path, options: WriteOptions) -> Result<Self> {
        let target = Target::check(target, options)?;
        if target.existing.as_ref().is_some_and(|found| found.is_dir()) {
            let what = "a directory, which a file does not replace".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), Place::path(target.path)));
        }
        if let Some(file) = anonymous::create(&target.parent).map_err(|e| target.io(e))? {
            return Ok(Self { file, target, hidden: None });
        }
        let (mut hidden, file) = Pending::make(target.hidden_sibling(), |path| {
            OpenOptions::new().read(true).write(true).create_new(true).open(path)
        })
        .map_err(|e| target.io(e))?;
        hidden.mark_in_use();
        Ok(Self { file, target, hidden: Some(hidden) })
    }

    /// Returns the path the file will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Returns a path by which another part of this process can open the file before it is there.
    #[cfg(feature = "hdf5")]
    pub(crate) fn open_path(&self) -> std::path::PathBuf {
        use std::os::fd::AsRawFd;
        match &self.hidden {
            Some(hidden) => hidden.path().to_path_buf(),
            None => format!("/proc/self/fd/{}", self.file.as_raw_fd()).into(),
        }
    }

    /// Returns the open file itself, to be filled by other means than [`Write`].
    #[cfg(feature = "hdf5")]
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the directory it will lie in.
    pub(crate) fn parent(&self) -> &Path {
        &self.target.parent
    }

    /// Puts the file in its place and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Fails where the data cannot be written out or the name cannot be taken; nothing is left
    /// behind then, and a target to be replaced stays as it was.
    pub fn commit(self) -> Result<u64> {
        let ready = self.settle()?;
        let bytes = ready.bytes;
        ready.place()?.sync_parent()?;
        Ok(bytes)
    }

    /// Puts the file in its place, and right behind it another that tells of it: all that takes time
    /// is done before, so that hardly anything can come between. What the other replaces is gone
    /// before the file appears, which it does not tell of. Returns the bytes of both.
    ///
    /// # Errors
    ///
    /// Fails as [`commit`](Self::commit).
    pub fn commit_with(self, other: Self) -> Result<u64> {
        let (ready, other) = (self.settle()?, other.settle()?);
        let bytes = ready.bytes + other.bytes;
        let parents = other.place_behind(|| ready.place())?;
        [parents.0, parents.1].iter().try_for_each(Target::sync_parent)?;
        Ok(bytes)
    }

    /// Puts the file in its place behind something that it tells of and that `first` puts there.
    /// What the file replaces is gone before. Returns the bytes of both.
    ///
    /// # Errors
    ///
    /// Fails as [`commit`](Self::commit), and where `first` does.
    pub fn commit_behind(self, first: impl FnOnce() -> Result<u64>) -> Result<u64> {
        let ready = self.settle()?;
        let own = ready.bytes;
        let (bytes, parent) = ready.place_behind(first)?;
        parent.sync_parent()?;
        Ok(bytes + own)
    }

    /// Does all but take the name: the data is on disk then, if that is asked for.
    fn settle(self) -> Result<Ready> {
        let Self { file, target, hidden } = self;
        let io = |error: io::Error| target.io(error);
        if let Some(found) = &target.existing {
            file.set_permissions(found.permissions()).map_err(io)?;
        }
        let bytes = file.metadata().map_err(io)?.len();
        if target.options.sync {
            file.sync_all().map_err(io)?;
        }
        let hidden = match hidden {
            None if target.existing.is_some() => {
                let named = Pending::make(target.hidden_sibling(), |path| {
                    anonymous::give_name(&file, path)
                });
                Some(named.map_err(io)?.0)
            }
            other => other,
        };
        Ok(Ready { file, target, hidden, bytes })
    }
}

/// A file that lacks nothing but its name.
struct Ready {
    file: File,
    target: Target,
    /// The name it has until then; none where it takes its own straight away.
    hidden: Option<Pending>,
    bytes: u64,
}

impl Ready {
    fn place(self) -> Result<Target> {
        let Self { file, target, hidden, .. } = self;
        let placed = match hidden {
            Some(hidden) => hidden.resolve(|from| target.take_name(from)),
            None => pending::place(|| anonymous::give_name(&file, &target.path)),
        };
        placed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Error::new(ErrorKind::Exists, Place::path(&*target.path))
            }
            _ => target.io(error),
        })?;
        Ok(target)
    }

    /// Puts something else in its place first. At no moment does the old file lie beside that; it
    /// comes back if that fails.
    fn place_behind<T>(self, first: impl FnOnce() -> Result<T>) -> Result<(T, Target)> {
        let aside = self.target.put_aside()?;
        match first() {
            Ok(first) => self.place().map(|target| (first, target)),
            Err(error) => {
                if let Some(aside) = aside {
                    // The error to tell is the one that came first.
                    let _ = aside.resolve(|from| self.target.take_name(from));
                }
                Err(error)
            }
        }
    }
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
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
