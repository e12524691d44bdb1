//! Names of unfinished and replaced outputs.

use std::ffi::OsStr;
use std::fs::{DirEntry, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use super::critical::remove;
use super::lock::{DirectoryLock, is_abandoned};

/// Separates the name of the target from the digits.
const MARK: &str = ".nnz-";

/// The number of hexadecimal digits at the end of a hidden name.
const DIGITS: usize = 16;

/// The content of a stand-in, unless it is still empty. Other files are not removed.
pub(super) const STAND_IN: &[u8] = b"stand-in of nnz\n";

/// Returns whether a file is a stand-in for a file without a name, at the path that Linux shows for
/// it.
fn is_stand_in(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let inode = name.to_str().and_then(|name| name.strip_prefix('#')?.strip_suffix(" (deleted)"));
    inode.is_some_and(|inode| inode.bytes().all(|byte| byte.is_ascii_digit()))
        && entry.file_type().is_ok_and(|kind| kind.is_file())
        && entry.metadata().is_ok_and(|found| found.len() <= STAND_IN.len() as u64)
        && std::fs::read(entry.path()).is_ok_and(|bytes| bytes.is_empty() || bytes == STAND_IN)
}

/// Returns the prefix of all hidden names of a target.
fn prefix(target: &OsStr) -> String {
    // Names have at most 255 bytes on common file systems.
    let name: String = target.to_string_lossy().chars().take(40).collect();
    format!(".{name}{MARK}")
}

/// Creates an unused hidden name next to a target.
pub(super) fn sibling(parent: &Path, target: &OsStr) -> PathBuf {
    // Random, because processes on other machines and in other containers may write here too.
    let random = RandomState::new().build_hasher().finish();
    parent.join(format!("{}{random:016x}", prefix(target)))
}

fn has_digits(rest: &str) -> bool {
    rest.len() == DIGITS && rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns whether a name has the form of a hidden name, for any target.
pub fn is_hidden_name(name: &OsStr) -> bool {
    let parts = name.to_str().and_then(|name| name.rsplit_once(MARK));
    parts.is_some_and(|(name, digits)| name.starts_with('.') && has_digits(digits))
}

/// Removes the hidden files of a target that killed processes left.
///
/// Files in use are locked, or hidden only while their process has the lock of the directory.
pub(super) fn sweep(parent: &Path, target: &OsStr, directory: Option<&File>) {
    let prefix = prefix(target);
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    let mut lock = None;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let of_target = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        if !of_target.is_some_and(has_digits) && !is_stand_in(&entry) {
            continue;
        }
        lock = lock.or_else(|| DirectoryLock::try_acquire(directory));
        if lock.is_none() {
            return;
        }
        let path = entry.path();
        if is_abandoned(&path) {
            remove(&path);
        }
    }
}
