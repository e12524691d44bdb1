//! A directory of files that appears whole or not at all.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::ready::{Content, Ready};
use super::target::Target;
use super::tree::{Members, Tree};
use super::{StagedFile, WriteOptions};
use crate::system;

/// Names what a directory holds that is no part of a store, if there is such a thing.
pub type Foreign = fn(&Path) -> io::Result<Option<OsString>>;

/// Says what is wrong with a directory whose files have the right names, if it is no store after all.
pub type Refusal = fn(&Path) -> io::Result<Option<String>>;

/// What a directory that is there has to be to be replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replaceable {
    files: Files,
    refusal: Option<Refusal>,
}

/// What a directory that is there may hold to be replaced.
#[derive(Clone, Copy, Debug)]
enum Files {
    /// Files of these names.
    Members(&'static [&'static str]),
    /// Files whose names are known to this.
    Matching(fn(&str) -> bool),
    /// What is not foreign.
    Store(Foreign),
}

impl Replaceable {
    /// Checks that a directory may be replaced. `target` is what messages name.
    pub(super) fn check(self, path: &Path, target: &Path) -> Result<()> {
        let io = |error| Error::io(target, error);
        if !path.symlink_metadata().map_err(io)?.is_dir() {
            return Ok(());
        }
        let foreign = match self.files {
            Files::Members(members) => other_than(|name| members.contains(&name), path),
            Files::Matching(is_member) => other_than(is_member, path),
            Files::Store(foreign) => foreign(path),
        };
        let what = match (foreign.map_err(io)?, self.refusal) {
            (Some(name), _) => Some(format!("holds {name:?}, which is no part of a store")),
            (None, Some(refusal)) => refusal(path).map_err(io)?,
            (None, None) => None,
        };
        let what = what.or_else(|| {
            system::is_unchangeable(path)
                .then(|| "holds files that this user may not remove (permission denied)".to_owned())
        });
        let Some(what) = what else { return Ok(()) };
        let what = format!("{what}: not replaced; remove it first if it is not needed");
        Err(Error::new(ErrorKind::Argument(what), Place::path(target)))
    }
}

/// A directory being written, invisible until it is committed. Dropped before, it leaves nothing.
#[derive(Debug)]
pub struct StagedDirectory {
    target: Target,
    replaceable: Replaceable,
    tree: Mutex<Tree>,
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
        Self::start(target, options, Files::Members(members))
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
        Self::start(target, options, Files::Matching(is_member))
    }

    /// Starts a directory that replaces one that is there only if that holds nothing foreign.
    ///
    /// # Errors
    ///
    /// Fails where the target may not be replaced, or its directory cannot be written.
    pub fn create_store(target: &Path, options: WriteOptions, foreign: Foreign) -> Result<Self> {
        Self::start(target, options, Files::Store(foreign))
    }

    fn start(target: &Path, options: WriteOptions, files: Files) -> Result<Self> {
        let replaceable = Replaceable { files, refusal: None };
        let target = Target::check(target, options)?;
        if target.find()?.is_some() {
            replaceable.check(&target.path, &target.path)?;
        }
        let access = Members::of(&target.path).map_err(|error| target.io(error))?;
        Ok(Self { target, replaceable, tree: Mutex::new(Tree::new(access)) })
    }

    /// Replaces a directory that is there only if that is not refused: its files have to be those of
    /// a store, and not only their names. An empty directory should not be refused.
    ///
    /// # Errors
    ///
    /// Fails where the target is refused, or cannot be read.
    pub fn refusing(mut self, refusal: Refusal) -> Result<Self> {
        self.replaceable.refusal = Some(refusal);
        if self.target.find()?.is_some() {
            self.replaceable.check(&self.target.path, &self.target.path)?;
        }
        Ok(self)
    }

    /// Expects something else at the target than what may be replaced.
    pub fn expect(&mut self, expected: super::Expected) {
        self.target.expected = expected;
    }

    /// Gives a directory that replaces nothing the access of another.
    ///
    /// # Errors
    ///
    /// Fails where the mode of `directory` cannot be read.
    pub fn with_access_of(mut self, directory: &Path) -> Result<Self> {
        if self.target.find()?.is_none() {
            let access = Members::beside(directory).map_err(|error| Error::io(directory, error))?;
            self.tree = Mutex::new(Tree::new(access));
        }
        Ok(self)
    }

    /// Returns the path the directory will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Creates a file of the directory. Its name may lead to directories in the directory, with `/`
    /// between names.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done, or there is one of that name.
    pub fn create_file(&self, name: &str) -> Result<File> {
        let created = self.tree().create(name, &self.target);
        created.map_err(|error| Error::io(&self.target.path.join(name), error))
    }

    /// Creates a file of the directory and writes it.
    ///
    /// # Errors
    ///
    /// Fails as [`create_file`](Self::create_file), and where it cannot be written.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let written = self.create_file(name)?.write_all(bytes);
        written.map_err(|error| Error::io(&self.target.path.join(name), error))
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the directory it will lie in.
    pub fn parent(&self) -> &Path {
        &self.target.parent
    }

    /// Puts the directory in its place and returns the bytes of its files.
    ///
    /// # Errors
    ///
    /// Fails where the data cannot be written out or the name cannot be taken; nothing is left
    /// behind then, and a target to be replaced stays as it was.
    pub fn commit(self) -> Result<u64> {
        let (path, sync) = (self.target.path.clone(), self.target.options.sync);
        let bytes = self.settle()?.commit()?;
        sync_directory(&path, sync)?;
        Ok(bytes)
    }

    /// Puts the directory in its place, and beside it a file that describes it: no description ever
    /// lies beside another directory. Returns the bytes of both.
    ///
    /// # Errors
    ///
    /// Fails as [`commit`](Self::commit).
    pub fn commit_with_sidecar(self, sidecar: StagedFile) -> Result<u64> {
        let (path, sync) = (self.target.path.clone(), self.target.options.sync);
        let bytes = self.settle()?.commit_with_sidecar(sidecar.settle()?)?;
        sync_directory(&path, sync)?;
        Ok(bytes)
    }

    /// Does all but take the name: the data is on disk then, if that is asked for.
    fn settle(self) -> Result<Ready> {
        let Self { target, replaceable, tree } = self;
        let tree = tree.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bytes = tree.settle(target.options.sync).map_err(|error| target.io(error))?;
        Ok(Ready::new(target, Content::Directory(tree, replaceable), bytes))
    }
}

/// Makes the names in a directory survive a power cut.
fn sync_directory(path: &Path, sync: bool) -> Result<()> {
    if sync {
        system::sync_directory(path).map_err(|error| Error::io(path, error))?;
    }
    Ok(())
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
