//! Checking the free space of a disk.

use std::io;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

/// Fails where a directory's disk has fewer bytes free. A disk that does not report them has enough, as has any on
/// Windows.
///
/// # Errors
///
/// Fails with the error of a write to a full disk.
pub fn check_free_space(directory: &Path, needed: u64, what: &str) -> Result<()> {
    let free = match free_bytes(directory) {
        Some(free) if needed > free => free,
        _ => return Ok(()),
    };
    // The minimum of huge shapes saturates.
    let needed = match needed {
        u64::MAX => "2^64 bytes or more".to_owned(),
        _ => format!("at least {needed} bytes"),
    };
    let message = format!("no space left on the device: {what} needs {needed}, {free} are free");
    let error = io::Error::new(io::ErrorKind::StorageFull, message);
    Err(Error::new(ErrorKind::Io(error), place_of(directory)))
}

/// Returns the place of a directory. That of a file without one is `.`, which says little.
fn place_of(directory: &Path) -> Place {
    match std::env::current_dir() {
        Ok(current) if directory == Path::new(".") => Place::path(current),
        _ => Place::path(directory),
    }
}

#[cfg(unix)]
fn free_bytes(directory: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(directory).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
