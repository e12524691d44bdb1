//! Several outputs in one directory that appear together.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::WriteOptions;
use super::access::Access;
use super::critical::{Critical, Pending};
use super::hidden::{sibling, sweep};
use super::lock::DirectoryLock;
use super::ready::directory_in_the_way;
use super::rename::{ExchangeError, exchange, rename_free};
use crate::system;

/// Outputs that are written into a hidden directory, and moved to their directory when all are complete. Dropped
/// before, or after a signal, nothing is left of them.
#[derive(Debug)]
pub struct StagedGroup {
    hidden: Pending,
    /// A directory in the hidden one, which is locked itself: outputs lock the directory they are staged in.
    inner: PathBuf,
    directory: PathBuf,
    options: WriteOptions,
}

impl StagedGroup {
    /// Starts outputs in a local directory, which is created with its parents when they are put in place.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written.
    pub fn create(directory: &Path, options: &WriteOptions) -> Result<Self> {
        // On the disk of the directory, so that outputs are moved in one step.
        let parent = nearest(directory);
        match parent.metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::io(parent, io::ErrorKind::NotADirectory.into())),
            Err(error) => return Err(Error::io(parent, error)),
        }
        let name = directory.file_name().unwrap_or(OsStr::new("parts"));
        let opened = File::open(parent).ok();
        sweep(parent, name, opened.as_ref());
        let path = sibling(parent, name);
        let _lock = DirectoryLock::acquire(opened.as_ref());
        let mut critical = Critical::enter();
        // Private: outputs get the permissions of what they replace when they are moved.
        system::create_directory(&path, true).map_err(|error| Error::io(directory, error))?;
        let inner = path.join("outputs");
        let mut hidden = critical.register(path);
        hidden.mark_in_use();
        drop(critical);
        system::create_directory(&inner, true).map_err(|error| Error::io(directory, error))?;
        Ok(Self { hidden, inner, directory: directory.to_path_buf(), options: options.clone() })
    }

    /// Returns the directory into which outputs are written.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner
    }

    /// Returns whether names that differ only in case are the same file.
    #[must_use]
    pub fn ignores_case(&self) -> bool {
        let name = self.inner.file_name().map(|name| name.to_string_lossy().to_uppercase());
        name.is_some_and(|name| self.inner.with_file_name(name).symlink_metadata().is_ok())
    }

    /// Replaces the hidden directory in the place of an error by the directory of the outputs.
    #[must_use]
    pub fn shown(&self, error: Error) -> Error {
        let path = error.place().path.as_deref();
        let Some(inner) = path.and_then(|path| path.strip_prefix(self.path()).ok()) else {
            return error;
        };
        let place = error.place().clone().with_path(self.directory.join(inner));
        error.with_place(place)
    }

    /// Moves outputs with these names to the directory.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be written, or if an output exists and may not be replaced. Then everything is as
    /// it was.
    pub fn commit(mut self, names: &[String]) -> Result<()> {
        let mut created = CreatedDirectories(Vec::new());
        created.create(&self.directory)?;
        let opened = File::open(&self.directory).ok();
        {
            let _lock = DirectoryLock::acquire(opened.as_ref());
            let mut critical = Critical::enter();
            let mut moved = Vec::new();
            for name in names {
                let target = self.directory.join(name);
                match self.place(name, &target) {
                    Ok(done) => moved.push(done),
                    Err(error) => {
                        moved.into_iter().rev().for_each(Move::undo);
                        return Err(error);
                    }
                }
            }
            critical.placed(&self.directory);
        }
        created.0.clear();
        self.hidden.unmark();
        match opened.filter(|_| self.options.sync).map(|directory| directory.sync_all()) {
            // Some network file systems cannot sync directories.
            Some(Err(error)) if error.kind() != io::ErrorKind::InvalidInput => {
                Err(Error::io(&self.directory, error))
            }
            _ => Ok(()),
        }
    }

    fn place(&self, name: &str, target: &Path) -> Result<Move> {
        let hidden = self.path().join(name);
        let io = |error| Error::io(target, error);
        let exists = || Error::new(ErrorKind::Exists, Place::path(target));
        // A link is not replaced, but the file that it points to.
        let target = match target.symlink_metadata() {
            Ok(found) if found.is_symlink() => target.canonicalize().map_err(io)?,
            _ => target.to_path_buf(),
        };
        let there = match target.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match rename_free(&hidden, &target) {
                    Ok(()) => Ok(Move::New { hidden, target }),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
                    Err(error) => Err(io(error)),
                };
            }
            Err(error) => return Err(io(error)),
        };
        if !self.options.overwrite {
            return Err(exists());
        }
        if there.is_dir() && !hidden.is_dir() {
            return Err(directory_in_the_way(&target));
        }
        // A directory does not get the permissions of a file.
        let same_kind = there.is_dir() == hidden.is_dir();
        if let Some(access) = Access::of(&target).map_err(io)?.filter(|_| same_kind) {
            access.apply_to_directory(&hidden).map_err(io)?;
        }
        match exchange(&hidden, &target) {
            Ok(()) => Ok(Move::Exchanged { hidden, target }),
            Err(ExchangeError::Failed(error)) => Err(io(error)),
            Err(ExchangeError::Unsupported) => {
                let aside = sibling(self.path(), OsStr::new("old"));
                std::fs::rename(&target, &aside).map_err(io)?;
                match std::fs::rename(&hidden, &target) {
                    Ok(()) => Ok(Move::Replaced { hidden, target, aside }),
                    Err(error) => {
                        let _ = std::fs::rename(&aside, &target);
                        Err(io(error))
                    }
                }
            }
        }
    }
}

