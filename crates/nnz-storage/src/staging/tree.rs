//! The files of a directory that is being written.

mod kept;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::access::Access;
use super::anonymous;
use super::critical::{Critical, Pending};
use super::target::OutputTarget;
use crate::system;

/// Minimum and maximum number of files without a name that are kept open.
const MIN_UNNAMED: u64 = 16;
const MAX_UNNAMED: u64 = 16 << 10;

/// Files of a directory, which have no names until the directory is put in place.
///
/// If there are more than can be kept open, they are linked in a hidden directory, which a killed
/// process leaves.
#[derive(Debug)]
pub(super) struct Tree {
    /// Files by their path in the directory.
    unnamed: BTreeMap<String, File>,
    /// Maximum number of files without a name that are kept open.
    most: usize,
    /// Maximum depth of a path.
    depth: usize,
    /// The directory at its hidden path. Dropped after the open files, because removing it needs
    /// file descriptors.
    hidden: Option<Pending>,
    /// The access of directories, if they replace others.
    access: Option<Members>,
    /// The size of all files in bytes, once they are complete.
    settled: Option<u64>,
}

impl Tree {
    pub(super) fn new(access: Option<Members>) -> Self {
        let limit = system::open_files_limit().unwrap_or(u64::MAX);
        let most = usize::try_from((limit / 4).clamp(MIN_UNNAMED, MAX_UNNAMED));
        Self {
            unnamed: BTreeMap::new(),
            most: most.unwrap_or(usize::MAX),
            depth: 1,
            hidden: None,
            access,
            settled: None,
        }
    }

    pub(super) fn hidden(&self) -> Option<&Pending> {
        self.hidden.as_ref()
    }

