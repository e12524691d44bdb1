//! Files of the replaced directory that a directory keeps.

use std::io;
use std::path::{Path, PathBuf};

use super::super::hidden::is_hidden_name;
use super::super::target::OutputTarget;
use super::{Members, Tree};
use crate::system;

/// An error with the path of the file.
pub(in crate::staging) type FileError = (io::Error, PathBuf);

impl Tree {
    /// Links or copies the files of the target that `is_kept` accepts, after completing the others.
    pub(in crate::staging) fn keep(
        &mut self,
        target: &OutputTarget,
        is_kept: &dyn Fn(&Path) -> bool,
    ) -> Result<(), FileError> {
        let whole = |error| (error, target.path.clone());
        let sync = target.options.sync;
        let bytes = self.settle(sync).map_err(whole)?;
        self.spill(target).map_err(whole)?;
        let copy = DirectoryCopy {
            from: &target.path,
            to: &self.hidden_path().map_err(whole)?,
            access: self.access.as_ref(),
            is_kept,
            sync,
        };
        let kept = copy.keep(Path::new(""))?;
        if sync {
            sync_directories(copy.to).map_err(whole)?;
        }
        self.settled = Some(bytes + kept);
        Ok(())
    }
}

/// A copy of a directory whose files are links.
struct DirectoryCopy<'a> {
    from: &'a Path,
    to: &'a Path,
    access: Option<&'a Members>,
    is_kept: &'a dyn Fn(&Path) -> bool,
    sync: bool,
}

impl DirectoryCopy<'_> {
    /// Copies a directory, and returns the size of its files in bytes.
    fn keep(&self, directory: &Path) -> Result<u64, FileError> {
        let (from, to) = (self.from.join(directory), self.to.join(directory));
        let here = |error| (error, from.clone());
        std::fs::create_dir_all(&to).map_err(here)?;
        let mut bytes = 0;
        for entry in std::fs::read_dir(&from).map_err(here)? {
            let entry = entry.map_err(here)?;
            let name = directory.join(entry.file_name());
            // What killed processes left is not kept.
            if is_hidden_name(&entry.file_name()) || !(self.is_kept)(&name) {
                continue;
            }
            let path = entry.path();
            let at = |error| (error, path.clone());
            let kind = entry.file_type().map_err(at)?;
            if kind.is_dir() {
                bytes += self.keep(&name)?;
            } else if kind.is_file() {
                bytes += self.keep_file(&name).map_err(at)?;
            } else {
                return Err((io::ErrorKind::InvalidInput.into(), path));
            }
        }
        Ok(bytes)
    }

    /// Links a file; copies it where that is not possible. Returns its size in bytes.
    fn keep_file(&self, name: &Path) -> io::Result<u64> {
        let (from, to) = (self.from.join(name), self.to.join(name));
        if std::fs::hard_link(&from, &to).is_ok() {
            return Ok(to.symlink_metadata()?.len());
        }
        let bytes = std::fs::copy(&from, &to)?;
        let file = system::open_to_sync(&to)?;
        if let Some(access) = self.access {
            access.apply_to_file(name, &file)?;
        }
        if self.sync {
            file.sync_all()?;
        }
        Ok(bytes)
    }
}

/// Syncs the names in a directory and its subdirectories: the directory that they replace is removed.
fn sync_directories(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_directories(&entry.path())?;
        }
    }
    system::sync_directory(directory)
}
