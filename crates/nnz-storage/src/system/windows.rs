//! Windows.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt as _, MetadataExt as _};
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;

/// `ERROR_HANDLE_EOF`
const END_OF_FILE: i32 = 38;

/// `ERROR_CANT_RESOLVE_FILENAME`
const CANNOT_RESOLVE: i32 = 1921;

pub(super) fn id(found: &Metadata) -> (u64, u64) {
    (found.creation_time(), 0)
}

/// Returns the time of the last change, in units of 100 ns, as a pair because Unix has a pair.
pub(crate) fn modified(found: &Metadata) -> (i64, i64) {
    (i64::try_from(found.last_write_time()).unwrap_or(i64::MAX), 0)
}

/// Reads bytes at an offset. The position of the file is undefined afterwards.
pub(crate) fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    match file.seek_read(out, at) {
        // Past the end.
        Err(error) if error.raw_os_error() == Some(END_OF_FILE) => Ok(0),
        read => read,
    }
}

pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.seek_write(bytes, at)
}

/// Returns whether links lead to each other.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(CANNOT_RESOLVE)
}

/// Creates a file to be read and written. Who may open it follows from the directory.
pub(crate) fn create_file(path: &Path, _: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Creates a directory. Who may enter it follows from the directory around.
pub(crate) fn create_directory(path: &Path, _: bool) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Fails where a file of a directory cannot have that path in it.
pub(crate) fn check_name(path: &str) -> io::Result<()> {
    super::check_windows_path(path)
}

/// Opens a file to be synced, for which it has to be writable.
pub(crate) fn open_to_sync(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Does nothing: NTFS keeps a journal of names, and directories cannot be synced.
pub(crate) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns false: whether files may be removed is found out by removing them.
pub(crate) fn is_unchangeable(_: &Path) -> bool {
    false
}

/// Returns `None`: handles are limited by memory only.
pub(crate) fn open_files_limit() -> Option<u64> {
    None
}

/// Returns false: handles are limited by memory only.
pub(crate) fn is_too_many_files(_: &io::Error) -> bool {
    false
}

/// Opens nothing: handles are limited by memory only.
pub(crate) fn reserve_files(_: usize) -> io::Result<Vec<File>> {
    Ok(Vec::new())
}

/// Returns whether standard input can be read.
pub(crate) fn has_stdin() -> bool {
    !io::stdin().as_raw_handle().is_null()
}

/// Returns whether standard output can be written.
pub(crate) fn has_stdout() -> bool {
    !io::stdout().as_raw_handle().is_null()
}
