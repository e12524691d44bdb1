//! Snapshots of files: names, contents, modes and owners.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The files and directories with some names in a directory, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Snapshot(BTreeMap<String, Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Directory,
    /// Length and hash.
    File(u64, u64),
    Other,
}

impl Snapshot {
    /// Reads files with these names, which may be missing.
    pub(super) fn of(directory: &Path, names: &[&str]) -> io::Result<Self> {
        let mut snapshot = Self::default();
        for name in names {
            snapshot.add(&directory.join(name), name)?;
        }
        Ok(snapshot)
    }

    fn add(&mut self, path: &Path, name: &str) -> io::Result<()> {
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let entry = if found.is_dir() {
            for entry in fs::read_dir(path)? {
                let entry = entry?;
                let inner = entry.file_name().to_string_lossy().into_owned();
                if is_hidden(&inner) {
                    continue;
                }
                self.add(&entry.path(), &format!("{name}/{inner}"))?;
            }
            Entry::Directory
        } else if found.is_file() {
            let bytes = fs::read(path)?;
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            Entry::File(found.len(), hasher.finish())
        } else {
            Entry::Other
        };
        self.0.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Returns whether there are no files.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes and returns the part with one name.
    pub(super) fn split(&self, name: &str) -> (Self, Self) {
        let below = format!("{name}/");
        let entries = self.0.clone().into_iter();
        let (part, rest) = entries.partition(|(at, _)| *at == name || at.starts_with(&below));
        (Self(part), Self(rest))
    }
}

/// Returns whether a name belongs to an unfinished output of nnz.
fn is_hidden(name: &str) -> bool {
    name.starts_with('.') && name.contains(".nnz-")
}

/// Lists files next to the targets in a directory, and unfinished files in them.
pub(super) fn leftovers(directory: &Path, targets: &[&str]) -> io::Result<Vec<String>> {
    let mut left = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !targets.contains(&name.as_str()) {
            left.push(name);
        } else if entry.file_type()?.is_dir() {
            unfinished(&entry.path(), &name, &mut left)?;
        }
    }
    left.sort();
    Ok(left)
}

fn unfinished(directory: &Path, at: &str, left: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{at}/{name}");
        if is_hidden(&name) {
            left.push(path);
        } else if entry.file_type()?.is_dir() {
            unfinished(&entry.path(), &path, left)?;
        }
    }
    Ok(())
}

/// Mode and owner of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) mode: u32,
    pub(super) owner: (u32, u32),
}

impl Access {
    /// Reads the access of a path; `None` if it does not exist.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        Some(Self { mode: found.mode() & 0o7777, owner: (found.uid(), found.gid()) })
    }
}

/// Copies a file or a directory with its content.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else {
        fs::copy(from, to).map(drop)
    }
}
