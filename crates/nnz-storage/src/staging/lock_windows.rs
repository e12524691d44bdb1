//! Directories that other processes do not remove, on Windows.
//!
//! A lock on Windows would apply to all other handles of a file, including handles of this process, and directories
//! have none. So directories are not locked, nor are files that are read.

use std::fs::{File, OpenOptions};
use std::io;
use std::marker::PhantomData;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

const FILE_SHARE_READ: u32 = 1;
const FILE_SHARE_WRITE: u32 = 2;
const FILE_SHARE_DELETE: u32 = 4;

/// The right to remove or rename.
const DELETE: u32 = 0x1_0000;

/// Opens directories as well.
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x200_0000;

/// Opens links themselves.
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x20_0000;

/// Keeps others from removing or renaming a file or directory as long as the returned file is open. `None`
/// where that cannot be done.
pub(super) fn mark_in_use(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE);
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path).ok()
}

/// Returns whether something is a file or a directory, not a link of another user, that no process
/// [uses](mark_in_use).
pub(super) fn is_abandoned(path: &Path) -> bool {
    let mut options = OpenOptions::new();
    options.access_mode(DELETE);
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE);
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    let Ok(file) = options.open(path) else { return false };
    file.metadata().is_ok_and(|found| found.is_file() || found.is_dir())
}

/// Locks nothing.
pub(super) fn wait_to_read(_: &File, _: Duration) -> io::Result<Option<bool>> {
    Ok(None)
}

/// No lock.
pub(super) struct DirectoryLock<'a>(PhantomData<&'a File>);

impl<'a> DirectoryLock<'a> {
    pub(super) fn acquire(_: Option<&'a File>) -> Self {
        Self(PhantomData)
    }

    pub(super) fn try_acquire(_: Option<&'a File>) -> Option<Self> {
        Some(Self(PhantomData))
    }
}
