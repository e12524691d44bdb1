//! Locks between processes.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;

/// Time to wait for a lock that is held only briefly.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time to wait before trying again.
const PAUSE: Duration = Duration::from_millis(2);

/// Locks a file or directory as long as the returned file is open, so that other processes do not take it for
/// [abandoned](is_abandoned). `None` where that cannot be done.
pub(super) fn mark_in_use(path: &Path) -> Option<File> {
    File::open(path).ok().filter(try_lock)
}

/// Returns whether something is a file or a directory, not a link or a pipe of another user, that no
/// process [uses](mark_in_use).
pub(super) fn is_abandoned(path: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = open(path, flags, Mode::empty()).map(File::from) else { return false };
    let Ok(found) = file.metadata() else { return false };
    (found.is_file() || found.is_dir()) && try_lock(&file)
}

/// Locks a file or directory if it is not locked.
fn try_lock(file: &File) -> bool {
    flock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Waits at most `patience` for a lock that allows other processes to read.
///
/// Returns whether it was obtained; `None` if the file system does not support locks.
pub(super) fn wait_to_read(file: &File, patience: Duration) -> io::Result<Option<bool>> {
    wait(file, FlockOperation::NonBlockingLockShared, patience)
}

fn wait(file: &File, operation: FlockOperation, patience: Duration) -> io::Result<Option<bool>> {
    let start = Instant::now();
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(Some(true)),
            Err(Errno::AGAIN) if start.elapsed() < patience => std::thread::sleep(PAUSE),
            Err(Errno::AGAIN) => return Ok(Some(false)),
            Err(Errno::INTR) => {}
            // NFS locks only files open for writing; other file systems have no locks.
            Err(Errno::BADF | Errno::NOSYS | Errno::NOTSUP | Errno::INVAL | Errno::NOLCK) => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// A lock on the directory in which names are created and removed. Released when dropped.
pub(super) struct DirectoryLock<'a>(Option<&'a File>);

impl<'a> DirectoryLock<'a> {
    /// Waits for the lock. After ten seconds, or without support for locks, continues without it.
    pub(super) fn acquire(directory: Option<&'a File>) -> Self {
        let exclusive = FlockOperation::NonBlockingLockExclusive;
        Self(directory.filter(|file| matches!(wait(file, exclusive, PATIENCE), Ok(Some(true)))))
    }

    /// Takes the lock if it is free.
    pub(super) fn try_acquire(directory: Option<&'a File>) -> Option<Self> {
        directory.filter(|file| try_lock(file)).map(|file| Self(Some(file)))
    }
}

impl Drop for DirectoryLock<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            let _ = flock(file, FlockOperation::Unlock);
        }
    }
}
