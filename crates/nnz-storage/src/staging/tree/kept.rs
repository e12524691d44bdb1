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
            link: &|from, to| std::fs::hard_link(from, to),
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
    /// Gives a file another name.
    link: &'a dyn Fn(&Path, &Path) -> io::Result<()>,
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
        if (self.link)(&from, &to).is_ok() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_copied_where_they_cannot_be_linked() {
        let directory = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| directory.path().join(name));
        std::fs::create_dir_all(from.join("layers/a")).unwrap();
        for (name, text) in [("zarr.json", "{}"), ("layers/a/0", "abc"), ("layers/b", "gone")] {
            std::fs::write(from.join(name), text).unwrap();
        }
        let access = Members::of(&from).unwrap();
        let keep = |link: &dyn Fn(&Path, &Path) -> io::Result<()>, to: &Path| {
            let is_kept = |name: &Path| name != Path::new("layers/b");
            let access = access.as_ref();
            let copy =
                DirectoryCopy { from: &from, to, access, is_kept: &is_kept, link, sync: true };
            copy.keep(Path::new("")).unwrap()
        };
        // As on a file system without hard links.
        let refused = |_: &Path, _: &Path| Err(io::ErrorKind::Unsupported.into());
        assert_eq!(keep(&refused, &to), 5);
        assert_eq!(std::fs::read(to.join("zarr.json")).unwrap(), b"{}");
        assert_eq!(std::fs::read(to.join("layers/a/0")).unwrap(), b"abc");
        assert!(!to.join("layers/b").exists());
        // A change of a copy does not reach the file that it was made of.
        std::fs::write(to.join("layers/a/0"), "changed").unwrap();
        assert_eq!(std::fs::read(from.join("layers/a/0")).unwrap(), b"abc");
        // Other errors of copying are not hidden.
        let read_failed = |from: &Path, _: &Path| {
            std::fs::remove_file(from)?;
            Err(io::ErrorKind::Unsupported.into())
        };
        std::fs::remove_file(from.join("zarr.json")).unwrap();
        let none = directory.path().join("none");
        let copy = DirectoryCopy {
            from: &from,
            to: &none,
            access: None,
            is_kept: &|_| true,
            link: &read_failed,
            sync: false,
        };
        let (error, path) = copy.keep(Path::new("")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(path.starts_with(&from));
    }
}
