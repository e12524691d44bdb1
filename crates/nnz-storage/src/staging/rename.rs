//! Names that are exchanged, or taken only if they are free.

use std::io;
use std::path::Path;

/// Error of an exchange of names.
pub(super) enum ExchangeError {
    /// The system or the file system cannot do it.
    Unsupported,
    #[cfg_attr(not(any(target_os = "linux", target_vendor = "apple")), allow(dead_code))]
    Failed(io::Error),
}

/// Exchanges two names in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn exchange(one: &Path, other: &Path) -> Result<(), ExchangeError> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|error| {
        if is_unsupported(error) {
            ExchangeError::Unsupported
        } else {
            ExchangeError::Failed(error.into())
        }
    })
}

/// Renames something if nothing has the new name.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn rename_free(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(error) if is_unsupported(error) => check_and_rename(from, to),
        other => Ok(other?),
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn is_unsupported(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;

    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)
}

/// Exchanges nothing: the system cannot do it.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn exchange(_: &Path, _: &Path) -> Result<(), ExchangeError> {
    Err(ExchangeError::Unsupported)
}

/// Renames something if nothing has the new name. A file that takes the name between the check and the
/// rename is replaced.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn rename_free(from: &Path, to: &Path) -> io::Result<()> {
    check_and_rename(from, to)
}

fn check_and_rename(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    std::fs::rename(from, to)
}
