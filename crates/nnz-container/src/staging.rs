//! Outputs that appear whole or not at all.
//!
//! A file is written without a name where the system allows that (`O_TMPFILE`), so that whatever
//! stops the process leaves nothing behind; elsewhere under a hidden name beside its target. When
//! it is complete and synced it takes its target's name in one step.

mod anonymous;
mod directory;
mod file;
mod pending;

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result};

pub use directory::StagedDirectory;
pub use file::StagedFile;
use pending::Pending;
pub use pending::{abandon_all, abandon_unless_placed};

/// Says how a target is put in its place.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Whether a target that is there already is replaced.
    pub overwrite: bool,
    /// Whether the data is on disk before the target appears.
    pub sync: bool,
}

impl Default for WriteOptions {
    /// Nothing is replaced, everything is synced.
    fn default() -> Self {
        Self { overwrite: false, sync: true }
    }
}

/// A target that may be written, and the directory it lies in.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    parent: PathBuf,
    name: OsString,
    /// What is there already, to be replaced.
    existing: Option<Metadata>,
    options: WriteOptions,
}

impl Target {
    /// Checks that `path` may be written.
    fn check(path: &Path, options: WriteOptions) -> Result<Self> {
        let io = |error| Error::io(path, error);
        // A link stands for what it points to: that is what gets replaced, not the link.
        let path = match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => path.canonicalize().map_err(io)?,
            _ => path.to_path_buf(),
        };
        let existing = match path.symlink_metadata() {
            Ok(found) => Some(found),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io(&path, error)),
        };
        if let Some(found) = &existing {
            if !found.is_file() && !found.is_dir() {
                let what = "neither a file nor a directory: it cannot be replaced".to_owned();
                return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
            }
            if !options.overwrite {
                return Err(Error::new(ErrorKind::Exists, Place::path(path)));
            }
        }
        let Some(name) = path.file_name().map(ToOwned::to_owned) else {
            let what = "not the name of a file or directory".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
        };
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        match parent.metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::io(&parent, std::io::ErrorKind::NotADirectory.into())),
            Err(error) => return Err(Error::io(&parent, error)),
        }
        let target = Self { path, parent, name, existing, options };
        target.sweep();
        Ok(target)
    }

    /// The beginning of all hidden names of this target that this machine makes.
    fn hidden_prefix(&self) -> String {
        // Names are at most 255 bytes on every common file system.
        let name: String = self.name.to_string_lossy().chars().take(40).collect();
        let host = rustix::system::uname();
        let host: String = host.nodename().to_string_lossy().chars().take(40).collect();
        format!(".{name}.nnz-{}-", host.replace(['/', '.'], "_"))
    }

    /// Removes what processes that were killed left under hidden names of this target.
    fn sweep(&self) {
        let prefix = self.hidden_prefix();
        let Ok(entries) = std::fs::read_dir(&self.parent) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.strip_prefix(&prefix));
            let process = process.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
            // Whether a process lives is only known where the system tells of its own. One in another
            // container is not seen, but its lock is.
            let tells = Path::new("/proc/self").exists();
            let lives = |process| Path::new("/proc").join(format!("{process}")).exists();
            if let Some(process) = process
                && tells
                && !lives(process)
            {
                pending::remove_unused(&entry.path());
            }
        }
    }

    /// Makes a hidden name beside the target that no other process or thread uses.
    fn hidden_sibling(&self) -> PathBuf {
        use std::sync::atomic::{AtomicU64, Ordering};
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        self.parent.join(format!("{}{}-{count}", self.hidden_prefix(), std::process::id()))
    }

    fn io(&self, error: std::io::Error) -> Error {
        Error::io(&self.path, error)
    }

    /// Takes a file that is to be replaced out of its place already; it is removed when what is
    /// returned is dropped.
    fn put_aside(&self) -> Result<Option<Pending>> {
        if self.existing.is_none() {
            return Ok(None);
        }
        let aside =
            Pending::make(self.hidden_sibling(), |aside| std::fs::rename(&self.path, aside));
        match aside {
            Ok((aside, ())) => Ok(Some(aside)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io(error)),
        }
    }

    /// Gives what is at `from` the target's name, replacing what may be replaced.
    ///
    /// Returns where the old target lies now, if it was a directory and has to be removed.
    fn take_name(&self, from: &Path) -> std::io::Result<Option<PathBuf>> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        let unsupported = |error: rustix::io::Errno| {
            matches!(
                error,
                rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP
            )
        };
        let Some(existing) = &self.existing else {
            return match renameat_with(CWD, from, CWD, &self.path, RenameFlags::NOREPLACE) {
                Err(error) if unsupported(error) => {
                    if self.path.symlink_metadata().is_ok() {
                        return Err(std::io::ErrorKind::AlreadyExists.into());
                    }
                    std::fs::rename(from, &self.path).map(|()| None)
                }
                other => Ok(other.map(|()| None)?),
            };
        };
        if existing.is_file() && from.symlink_metadata()?.is_file() {
            return std::fs::rename(from, &self.path).map(|()| None);
        }
        match renameat_with(CWD, from, CWD, &self.path, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(Some(from.to_path_buf())),
            Err(error) if unsupported(error) => {
                // Not in one step: the old target goes aside, and comes back if the new one fails.
                let aside = self.hidden_sibling();
                std::fs::rename(&self.path, &aside)?;
                if let Err(error) = std::fs::rename(from, &self.path) {
                    std::fs::rename(&aside, &self.path)?;
                    return Err(error);
                }
                Ok(Some(aside))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the new name itself survive a power cut.
    fn sync_parent(&self) -> Result<()> {
        if !self.options.sync {
            return Ok(());
        }
        let synced = std::fs::File::open(&self.parent).and_then(|dir| dir.sync_all());
        match synced {
            // Some network file systems do not sync directories; the files themselves are synced.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
            other => other.map_err(|error| Error::io(&self.parent, error)),
        }
    }
}
