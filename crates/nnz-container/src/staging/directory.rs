//! A directory of files that appears whole or not at all.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::pending::{self, Pending};
use super::{Target, WriteOptions, anonymous};

/// Names what a directory holds that is no part of a store, if there is such a thing.
pub(crate) type Foreign = fn(&Path) -> io::Result<Option<OsString>>;

/// What a directory that is there may hold to be replaced.
#[derive(Clone, Copy, Debug)]
enum Replaceable {
    /// Files of these names.
    Members(&'static [&'static str]),
    /// Files whose names are known to this.
    Matching(fn(&str) -> bool),
    /// What is not foreign.
    Store(Foreign),
}

/// A directory being written, invisible until it is committed. Dropped before, it leaves nothing.
#[derive(Debug)]
pub struct StagedDirectory {
    target: Target,
    replaceable: Replaceable,
    /// The files to be named, where files can be made without a name.
    unnamed: Vec<(String, File)>,
    /// The directory under its hidden name, made once it is needed.
    hidden: Option<Pending>,
}

impl StagedDirectory {
    /// Starts a directory that will be `target`.
    ///
    /// A directory that is there already is replaced only if it holds nothing but files of the
    /// names in `members`. A slip of the hand must not cost somebody a folder of other things.
    ///
    /// # Errors
    ///
    /// Fails where the target may not be replaced, or its directory cannot be written.
    pub fn create(
        target: &Path,
        options: WriteOptions,
        members: &'static [&'static str],
    ) -> Result<Self> {
        Self::start(target, options, Replaceable::Members(members))
    }

    /// Starts a directory like [`create`](Self::create), of files whose names `is_member` knows.
    ///
    /// # Errors
    ///
    /// Fails where the target may not be replaced, or its directory cannot be written.
    pub fn create_matching(
        target: &Path,
        options: WriteOptions,
        is_member: fn(&str) -> bool,
    ) -> Result<Self> {
        Self::start(target, options, Replaceable::Matching(is_member))
    }

    /// Starts a directory that replaces one that is there only if that holds nothing foreign.
    pub(crate) fn create_store(
        target: &Path,
        options: WriteOptions,
        foreign: Foreign,
    ) -> Result<Self> {
        Self::start(target, options, Replaceable::Store(foreign))
    }

    fn start(target: &Path, options: WriteOptions, replaceable: Replaceable) -> Result<Self> {
        let target = Target::check(target, options)?;
        let staged = Self { target, replaceable, unnamed: Vec::new(), hidden: None };
        staged.check_replaceable()?;
        Ok(staged)
    }

    /// Checks that a directory that is there may be replaced.
    fn check_replaceable(&self) -> Result<()> {
        if !self.target.existing.as_ref().is_some_and(|found| found.is_dir()) {
            return Ok(());
        }
        let path = &self.target.path;
        let io = |error| Error::io(path, error);
        let foreign = match self.replaceable {
            Replaceable::Members(members) => other_than(|name| members.contains(&name), path),
            Replaceable::Matching(is_member) => other_than(is_member, path),
            Replaceable::Store(foreign) => foreign(path),
        };
        match foreign.map_err(io)? {
            None => Ok(()),
            Some(name) => {
                let what = format!("holds {name:?}, which is no part of a store: not replaced");
                Err(Error::new(ErrorKind::Argument(what), Place::path(path)))
            }
        }
    }

    /// Returns the path the directory will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Creates a file of the directory.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done, or there is one of that name.
    pub fn create_file(&mut self, name: &str) -> Result<File> {
        let path = self.target.path.join(name);
        let io = |error| Error::io(&path, error);
        if self.unnamed.iter().any(|(taken, _)| taken == name) {
            return Err(io(io::ErrorKind::AlreadyExists.into()));
        }
        if self.hidden.is_none()
            && let Some(file) = anonymous::create(&self.target.parent).map_err(io)?
        {
            self.unnamed.push((name.to_owned(), file.try_clone().map_err(io)?));
            return Ok(file);
        }
        let directory = self.hidden_directory().map_err(io)?;
        OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(directory.join(name))
            .map_err(io)
    }

    /// Returns where the directory lies until it is committed, for files in directories of their
    /// own. From now on a process that is killed leaves it behind.
    #[cfg(feature = "zarr")]
    pub(crate) fn staged_path(&mut self) -> Result<PathBuf> {
        self.hidden_directory().map_err(|error| self.target.io(error))
    }

    fn hidden_directory(&mut self) -> io::Result<PathBuf> {
        if self.hidden.is_none() {
            let (mut hidden, ()) =
                Pending::make(self.target.hidden_sibling(), |path| std::fs::create_dir(path))?;
            hidden.mark_in_use();
            self.hidden = Some(hidden);
        }
        let path = self.hidden.as_ref().map(|hidden| hidden.path().to_path_buf());
        path.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns the directory it will lie in.
    pub(crate) fn parent(&self) -> &Path {
        &self.target.parent
    }

    /// Puts the directory in its place and returns the bytes of its files.
    ///
    /// # Errors
    ///
    /// Fails where the data cannot be written out or the name cannot be taken; nothing is left
    /// behind then, and a target to be replaced stays as it was.
    pub fn commit(mut self) -> Result<u64> {
        let path = self.target.path.clone();
        let io = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => {
                Error::new(ErrorKind::Exists, Place::path(&*path))
            }
            _ => Error::io(&path, error),
        };
        // The slow part first: once the data is on disk, naming it takes no time, so that hardly
        // any moment is left in which a kill could leave a hidden name behind.
        let mut bytes = 0;
        for (_, file) in &self.unnamed {
            bytes += file.metadata().map_err(io)?.len();
            if self.target.options.sync {
                file.sync_all().map_err(io)?;
            }
        }
        if let Some(hidden) = &self.hidden {
            bytes += settle(hidden.path(), self.target.options.sync).map_err(io)?;
        }
        let directory = self.hidden_directory().map_err(io)?;
        let name_all = || {
            let mut files = self.unnamed.iter();
            files.try_for_each(|(name, file)| anonymous::give_name(file, &directory.join(name)))
        };
        pending::undisturbed(name_all).map_err(io)?;
        // Once more: something may have been put there since.
        self.check_replaceable()?;
        if let Some(hidden) = self.hidden.take() {
            hidden.resolve(|from| self.target.take_name(from)).map_err(io)?;
        }
        if self.target.options.sync {
            File::open(&path).and_then(|directory| directory.sync_all()).map_err(io)?;
        }
        self.target.sync_parent()?;
        Ok(bytes)
    }
}

/// Names what a directory holds beside files of the given names.
fn other_than(is_member: impl Fn(&str) -> bool, path: &Path) -> io::Result<Option<OsString>> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.to_str().is_some_and(&is_member) || !entry.file_type()?.is_file() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Returns the bytes of all files of a directory, each of which is synced if that is asked for.
fn settle(directory: &Path, sync: bool) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += settle(&entry.path(), sync)?;
            continue;
        }
        let file = File::open(entry.path())?;
        bytes += file.metadata()?.len();
        if sync {
            file.sync_all()?;
        }
    }
    if sync {
        File::open(directory)?.sync_all()?;
    }
    Ok(bytes)
}
