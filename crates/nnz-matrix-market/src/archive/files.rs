//! The files of an archive as a storage, which is read in place.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use nnz_core::{Error, Result};
use nnz_lines::Compression;
use nnz_storage::{EntryKind, InputFile, ListedEntry, Metadata, ReadAt, Storage};

use super::entries::Entries;
use super::member::{ArchiveFile, Member};

/// The largest number of files of an archive, and size of their names.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: usize = 16 << 20;

/// Files that are named in a message if there is no matrix.
const MOST_OTHERS: usize = 5;

/// Extensions of matrices and names.
const EXTENSIONS: [&str; 4] = [".mtx", ".tsv", ".txt", ".bed"];

/// The files of an archive with matrices or names.
#[derive(Clone, Debug)]
pub(super) struct Files {
    archive: Arc<TarArchive>,
    /// The folder that is the root.
    root: PathBuf,
}

#[derive(Debug)]
struct TarArchive {
    stored: Arc<ArchiveFile>,
    /// The positions of their data, by path.
    files: BTreeMap<PathBuf, Range<u64>>,
    /// Some of the other files.
    others: Vec<String>,
}

impl Files {
    /// Lists the files by reading the archive to its end. The last of several files with one path counts, as `tar -r`
    /// appends a newer version.
    pub(super) fn list(file: &InputFile, compression: Compression) -> Result<Self> {
        let stored = Arc::new(ArchiveFile::new(file, compression));
        let mut archive = TarArchive { stored, files: BTreeMap::new(), others: Vec::new() };
        let mut bytes = 0;
        let mut entries = Entries::new(file, compression);
        let failed = |error: io::Error| match error.kind() {
            // Damaged compressed data.
            io::ErrorKind::InvalidInput => nnz_lines::read_error(file.path(), error),
            _ if nnz_lines::is_damage(&error) => nnz_lines::read_error(file.path(), error),
            _ => file.error(error),
        };
        while let Some(entry) = entries.next_entry().map_err(failed)? {
            let Some(path) = path(&entry.name) else { continue };
            if !has_extension(&entry.name) {
                if archive.others.len() <= MOST_OTHERS {
                    archive.others.push(entry.name);
                }
                continue;
            }
            bytes += entry.name.len();
            let end = entry.position.saturating_add(entry.bytes);
            archive.files.insert(path, entry.position..end);
            if archive.files.len() > MOST_FILES || bytes > MOST_BYTES {
                let what =
                    format!("an archive of more than {MOST_FILES} files, or of too long names");
                return Err(Error::unsupported(file.place(), what));
            }
        }
        Ok(Self { archive: Arc::new(archive), root: PathBuf::new() })
    }

    /// Describes the archive.
    pub(super) fn container(&self) -> &'static str {
        match self.archive.stored.compression {
            Compression::Zip => "zip file",
            _ => "tar archive",
        }
    }

    /// Returns the paths of all files, in the order of the archive.
    pub(super) fn paths(&self) -> Vec<&Path> {
        let mut files: Vec<_> = self.archive.files.iter().collect();
        files.sort_by_key(|(_, range)| range.start);
        files.into_iter().map(|(path, _)| &**path).collect()
    }

    /// Names some of the other files: `a.h5, b.h5, ...`.
    pub(super) fn others(&self) -> String {
        let others = &self.archive.others;
        let more = if others.len() > MOST_OTHERS { ", ..." } else { "" };
        others.iter().take(MOST_OTHERS).map(String::as_str).collect::<Vec<_>>().join(", ") + more
    }

    /// Returns the files in a folder.
    fn inside(&self, path: &Path) -> impl Iterator<Item = &Path> {
        let folder = self.root.join(path);
        let files = self.archive.files.range(folder.clone()..);
        files.map_while(move |(file, _)| file.strip_prefix(&folder).ok())
    }
}

/// Returns whether a name has the extension of a matrix or of a list of names.
pub(super) fn has_extension(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let (plain, _) = Compression::of_name(&name);
    EXTENSIONS.iter().any(|extension| plain.ends_with(extension))
}

/// Returns the path of a file in the archive; `None` if it is hidden, as the files that macOS adds, `._NAME`.
fn path(name: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) if !part.as_encoded_bytes().starts_with(b".") => {
                path.push(part)
            }
            Component::Normal(_) | Component::ParentDir => return None,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Some(path)
}

impl Storage for Files {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        if let Some(range) = self.archive.files.get(&self.root.join(path)) {
            return Ok(Metadata::new(EntryKind::File, range.end - range.start));
        }
        match self.inside(path).next() {
            Some(_) => Ok(Metadata::new(EntryKind::Directory, 0)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        match self.archive.files.get(&self.root.join(path)) {
            Some(range) => Ok(Arc::new(Member::new(&self.archive.stored, range.clone()))),
            None => Err(match self.metadata(path) {
                Ok(_) => io::ErrorKind::InvalidInput.into(),
                Err(error) => error,
            }),
        }
    }

    fn open_stream(&self, _: &Path) -> io::Result<Box<dyn Read + Send>> {
        // There are only regular files.
        Err(io::ErrorKind::NotFound.into())
    }

    fn open_directory(&self, path: &Path) -> io::Result<Arc<dyn Storage>> {
        match self.metadata(path)?.kind {
            EntryKind::Directory => {
                let (archive, root) = (Arc::clone(&self.archive), self.root.join(path));
                Ok(Arc::new(Self { archive, root }))
            }
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn list(
        &self,
        path: &Path,
        each: &mut dyn FnMut(ListedEntry) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut last = None;
        for file in self.inside(path) {
            let mut parts = file.iter();
            let Some(first) = parts.next() else { return Err(io::ErrorKind::NotADirectory.into()) };
            if last == Some(first) {
                continue;
            }
            last = Some(first);
            let kind = if parts.next().is_none() { EntryKind::File } else { EntryKind::Directory };
            if !each(ListedEntry::new(first, kind))? {
                return Ok(());
            }
        }
        last.map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn has_latency(&self) -> bool {
        self.archive.stored.file.has_latency()
    }
}
