//! Files of the local file system.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::staging::Version;
use crate::system;
use crate::{EntryKind, Identity, ListedEntry, Mapped, Metadata, Pinned, ReadAt, Storage};

/// The local file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalStorage;

/// Returns the local file system as a storage.
#[must_use]
pub fn local() -> Arc<dyn Storage> {
    Arc::new(LocalStorage)
}

impl Storage for LocalStorage {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        path.metadata().map(|found| to_metadata(&found))
    }

    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        path.symlink_metadata().map(|found| kind(found.file_type()))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        open(path)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(path)?))
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        Ok(Arc::new(LocalDirectory(Pinned::open(path)?)))
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        list(path, each)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }
}

/// An opened directory.
#[derive(Debug)]
struct LocalDirectory(Pinned);

impl LocalDirectory {
    fn inside(&self, path: &Path) -> Pinned {
        self.0.inside(path)
    }
}

impl Storage for LocalDirectory {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.inside(path).metadata().map(|found| to_metadata(&found))
    }

    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        self.inside(path).symlink_metadata().map(|found| kind(found.file_type()))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        open(&self.inside(path))
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(&*self.inside(path))?))
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        Ok(Arc::new(Self(self.0.open_inside(path)?)))
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        list(&self.inside(path), each)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let root = self.0.canonicalize()?;
        let target = self.inside(path).canonicalize()?;
        Ok(target.strip_prefix(&root).map_or_else(|_| target.clone(), Path::to_path_buf))
    }

    fn is_replaced(&self) -> bool {
        self.0.is_replaced()
    }
}

fn to_metadata(found: &std::fs::Metadata) -> Metadata {
    Metadata { kind: kind(found.file_type()), len: found.len() }
}

fn kind(kind: std::fs::FileType) -> EntryKind {
    if kind.is_file() {
        EntryKind::File
    } else if kind.is_dir() {
        EntryKind::Directory
    } else if kind.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Special
    }
}

fn list(path: &Path, each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = kind(entry.file_type()?);
        if !each(ListedEntry { name: entry.file_name(), kind })? {
            break;
        }
    }
    Ok(())
}

/// The error for pipes and devices.
const NOT_REGULAR: &str = "not a regular file";

/// An open file.
#[derive(Debug)]
struct LocalFile {
    file: File,
    len: u64,
}

/// Opens a regular file, and nothing else: opening a pipe could block.
fn open(path: &Path) -> io::Result<Arc<dyn ReadAt>> {
    let found = path.metadata()?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR));
    }
    Ok(Arc::new(LocalFile { file: File::open(path)?, len: found.len() }))
}

impl ReadAt for LocalFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        system::read_at(&self.file, out, at)
    }

    fn map(&self, at: u64, len: usize) -> Option<Mapped> {
        Mapped::of(&self.file, at, len)
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        let version = Version::of(&self.file.metadata()?);
        Ok(Some(Identity::new(format!("{version:?}"))))
    }
}
