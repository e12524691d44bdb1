//! Checking the free space of a disk.

use std::io;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

/// Fails if the disk of a directory has fewer bytes free. If a file system does not report free
/// space, it is assumed to suffice.
///
/// # Errors
///
/// Fails with the error of a write to a full disk.
pub fn check_free_space(directory: &Path, needed: u64, what: &str) -> Result<()> {
    let Ok(found) = rustix::fs::statvfs(directory) else { return Ok(()) };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if needed <= free {
        return Ok(());
    }
    let message =
        format!("no space left on device: {what} takes at least {needed} bytes, {free} are free");
    let error = io::Error::new(io::ErrorKind::StorageFull, message);
    Err(Error::new(ErrorKind::Io(error), Place::path(directory)))
}
