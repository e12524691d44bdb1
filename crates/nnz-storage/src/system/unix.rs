//! Linux, macOS and other Unix systems.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{Access, OFlags, fcntl_getfl};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

pub(super) fn id(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Returns the time of the last change, in seconds and nanoseconds.
pub(crate) fn modified(found: &Metadata) -> (i64, i64) {
    (found.mtime(), found.mtime_nsec())
}

/// Reads bytes at an offset.
pub(crate) fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(out, at)
}

pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.write_at(bytes, at)
}

/// Returns whether links lead to each other.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

/// Creates a file to be read and written, which only this user may open if it is private.
pub(crate) fn create_file(path: &Path, private: bool) -> io::Result<File> {
    let mode = if private { 0o600 } else { 0o666 };
    OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path)
}

/// Creates a directory, which only this user may enter if it is private.
pub(crate) fn create_directory(path: &Path, private: bool) -> io::Result<()> {
    DirBuilder::new().mode(if private { 0o700 } else { 0o777 }).create(path)
}

/// Fails where a file of a directory cannot have that path in it.
pub(crate) fn check_name(_: &str) -> io::Result<()> {
    Ok(())
}

/// Opens a file to be synced.
pub(crate) fn open_to_sync(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Makes the names in a directory survive a power cut.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Returns whether the user may not add and remove files of a directory.
pub(crate) fn is_unchangeable(directory: &Path) -> bool {
    rustix::fs::access(directory, Access::WRITE_OK | Access::EXEC_OK).is_err()
}

/// Returns how many files may be open; `None` if that is not limited.
pub(crate) fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns whether an error says that too many files are open.
pub(crate) fn is_too_many_files(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(code, Some(Errno::MFILE | Errno::NFILE))
}

/// Opens files to be given up when others have to be opened.
pub(crate) fn reserve_files(count: usize) -> io::Result<Vec<File>> {
    (0..count).map(|_| File::open("/dev/null")).collect()
}

/// Returns whether standard input can be read.
pub(crate) fn has_stdin() -> bool {
    has_access(rustix::stdio::stdin(), OFlags::RDONLY)
}

/// Returns whether standard output can be written.
pub(crate) fn has_stdout() -> bool {
    has_access(rustix::stdio::stdout(), OFlags::WRONLY)
}

/// Whether a descriptor is open for what is asked, or for reading and writing.
fn has_access(descriptor: rustix::fd::BorrowedFd<'_>, wanted: OFlags) -> bool {
    fcntl_getfl(descriptor).is_ok_and(|flags| {
        let access = flags & OFlags::ACCMODE;
        access == wanted || access == OFlags::RDWR
    })
}