/// Returns the directory itself, or its nearest parent that exists.
fn nearest(directory: &Path) -> &Path {
    let here = Path::new(".");
    let mut parents = directory.ancestors();
    let found = parents.find(|path| path.as_os_str().is_empty() || path.symlink_metadata().is_ok());
    found.filter(|path| !path.as_os_str().is_empty()).unwrap_or(here)
}

/// The way an output was put in place.
enum Move {
    New {
        hidden: PathBuf,
        target: PathBuf,
    },
    /// The old output has the hidden path.
    Exchanged {
        hidden: PathBuf,
        target: PathBuf,
    },
    Replaced {
        hidden: PathBuf,
        target: PathBuf,
        aside: PathBuf,
    },
}

impl Move {
    /// Restores what was there, as far as possible.
    fn undo(self) {
        match self {
            Self::New { hidden, target } => drop(rename_free(&target, &hidden)),
            Self::Exchanged { hidden, target } => drop(exchange(&hidden, &target)),
            Self::Replaced { hidden, target, aside } => {
                let _ = std::fs::rename(&target, hidden);
                let _ = std::fs::rename(aside, target);
            }
        }
    }
}

/// Directories that were created, the innermost first. They are removed when this is dropped.
struct CreatedDirectories(Vec<PathBuf>);

impl CreatedDirectories {
    fn create(&mut self, directory: &Path) -> Result<()> {
        let missing = directory
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && path.symlink_metadata().is_err());
        self.0 = missing.map(Path::to_path_buf).collect();
        std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))
    }
}

impl Drop for CreatedDirectories {
    fn drop(&mut self) {
        for directory in &self.0 {
            // Only if it is empty.
            let _ = std::fs::remove_dir(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn forced() -> WriteOptions {
        WriteOptions::default().overwrite(true).sync(false)
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn two(directory: &Path, options: &WriteOptions) -> (StagedGroup, [String; 2]) {
        let group = StagedGroup::create(directory, options).unwrap();
        let names = ["a", "b"].map(str::to_owned);
        for name in &names {
            fs::write(group.path().join(name), "new").unwrap();
        }
        (group, names)
    }

    #[test]
    fn all_outputs_appear_or_none() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("new/inner");
        drop(two(&directory, &forced()));
        assert_eq!(names(root.path()), [""; 0]);
        let (group, files) = two(&directory, &forced());
        assert_eq!(names(root.path()).len(), 1);
        group.commit(&files).unwrap();
        assert_eq!(names(&directory), files);
        assert_eq!(names(root.path()), ["new"]);
    }

    #[test]
    fn outputs_can_lock_the_directory_they_are_staged_in() {
        let root = tempfile::tempdir().unwrap();
        let group = StagedGroup::create(&root.path().join("parts"), &forced()).unwrap();
        let opened = File::open(group.path()).ok();
        // Each of them waited ten seconds for it.
        assert!(DirectoryLock::try_acquire(opened.as_ref()).is_some());
    }

    #[test]
    fn what_was_replaced_is_restored_after_an_error() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path();
        fs::write(directory.join("a"), "old").unwrap();
        // A file does not replace a directory.
        fs::create_dir(directory.join("b")).unwrap();
        let (group, files) = two(directory, &forced());
        let error = group.commit(&files).unwrap_err();
        assert!(error.to_string().contains("is a directory"), "{error}");
        assert_eq!(fs::read(directory.join("a")).unwrap(), b"old");
        assert_eq!(names(directory), files);
        fs::remove_dir(directory.join("b")).unwrap();
        let (group, files) = two(directory, &forced());
        group.commit(&files).unwrap();
        assert_eq!(fs::read(directory.join("a")).unwrap(), b"new");
        // Without the permission to replace, new outputs are removed again.
        fs::remove_file(directory.join("a")).unwrap();
        let (group, files) = two(directory, &WriteOptions::default().overwrite(false).sync(false));
        let error = group.commit(&files).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Exists));
        assert_eq!(names(directory), ["b"]);
    }

    #[test]
    fn errors_show_the_directory_of_the_outputs() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("d");
        let group = StagedGroup::create(&directory, &forced()).unwrap();
        let error = Error::unsupported(Place::path(group.path().join("a")), "it");
        let error = group.shown(error.with_hint("x", "helps"));
        assert_eq!(error.place().path.as_deref(), Some(&*directory.join("a")));
        assert!(error.hint().is_some());
    }
}
