//! A place for files, the same one for every input.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory of this process. Whoever starts it says where, and removes what is left: the fuzzer
/// ends without a word.
pub struct Scratch(PathBuf);

impl Scratch {
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory").keep())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file of the directory.
    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("room for a file");
        path
    }

    /// Removes files and directories that may be there.
    pub fn clear(&self, names: &[&str]) {
        for name in names {
            let path = self.path(name);
            if path.symlink_metadata().is_ok() {
                let removed = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
                removed.expect("what a target made can be removed");
            }
        }
    }
}

/// A place without a group.
pub fn location(path: &Path) -> nnz::Location {
    nnz::Location::Path { path: path.to_path_buf(), group: None }
}
