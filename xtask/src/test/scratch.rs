//! A directory in memory for the files of tests.
//!
//! Tests write thousands of small stores. On ext4 most of their time would be spent on finding numbers for files without
//! names, because it does not use numbers of files that were deleted in the last seconds.

use std::fs;
use std::path::{Path, PathBuf};

/// Where Linux has a file system in memory.
const MEMORY: &str = "/dev/shm";

/// The space that has to be free. Tests need less than a fifth of it.
const BYTES: u64 = 1 << 30;

/// The directory, which is removed at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates it; `None` if there is no memory for it, or the environment says where temporary files are.
    pub(crate) fn new() -> Option<Self> {
        if std::env::var_os("TMPDIR").is_some() || free(Path::new(MEMORY))? < BYTES {
            return None;
        }
        let path = Path::new(MEMORY).join(format!("nnz-tests-{}", std::process::id()));
        fs::create_dir(&path).ok()?;
        Some(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            println!("    {} was not removed: {error}", self.0.display());
        }
    }
}

#[cfg(target_os = "linux")]
fn free(directory: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(directory).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(target_os = "linux"))]
fn free(_: &Path) -> Option<u64> {
    None
}
