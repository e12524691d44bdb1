//! Locks for changing a file by replacing it with a modified copy.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use nnz_core::{Error, Place, Result};

use super::lock::wait_to_read;
use super::target::Version;
use crate::file::NOT_REGULAR;
use crate::system::FileId;

/// Time to wait for another program that has the file open for writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// The files that threads of this process have locked, to detect that a thread would wait for
/// itself.
static HELD: Mutex<Vec<(FileId, ThreadId)>> = Mutex::new(Vec::new());

/// Locks on a file that is copied, changed and replaced, until the copy is in place.
///
/// A shared lock of the whole file (`flock`), as HDF5's library takes for reading: programs can
/// read, but that library does not open the file for writing. And an exclusive lock that only nnz
/// uses, so that its processes wait for each other. Programs that do not use locks are not
/// excluded.
#[derive(Debug)]
pub struct UpdateLock {
    file: File,
    version: Version,
    /// Open for writing, as required by the exclusive lock, which is released when it is closed.
    _exclusive: Option<File>,
    _held: HeldLock,
}

impl UpdateLock {
    /// Waits for the locks of the file at `path`.
    ///
    /// # Errors
    ///
    /// Fails if there is no file, or if it is in use.
    pub fn acquire(path: &Path) -> Result<Self> {
        let io = |error| Error::io(path, error);
        loop {
            // Opening a pipe could block.
            if !path.metadata().map_err(io)?.is_file() {
                return Err(Error::mismatch(Place::path(path), NOT_REGULAR, "a file"));
            }
            let file = File::open(path).map_err(io)?;
            let held = HeldLock::start(FileId::of(&file.metadata().map_err(io)?));
            let Some(held) = held else {
                let found = "a file that is being written by the same thread";
                return Err(Error::mismatch(Place::path(path), found, "a file that is not in use"));
            };
            // Otherwise without permission to write the file, it would be replaced.
            let exclusive = match OpenOptions::new().read(true).write(true).open(path) {
                Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(io(error)),
                // It is not locked; a change is still detected.
                opened => opened.ok(),
            };
            let exclusive = exclusive.filter(|other| is_same(other, &file) && lock_alone(other));
            if uses_locks() && wait_to_read(&file, PATIENCE).map_err(io)? == Some(false) {
                let found = "a file that another program has open for writing";
                return Err(Error::mismatch(Place::path(path), found, "a file that is not in use"));
            }
            let version = Version::of(&file.metadata().map_err(io)?);
            // The previous holder of the locks may have replaced it.
            if path.metadata().is_ok_and(|found| Version::of(&found) == version) {
                return Ok(Self { file, version, _exclusive: exclusive, _held: held });
            }
        }
    }

    /// Returns the file, open for reading.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the state of the file when the locks were obtained.
    pub fn version(&self) -> Version {
        self.version
    }
}

/// An entry in the list of locked files, removed when dropped.
#[derive(Debug)]
struct HeldLock(FileId, ThreadId);

impl HeldLock {
    /// Adds an entry; `None` if this thread has one for the same file.
    fn start(file: FileId) -> Option<Self> {
        let entry = (file, std::thread::current().id());
        let mut held = Self::all();
        if held.contains(&entry) {
            return None;
        }
        held.push(entry);
        Some(Self(entry.0, entry.1))
    }

    fn all() -> MutexGuard<'static, Vec<(FileId, ThreadId)>> {
        HELD.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        let mut held = Self::all();
        if let Some(at) = held.iter().position(|entry| *entry == (self.0, self.1)) {
            held.swap_remove(at);
        }
    }
}

fn is_same(one: &File, other: &File) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => Version::of(&one) == Version::of(&other),
        _ => false,
    }
}

/// Returns whether HDF5's library uses locks; its environment variable also applies to nnz.
fn uses_locks() -> bool {
    let set = std::env::var("HDF5_USE_FILE_LOCKING");
    !set.is_ok_and(|set| matches!(set.to_ascii_uppercase().as_str(), "FALSE" | "0"))
}

/// Waits for a lock of the open file, which is independent of `flock`.
#[cfg(target_os = "linux")]
fn lock_alone(file: &File) -> bool {
    use nix::fcntl::{FcntlArg, fcntl};
    // On a network file system that maps `flock` to these locks, we would wait for ourselves.
    if rustix::fs::fstatfs(file).is_ok_and(|found| NETWORK.contains(&i128::from(found.f_type))) {
        return false;
    }
    let whole = nix::libc::flock {
        l_type: i16::try_from(nix::libc::F_WRLCK).unwrap_or_default(),
        l_whence: i16::try_from(nix::libc::SEEK_SET).unwrap_or_default(),
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    loop {
        match fcntl(file, FcntlArg::F_OFD_SETLKW(&whole)) {
            Err(nix::errno::Errno::EINTR) => {}
            other => return other.is_ok(),
        }
    }
}

/// The magic numbers of NFS and SMB.
#[cfg(target_os = "linux")]
const NETWORK: [i128; 4] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42];

#[cfg(not(target_os = "linux"))]
fn lock_alone(_: &File) -> bool {
    false
}
