//! The files of a store, in a directory or in a zip file.

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::{EntryKind, InputDirectory, InputFile};

use super::node::{self, Fields, Node};
use crate::npy::ReadAt;
use crate::npz::Archive;

/// Maximum depth in which the content of a directory without metadata is searched.
const MAX_BARE_DEPTH: usize = 8;

/// A group or an array of a store: the location of its files.
#[derive(Clone)]
pub(super) enum Store {
    Directory(InputDirectory),
    Zip {
        archive: Arc<Archive>,
        /// The prefix of file names: empty, or a path with a slash.
        prefix: String,
    },
}

/// A file of a store.
#[derive(Clone)]
pub(super) enum StoredFile {
    File(InputFile),
    Entry(Arc<dyn ReadAt>),
}

impl StoredFile {
    /// Fills `out` with bytes from `at` on.
    pub(super) fn read_at(&self, at: u64, out: &mut [u8], place: &Place) -> Result<()> {
        match self {
            Self::File(file) => file
                .read_exact_at(out, at)
                .map_err(|error| Error::new(ErrorKind::Io(error), place.clone())),
            Self::Entry(entry) => entry.read_at(at, out),
        }
    }
}

impl Store {
    /// Returns a member by its path.
    pub(super) fn inside(&self, path: &Path) -> Self {
        match self {
            Self::Directory(directory) => Self::Directory(directory.inside(path)),
            Self::Zip { archive, prefix } => {
                let mut prefix = prefix.clone();
                for part in path.components() {
                    if let Component::Normal(name) = part {
                        prefix.push_str(&name.to_string_lossy());
                        prefix.push('/');
                    }
                }
                Self::Zip { archive: Arc::clone(archive), prefix }
            }
        }
    }

    /// Returns whether each look-up has a latency, so that files are worth announcing.
    pub(super) fn has_latency(&self) -> bool {
        matches!(self, Self::Directory(directory) if directory.has_latency())
    }

    /// Reads its metadata; `None` if it is neither a group nor an array.
    pub(super) fn node(&self, place: &Place) -> Result<Option<Node>> {
        node::from_files(&|name| self.json(name, place), place)
    }

    /// Returns the error for a path that is neither a group nor an array.
    pub(super) fn missing(&self, place: &Place) -> Error {
        if readable(self.is_bare(0)).is_ok_and(|bare| bare == Some(true)) {
            let found = "a directory without metadata";
            return Error::mismatch(place.clone(), found, "a group or an array");
        }
        Error::new(ErrorKind::Missing, place.clone())
    }

    /// Returns whether it has the content of a group or an array, whose own metadata is missing. Where look-ups have a
    /// latency, that is not known.
    fn is_bare(&self, depth: usize) -> Result<bool> {
        let directory = match self {
            Self::Directory(directory) => directory,
            Self::Zip { archive, prefix } => {
                let is_content = |(name, _): (&str, _)| {
                    let (first, last) = (name.split('/').next(), name.rsplit('/').next());
                    let is_metadata = last.is_some_and(|last| node::FILES.contains(&last));
                    is_metadata || first.is_some_and(is_chunk_or_attributes)
                };
                return Ok(archive.below(prefix).any(is_content));
            }
        };
        if directory.has_latency() || depth > MAX_BARE_DEPTH {
            return Ok(false);
        }
        let mut found = false;
        directory.for_each(&mut |entry| {
            found = entry.name.to_str().is_some_and(is_chunk_or_attributes);
            if !found && entry.kind == EntryKind::Directory {
                let inner = directory.inside(&entry.name);
                found = node::is_node(&inner)? || Self::Directory(inner).is_bare(depth + 1)?;
            }
            Ok(!found)
        })?;
        Ok(found)
    }

    /// Reads a JSON object from a file; `None` if the file does not exist.
    pub(super) fn json(&self, name: &str, place: &Place) -> Result<Option<Fields>> {
        let (archive, prefix) = match self {
            Self::Directory(directory) => return node::json(directory, name, place),
            Self::Zip { archive, prefix } => (archive, prefix),
        };
        let Some(entry) = archive.entry(&format!("{prefix}{name}"), place)? else {
            return Ok(None);
        };
        node::check_length(name, entry.bytes(), place)?;
        let mut text = vec![0; usize::try_from(entry.bytes()).unwrap_or(0)];
        entry.read_at(0, &mut text)?;
        node::parse(name, &text, place).map(Some)
    }

