//! Directories that stay the same while their files are opened one by one.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::system::FileId;

/// A path in an opened directory.
///
/// Files are opened in that directory even if another one takes its path, so that reads never
/// mix two stores. Systems without `/proc` look up the path each time.
#[derive(Clone, Debug)]
pub struct Pinned {
    path: PathBuf,
    root: Arc<Root>,
}

#[derive(Debug)]
struct Root {
    /// The path that it was opened with.
    named: PathBuf,
    /// The directory in which it was opened: `named` is valid as long as this one is open.
    parent: Option<Arc<Root>>,
    id: FileId,
    /// Keeps the file descriptor in `path` valid.
    _open: Option<File>,
}

impl Pinned {
    /// Opens a directory.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory.
    pub fn open(directory: &Path) -> io::Result<Self> {
        Self::open_path(directory, None)
    }

    /// Opens a directory in this one, which stays open.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub fn open_inside(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        Self::open_path(&self.path.join(path), Some(Arc::clone(&self.root)))
    }

    fn open_path(directory: &Path, parent: Option<Arc<Root>>) -> io::Result<Self> {
        let found = directory.metadata()?;
        if !found.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let named = directory.to_path_buf();
        // A directory that can be searched but not listed cannot be opened.
        let opened = File::open(directory).ok().and_then(|open| {
            let id = FileId::of(&open.metadata().ok()?);
            let path = through(&open)?;
            Some((open, id, path))
        });
        Ok(match opened {
            Some((open, id, path)) => {
                Self { path, root: Arc::new(Root { named, parent, id, _open: Some(open) }) }
            }
            None => {
                let (id, path) = (FileId::of(&found), named.clone());
                Self { path, root: Arc::new(Root { named, parent, id, _open: None }) }
            }
        })
    }

    /// Returns a path in the directory.
    pub fn inside(&self, path: impl AsRef<Path>) -> Self {
        Self { path: self.path.join(path), root: Arc::clone(&self.root) }
    }

    /// Returns whether the path has been taken by another directory, so that files may be missing.
    pub fn is_replaced(&self) -> bool {
        let mut opened = std::iter::successors(Some(&*self.root), |root| root.parent.as_deref());
        opened.any(Root::is_replaced)
    }
}

impl Root {
    fn is_replaced(&self) -> bool {
        !self.named.metadata().is_ok_and(|found| FileId::of(&found) == self.id)
    }
}

impl Deref for Pinned {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// Returns a path through an open directory.
#[cfg(target_os = "linux")]
fn through(open: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    let path = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
    path.metadata().is_ok().then_some(path)
}

#[cfg(not(target_os = "linux"))]
fn through(_: &File) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn files_remain_those_of_the_opened_directory() {
        let folder = tempfile::tempdir().unwrap();
        let [store, new, old] = ["store", "new", "old"].map(|name| folder.path().join(name));
        for directory in [&store, &new] {
            std::fs::create_dir_all(directory.join("a")).unwrap();
            std::fs::write(directory.join("a/b"), directory.as_os_str().as_encoded_bytes())
                .unwrap();
        }
        let pinned = Pinned::open(&store).unwrap();
        let inside = pinned.inside("a").inside("b");
        assert!(!inside.is_replaced());
        std::fs::rename(&store, &old).unwrap();
        assert!(inside.is_replaced());
        std::fs::rename(&new, &store).unwrap();
        assert!(inside.is_replaced());
        assert_eq!(std::fs::read(&*inside).unwrap(), store.as_os_str().as_encoded_bytes());
        let again = Pinned::open(&store).unwrap().inside("a/b");
        assert_eq!(std::fs::read(&*again).unwrap(), new.as_os_str().as_encoded_bytes());
    }

    #[test]
    fn directories_in_a_directory_do_not_depend_on_a_closed_descriptor() {
        let folder = tempfile::tempdir().unwrap();
        let [store, old] = ["store", "old"].map(|name| folder.path().join(name));
        std::fs::create_dir_all(store.join("a/b")).unwrap();
        std::fs::write(store.join("a/b/c"), "x").unwrap();
        let root = Pinned::open(&store).unwrap();
        let inner = root.open_inside("a").unwrap().open_inside("b").unwrap();
        drop(root);
        // Takes the numbers that would be free if the directories above were closed.
        let others: Vec<File> = (0..4).map(|_| File::open(folder.path()).unwrap()).collect();
        assert!(!inner.is_replaced());
        assert_eq!(std::fs::read(&*inner.inside("c")).unwrap(), b"x");
        // The path of the outer directory counts, too.
        std::fs::rename(&store, &old).unwrap();
        std::fs::create_dir_all(store.join("a/b")).unwrap();
        assert!(inner.is_replaced());
        drop(others);
    }

    #[test]
    fn only_directories_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert_eq!(Pinned::open(&file).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::write(&file, "x").unwrap();
        assert_eq!(Pinned::open(&file).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}
