//! A directory for files, the same for all inputs.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory of this process. The caller sets and removes it, because the fuzzer exits without
/// cleaning up.
pub struct Scratch(PathBuf);

impl Scratch {
    #[expect(clippy::new_without_default, reason = "it creates a directory")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory").keep())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in the directory.
    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("the disk has space");
        path
    }

    /// Removes files and directories, if they exist.
    pub fn clear(&self, names: &[&str]) {
        for name in names {
            let path = self.path(name);
            if path.symlink_metadata().is_ok() {
                let removed = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
                removed.expect("files of a target can be removed");
            }
        }
    }
}

/// Returns a location without a group.
pub fn location(path: &Path) -> nnz::Location {
    nnz::Location::Path { path: path.to_path_buf(), group: None }
}
