//! Atomic output of a directory.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::ready::{CompleteOutput, Content};
use super::target::{Expected, OutputTarget, Version};
use super::tree::{Members, Tree};
use super::{StagedFile, WriteOptions};
use crate::system;

/// Returns the name of an entry of a directory that is not part of a store, if there is one.
pub type Foreign = fn(&Path) -> io::Result<Option<OsString>>;

/// Returns what is wrong with a directory whose files have the names of a store, if it is not a
/// store.
pub type Refusal = fn(&Path) -> io::Result<Option<String>>;

/// Which existing directories may be replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replaceable {
    files: Files,
    refusal: Option<Refusal>,
}

/// The files that a directory may have to be replaced.
#[derive(Clone, Copy, Debug)]
enum Files {
    /// Files with these names.
    Members(&'static [&'static str]),
    /// Files whose names match.
    Matching(fn(&str) -> bool),
    /// Anything that is not foreign.
    Store(Foreign),
    /// Any files, which the new directory keeps.
    Kept,
}

impl Replaceable {
    /// Checks that a directory may be replaced. `target` is its path in messages.
    pub(super) fn check(self, path: &Path, target: &Path) -> Result<()> {
        let io = |error| Error::io(target, error);
        if !path.symlink_metadata().map_err(io)?.is_dir() {
            return Ok(());
        }
        let foreign = match self.files {
            Files::Members(members) => find_foreign(|name| members.contains(&name), path),
            Files::Matching(is_member) => find_foreign(is_member, path),
            Files::Store(foreign) => foreign(path),
            Files::Kept => Ok(None),
        };
        let what = match (foreign.map_err(io)?, self.refusal) {
            (Some(name), _) => Some(format!("it contains another file, {name:?}")),
            (None, Some(refusal)) => refusal(path).map_err(io)?,
            (None, None) => None,
        };
        let what = what.or_else(|| {
            system::is_unchangeable(path).then(|| {
                "it contains files that this user may not remove (permission denied)".to_owned()
            })
        });
        let Some(what) = what else { return Ok(()) };
        let what = format!("is not replaced, because {what}");
        Err(Error::new(ErrorKind::Argument(what), Place::path(target)))
    }
}

/// A directory that is being written and appears when it is committed. Dropped before, it leaves
/// nothing.
#[derive(Debug)]
pub struct StagedDirectory {
    target: OutputTarget,
    replaceable: Replaceable,
    tree: Mutex<Tree>,
}

