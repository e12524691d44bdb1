//! Files without a name, which disappear with the process that has them open.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Creates a file without a name in a directory; `None` if the system does not support this.
#[cfg(target_os = "linux")]
pub(super) fn create(directory: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    if !Path::new("/proc/self/fd").exists() {
        // Without it the file could not be linked to a name.
        return Ok(None);
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match openat(CWD, directory, flags, Mode::from_raw_mode(0o666)) {
        Ok(fd) => Ok(Some(File::from(fd))),
        // Errors of kernels and file systems without this feature.
        Err(Errno::NOTSUP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Links a file without a name to a path; fails if the path exists.
#[cfg(target_os = "linux")]
pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};

    Ok(linkat(CWD, self::path(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Returns the path that the system shows for an open file.
#[cfg(target_os = "linux")]
pub(super) fn path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Files without a name are not supported.
#[cfg(not(target_os = "linux"))]
pub(super) fn create(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Never called, because files without a name are not supported.
#[cfg(not(target_os = "linux"))]
pub(super) fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Never called: other systems have no files without a name.
#[cfg(not(target_os = "linux"))]
pub(super) fn path(_: &File) -> PathBuf {
    PathBuf::new()
}