    /// Creates a file, at a path in the directory with `/` between names.
    pub(super) fn create(&mut self, name: &str, target: &OutputTarget) -> io::Result<File> {
        system::check_name(name)?;
        if self.unnamed.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.depth = self.depth.max(name.split('/').count());
        if self.hidden.is_none() && self.unnamed.len() < self.most {
            match self.create_unnamed(name, target) {
                Ok(Some(file)) => return Ok(file),
                Ok(None) => {}
                // Too many files are open: closing those that are written frees descriptors.
                Err(error) if self.unnamed.is_empty() || !system::is_too_many_files(&error) => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        self.spill(target)?;
        let path = self.hidden_path()?.join(name);
        self.make_directories(name)?;
        system::create_file(&path, false)
    }

    fn create_unnamed(&mut self, name: &str, target: &OutputTarget) -> io::Result<Option<File>> {
        let Some(file) = anonymous::create(&target.parent)? else { return Ok(None) };
        let other = file.try_clone()?;
        self.unnamed.insert(name.to_owned(), file);
        Ok(Some(other))
    }

    /// Moves all files to a hidden directory.
    fn spill(&mut self, target: &OutputTarget) -> io::Result<()> {
        if self.hidden.is_none() {
            // A directory is not created if it could not be removed.
            let reserve = system::reserve_files(self.depth.max(4))?;
            let _lock = target.lock();
            let mut critical = Critical::enter();
            self.make_hidden(target, &mut critical)?;
            if let Some(hidden) = &mut self.hidden {
                hidden.keep_reserve(reserve);
                hidden.mark_in_use();
            }
        }
        self.link_all()
    }

    fn make_hidden(&mut self, target: &OutputTarget, critical: &mut Critical) -> io::Result<()> {
        let path = target.hidden_sibling();
        // A replacement of a private directory is private from the start.
        system::create_directory(&path, self.access.is_some())?;
        self.hidden = Some(critical.register(path));
        Ok(())
    }

    fn hidden_path(&self) -> io::Result<PathBuf> {
        let path = self.hidden.as_ref().map(|hidden| hidden.path().to_path_buf());
        path.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Creates the directories of a file.
    fn make_directories(&self, name: &str) -> io::Result<()> {
        match name.rsplit_once('/') {
            Some((directories, _)) => {
                std::fs::create_dir_all(self.hidden_path()?.join(directories))
            }
            None => Ok(()),
        }
    }

    /// Links all files in the hidden directory.
    fn link_all(&mut self) -> io::Result<()> {
        let hidden = self.hidden_path()?;
        let mut made = None;
        while let Some((name, file)) = self.unnamed.pop_first() {
            let directory = name.rsplit_once('/').map(|(directory, _)| directory.to_owned());
            if directory != made {
                self.make_directories(&name)?;
                made = directory;
            }
            anonymous::link(&file, &hidden.join(&name))?;
        }
        Ok(())
    }

    /// Links all files in a hidden directory, which can then be put in place.
    pub(super) fn name_all(
        &mut self,
        target: &OutputTarget,
        critical: &mut Critical,
    ) -> io::Result<()> {
        if self.hidden.is_none() {
            self.make_hidden(target, critical)?;
        }
        self.link_all()?;
        if let Some(access) = self.access.take() {
            let path = self.hidden_path()?;
            access.apply_to_directories(&path, &path)?;
        }
        if let Some(hidden) = &mut self.hidden {
            hidden.unmark();
        }
        Ok(())
    }

    /// Takes the files that have no name, with their paths in the directory.
    pub(super) fn take_unnamed(&mut self) -> BTreeMap<String, File> {
        std::mem::take(&mut self.unnamed)
    }

    /// Calls a function for all files in the hidden directory, with their paths in the directory and outside it.
    pub(super) fn for_each_named(
        &self,
        visit: &mut dyn FnMut(String, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(hidden) = &self.hidden else { return Ok(()) };
        for_each_file(hidden.path(), &mut |path| {
            let inside = path.strip_prefix(hidden.path()).map_err(io::Error::other)?;
            let names: Option<Vec<&str>> = inside.iter().map(std::ffi::OsStr::to_str).collect();
            let names = names.ok_or(io::ErrorKind::InvalidFilename)?;
            visit(names.join("/"), path)
        })
    }

    /// Does the slow part before the directory is put in place: access, and syncing if requested.
    /// Returns the size of all files in bytes.
    pub(super) fn settle(&self, sync: bool) -> io::Result<u64> {
        if let Some(bytes) = self.settled {
            return Ok(bytes);
        }
        let mut bytes = 0;
        let mut settle = |name: &Path, file: &File| {
            if let Some(access) = &self.access {
                access.apply_to_file(name, file)?;
            }
            bytes += file.metadata()?.len();
            if sync { file.sync_all() } else { Ok(()) }
        };
        for (name, file) in &self.unnamed {
            settle(Path::new(name), file)?;
        }
        if let Some(hidden) = &self.hidden {
            for_each_file(hidden.path(), &mut |path| {
                let name = path.strip_prefix(hidden.path()).unwrap_or(path);
                settle(name, &system::open_to_sync(path)?)
            })?;
        }
        Ok(bytes)
    }
}

/// Calls a function for all files in a directory and its subdirectories.
fn for_each_file(
    directory: &Path,
    visit: &mut dyn FnMut(&Path) -> io::Result<()>,
) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            for_each_file(&entry.path(), visit)?;
        } else if kind.is_file() {
            visit(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes permissions from a mode that a file does not have.
fn narrow(mode: &mut Option<u32>, path: &Path) -> io::Result<()> {
    if let Some(access) = Access::of(path)? {
        *mode = Some(mode.map_or(access.mode(), |mode| mode & access.mode()));
    }
    Ok(())
}

/// The access of files that replace files of a directory, or are added to one.
#[derive(Debug)]
pub(super) struct Members {
    /// The directory to replace, with files of the same names.
    old: Option<PathBuf>,
    directory: Access,
    /// The mode of other files: the permissions that all existing files have.
    mode: Option<u32>,
}

impl Members {
    /// Reads the access for replacing a directory. `None` if it does not exist.
    pub(super) fn of(old: &Path) -> io::Result<Option<Self>> {
        let Some(members) = Self::of_directory(old)? else { return Ok(None) };
        let mut mode = members.mode;
        for_each_file(old, &mut |path| narrow(&mut mode, path))?;
        Ok(Some(Self { old: Some(old.to_path_buf()), mode, ..members }))
    }

    /// Reads the access for adding to a directory. `None` if it does not exist.
    pub(super) fn of_directory(directory: &Path) -> io::Result<Option<Self>> {
        let access = Access::of(directory)?.filter(|_| directory.is_dir());
        let Some(access) = access else { return Ok(None) };
        let mut mode = None;
        // Without subdirectories: a store may have millions of files.
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                narrow(&mut mode, &entry.path())?;
            }
        }
        Ok(Some(Self { old: None, directory: access, mode }))
    }

    /// Reads the access of the file that is replaced.
    fn counterpart(&self, name: &Path) -> io::Result<Option<Access>> {
        match &self.old {
            Some(old) if !name.as_os_str().is_empty() => Access::of(&old.join(name)),
            _ => Ok(None),
        }
    }

    fn apply_to_file(&self, name: &Path, file: &File) -> io::Result<()> {
        match (self.counterpart(name)?, self.mode) {
            (Some(access), _) => access.apply(file),
            (None, Some(mode)) => self.directory.of_member(mode).apply(file),
            (None, None) => Ok(()),
        }
    }

    /// Applies the access to all directories, innermost first, as outer ones may not be writable.
    fn apply_to_directories(&self, directory: &Path, root: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.apply_to_directories(&entry.path(), root)?;
            }
        }
        let access = self.counterpart(directory.strip_prefix(root).unwrap_or(Path::new("")))?;
        access.as_ref().unwrap_or(&self.directory).apply_to_directory(directory)
    }
}