    /// Opens a file and returns its length; `None` if it does not exist. Opening a pipe could
    /// block.
    pub(super) fn file(&self, key: &str, place: &Place) -> Result<Option<(StoredFile, u64)>> {
        let directory = match self {
            Self::Directory(directory) => directory,
            Self::Zip { archive, prefix } => {
                let entry = archive.entry(&format!("{prefix}{key}"), place)?;
                return Ok(entry.map(|entry| {
                    let bytes = entry.bytes();
                    (StoredFile::Entry(entry.into()), bytes)
                }));
            }
        };
        let with_place = |error: Error| match error.into_parts().0 {
            ErrorKind::Mismatch { .. } => {
                let found = format!("{key}, which is not a regular file");
                Error::mismatch(place.clone(), found, "a chunk")
            }
            kind => Error::new(kind, place.clone()),
        };
        match directory.open_file(key).map_err(with_place)? {
            Some(file) => {
                let bytes = file.len();
                Ok(Some((StoredFile::File(file), bytes)))
            }
            // Missing chunks have the fill value. But if the store was replaced, its files are
            // gone.
            None if directory.is_replaced() => Err(Error::new(ErrorKind::Changed, place.clone())),
            None => Ok(None),
        }
    }

    /// Returns a member by its path, without following symbolic links.
    pub(super) fn within(&self, name: &str, place: &Place) -> Result<Self> {
        let missing = || Error::new(ErrorKind::Missing, place.clone());
        let inside = inside(name).ok_or_else(missing)?;
        if let Self::Directory(directory) = self {
            let mut here = PathBuf::new();
            for part in &inside {
                here.push(part);
                match directory.kind(&here) {
                    Ok(EntryKind::Link) => {
                        let found = "a symbolic link";
                        return Err(Error::mismatch(place.clone(), found, "a directory"));
                    }
                    Ok(_) => {}
                    Err(error) if is_missing(&error) => return Err(missing()),
                    Err(error) => return Err(Error::new(ErrorKind::Io(error), place.clone())),
                }
            }
        }
        Ok(self.inside(&inside))
    }

    /// Returns the names of groups, arrays and links in it, sorted.
    pub(super) fn nodes(&self) -> Result<Vec<(String, StoreEntryKind)>> {
        let directory = match self {
            Self::Directory(directory) => directory,
            Self::Zip { .. } => {
                return self.zipped_nodes();
            }
        };
        let mut found = Vec::new();
        directory.for_each(&mut |entry| {
            let name = || entry.name.to_string_lossy().into_owned();
            match entry.kind {
                EntryKind::Link => found.push((name(), StoreEntryKind::Link)),
                EntryKind::Directory => {
                    let inner = directory.inside(&entry.name);
                    if node::is_node(&inner)? {
                        found.push((name(), StoreEntryKind::Node));
                    } else if Self::Directory(inner).is_bare(0)? {
                        found.push((name(), StoreEntryKind::Bare));
                    }
                }
                _ => {}
            }
            Ok(true)
        })?;
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// Returns the names in a zip file that are groups or arrays, sorted.
    fn zipped_nodes(&self) -> Result<Vec<(String, StoreEntryKind)>> {
        let Self::Zip { archive, prefix } = self else { return Ok(Vec::new()) };
        let below = archive.below(prefix).filter_map(|(name, _)| name.split_once('/'));
        let names: BTreeSet<&str> = below.map(|(name, _)| name).collect();
        let is_node = |name: &&str| {
            let files = node::FILES.iter();
            files.map(|file| format!("{prefix}{name}/{file}")).any(|file| archive.contains(&file))
        };
        let mut found = Vec::new();
        for name in names {
            if is_node(&name) {
                found.push((name.to_owned(), StoreEntryKind::Node));
            } else if self.inside(name.as_ref()).is_bare(0)? {
                found.push((name.to_owned(), StoreEntryKind::Bare));
            }
        }
        Ok(found)
    }
}

/// The kind of an entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreEntryKind {
    /// A group or an array.
    Node,
    /// A directory with the content of one, without its metadata.
    Bare,
    /// A symbolic link, which is not followed.
    Link,
}

/// Returns whether a name belongs to a chunk or the attributes of version 2.
fn is_chunk_or_attributes(name: &str) -> bool {
    let key = name.strip_prefix("c.").unwrap_or(name);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    name == ".zattrs" || name == "c" || key.split('.').all(is_number)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns a path in a directory from a name; `None` if it is outside the directory.
pub(super) fn inside(path: &str) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        // Windows takes `\` for a separator, and `C:x` for a path on a drive.
        let leads_out = cfg!(windows) && name.contains(['\\', ':']);
        if name == "." || name == ".." || name.contains('\0') || leads_out {
            return None;
        }
        inside.push(name);
    }
    Some(inside)
}