impl StagedDirectory {
    /// Starts a directory that will be `target`.
    ///
    /// An existing directory is replaced only if it has no other files than `members`, so that a
    /// mistyped path does not delete other data.
    ///
    /// # Errors
    ///
    /// Fails if the target may not be replaced, or if its directory cannot be written.
    pub fn create(
        target: &Path,
        options: &WriteOptions,
        members: &'static [&'static str],
    ) -> Result<Self> {
        Self::start(target, options, Files::Members(members))
    }

    /// Same as [`create`](Self::create), with `is_member` to match the names of files.
    ///
    /// # Errors
    ///
    /// Fails if the target may not be replaced, or if its directory cannot be written.
    pub fn create_matching(
        target: &Path,
        options: &WriteOptions,
        is_member: fn(&str) -> bool,
    ) -> Result<Self> {
        Self::start(target, options, Files::Matching(is_member))
    }

    /// Same as [`create`](Self::create), for a store: the existing directory may not have foreign
    /// entries.
    ///
    /// # Errors
    ///
    /// Fails if the target may not be replaced, or if its directory cannot be written.
    pub fn create_store(target: &Path, options: &WriteOptions, foreign: Foreign) -> Result<Self> {
        Self::start(target, options, Files::Store(foreign))
    }

    /// Starts a changed copy of a directory, which replaces it. All files can be [kept](Self::keep).
    ///
    /// # Errors
    ///
    /// Fails if the target is not a directory, or if its directory cannot be written.
    pub fn change(target: &Path, options: &WriteOptions) -> Result<Self> {
        let mut staged = Self::start(target, &options.clone().overwrite(true), Files::Kept)?;
        let found = staged.target.find()?.filter(std::fs::Metadata::is_dir);
        let found = found.ok_or_else(|| Error::new(ErrorKind::Missing, Place::path(target)))?;
        staged.target.expected = Expected::Unchanged(Version::of(&found));
        Ok(staged)
    }

    fn start(target: &Path, options: &WriteOptions, files: Files) -> Result<Self> {
        let replaceable = Replaceable { files, refusal: None };
        let target = OutputTarget::check(target, options, true)?;
        check_replaceable(&target, replaceable)?;
        if target.url.is_some() {
            return Ok(Self { target, replaceable, tree: Mutex::new(Tree::new(None)) });
        }
        let access = Members::of(&target.path).map_err(|error| target.io(error))?;
        Ok(Self { target, replaceable, tree: Mutex::new(Tree::new(access)) })
    }

    /// Also checks existing directories with `refusal`, as the names of the files of a store are
    /// not sufficient. It should accept an empty directory.
    ///
    /// # Errors
    ///
    /// Fails if the target is refused, or cannot be read.
    pub fn refusing(mut self, refusal: Refusal) -> Result<Self> {
        self.replaceable.refusal = Some(refusal);
        check_replaceable(&self.target, self.replaceable)?;
        Ok(self)
    }

    /// Replaces the expectation of what exists at the target.
    pub fn expect(&mut self, expected: super::Expected) {
        self.target.expected = expected;
    }

    /// Copies the access of another directory, if no directory is replaced.
    ///
    /// # Errors
    ///
    /// Fails if the mode of `directory` cannot be read.
    pub fn with_access_of(mut self, directory: &Path) -> Result<Self> {
        if self.target.url.is_none() && self.target.find()?.is_none() {
            let access =
                Members::of_directory(directory).map_err(|error| Error::io(directory, error))?;
            self.tree = Mutex::new(Tree::new(access));
        }
        Ok(self)
    }

    /// Returns the path of the target.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Creates a file of the directory. Its name may have directories, separated by `/`.
    ///
    /// # Errors
    ///
    /// Fails if this is not possible, or if the name exists.
    pub fn create_file(&self, name: &str) -> Result<File> {
        let created = self.tree().create(name, &self.target);
        created.map_err(|error| match error.kind() {
            // Permission is missing for the directory of the target.
            io::ErrorKind::PermissionDenied => self.target.io(error),
            _ => Error::io(&self.target.path.join(name), error),
        })
    }

    /// Creates a file of the directory and writes it.
    ///
    /// # Errors
    ///
    /// Fails as [`create_file`](Self::create_file), or if it cannot be written.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let written = self.create_file(name)?.write_all(bytes);
        written.map_err(|error| Error::io(&self.target.path.join(name), error))
    }

    /// Keeps the files of the directory that is replaced, if `is_kept` is true for their paths in it and for those of
    /// their directories. They are hard links if this is possible, otherwise copies. No file is created afterwards.
    ///
    /// # Errors
    ///
    /// Fails if the directory has other things than files and directories, or cannot be linked or copied.
    pub fn keep(&self, is_kept: &dyn Fn(&Path) -> bool) -> Result<()> {
        let kept = self.tree().keep(&self.target, is_kept);
        kept.map_err(|(error, path)| match error.kind() {
            io::ErrorKind::InvalidInput => {
                let what = "directories with symbolic links or special files cannot be changed";
                Error::unsupported(Place::path(path), what)
            }
            _ => Error::io(&path, error),
        })
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Puts the directory in place and returns the size of its files in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the data or the name cannot be written. Then nothing is left, and an existing
    /// target is unchanged.
    pub fn commit(self) -> Result<u64> {
        // Uploads are not synced.
        let (path, sync) = (self.target.path.clone(), self.target.options.sync);
        let bytes = self.settle()?.commit()?;
        sync_directory(&path, sync)?;
        Ok(bytes)
    }

    /// Puts the directory in place together with a file next to it that describes it, so that the
    /// file never describes another directory. Returns the size of both in bytes.
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

    /// Completes everything except the name, including syncing if requested.
    fn settle(self) -> Result<CompleteOutput> {
        let Self { target, replaceable, tree } = self;
        let tree = tree.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bytes = tree.settle(target.options.sync).map_err(|error| target.io(error))?;
        Ok(CompleteOutput::new(target, Content::Directory(tree, replaceable), bytes))
    }
}

/// Checks that an existing directory may be replaced.
fn check_replaceable(target: &OutputTarget, replaceable: Replaceable) -> Result<()> {
    match &target.url {
        Some(url) => url.check_replaceable(replaceable, &target.options.context),
        None if target.find()?.is_some() => replaceable.check(&target.path, &target.path),
        None => Ok(()),
    }
}

/// Syncs the names in a directory.
fn sync_directory(path: &Path, sync: bool) -> Result<()> {
    if sync {
        system::sync_directory(path).map_err(|error| Error::io(path, error))?;
    }
    Ok(())
}

/// Returns the name of an entry of a directory that `is_member` does not match.
fn find_foreign(is_member: impl Fn(&str) -> bool, path: &Path) -> io::Result<Option<OsString>> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.to_str().is_some_and(&is_member) || !entry.file_type()?.is_file() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
