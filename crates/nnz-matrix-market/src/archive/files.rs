//! The files of an archive as a storage, which is read in place.
//!
//! Those of a plain archive are read at any position. Those of a gzipped one are read from start to end; a position
//! before the last one decompresses the archive from its beginning.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, Result};
use nnz_lines::{Input, Tar, TarEntry};
use nnz_storage::{EntryKind, Identity, InputFile, ListedEntry, Metadata, ReadAt, Storage};

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

struct TarArchive {
    file: InputFile,
    gzip: bool,
    /// The positions of their data, by path.
    files: BTreeMap<PathBuf, Range<u64>>,
    /// Some of the other files.
    others: Vec<String>,
    /// A stream of a file that is closed, with which a later file continues.
    idle: Mutex<Option<Stream>>,
}

impl Files {
    /// Lists the files by reading the archive to its end. The last of several files with one path counts, as `tar -r`
    /// appends a newer version.
    pub(super) fn list(file: &InputFile, gzip: bool) -> Result<Self> {
        let mut archive = TarArchive {
            file: file.clone(),
            gzip,
            files: BTreeMap::new(),
            others: Vec::new(),
            idle: Mutex::default(),
        };
        let mut bytes = 0;
        let mut entries = Entries::new(file, gzip)?;
        let failed = |error: io::Error| match error.kind() {
            // Damaged compressed data.
            io::ErrorKind::InvalidInput => nnz_lines::read_error(file.path(), error),
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

/// Returns whether a name is that of a matrix or of names.
fn has_extension(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
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

/// The regular files of an archive, one after another.
enum Entries<'a> {
    /// Headers only.
    Plain {
        file: &'a InputFile,
        next: u64,
    },
    Gzip(Tar<Box<dyn Read + Send>>),
}

impl<'a> Entries<'a> {
    fn new(file: &'a InputFile, gzip: bool) -> Result<Self> {
        Ok(match gzip {
            false => Self::Plain { file, next: 0 },
            true => Self::Gzip(Tar::new(Input::from_file(file)?.reader)),
        })
    }

    fn next_entry(&mut self) -> io::Result<Option<TarEntry>> {
        let (file, next) = match self {
            Self::Gzip(tar) => return tar.next_file(),
            Self::Plain { file, next } => (*file, next),
        };
        let Some(entry) = Tar::new(At { file, at: *next }).next_file()? else { return Ok(None) };
        let position = next.saturating_add(entry.position);
        // The data is padded to blocks.
        let padded = entry.bytes.checked_next_multiple_of(512);
        let after = padded.and_then(|padded| position.checked_add(padded));
        let after = after.filter(|after| *after <= file.len());
        *next = after.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Some(TarEntry { position, ..entry }))
    }
}

/// Reads a file from a position on.
struct At<'a> {
    file: &'a InputFile,
    at: u64,
}

impl Read for At<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(out, self.at)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

/// A decompressed archive up to a position.
struct Stream {
    reader: Box<dyn Read + Send>,
    position: u64,
}

impl TarArchive {
    /// Fills a part of `out` from a position on, by continuing a stream that has not passed it.
    fn read(&self, held: &mut Option<Stream>, out: &mut [u8], at: u64) -> io::Result<usize> {
        let before = |stream: &Stream| stream.position <= at;
        let mut stream = held.take().filter(before);
        if stream.is_none() {
            stream = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take().filter(before);
        }
        let mut stream = match stream {
            Some(stream) => stream,
            None => {
                let input = Input::from_file(&self.file).map_err(|error| into_io(&error))?;
                Stream { reader: input.reader, position: 0 }
            }
        };
        let skipped = Read::take(&mut stream.reader, at - stream.position);
        stream.position += io::copy(&mut { skipped }, &mut io::sink())?;
        let read = match stream.position == at {
            true => stream.reader.read(out)?,
            false => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        stream.position += read as u64;
        *held = Some(stream);
        Ok(read)
    }
}

fn into_io(error: &Error) -> io::Error {
    io::Error::other(error.kind().to_string())
}

impl fmt::Debug for TarArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TarArchive").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Storage for Files {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        if let Some(range) = self.archive.files.get(&self.root.join(path)) {
            return Ok(Metadata { kind: EntryKind::File, len: range.end - range.start });
        }
        match self.inside(path).next() {
            Some(_) => Ok(Metadata { kind: EntryKind::Directory, len: 0 }),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn ReadAt>> {
        match self.archive.files.get(&self.root.join(path)) {
            Some(range) => {
                let (archive, range) = (Arc::clone(&self.archive), range.clone());
                Ok(Arc::new(Member { archive, range, stream: Mutex::default() }))
            }
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
            if !each(ListedEntry { name: first.to_owned(), kind })? {
                return Ok(());
            }
        }
        last.map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn has_latency(&self) -> bool {
        self.archive.file.has_latency()
    }
}

/// An open file of an archive.
struct Member {
    archive: Arc<TarArchive>,
    /// Its data in the decompressed archive.
    range: Range<u64>,
    stream: Mutex<Option<Stream>>,
}

impl ReadAt for Member {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let most = usize::try_from(self.len().saturating_sub(at)).unwrap_or(usize::MAX);
        let most = most.min(out.len());
        let out = out.get_mut(..most).unwrap_or_default();
        if out.is_empty() {
            return Ok(0);
        }
        let at = self.range.start.saturating_add(at);
        let read = match self.archive.gzip {
            false => self.archive.file.read_at(out, at)?,
            true => {
                let mut held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
                self.archive.read(&mut held, out, at)?
            }
        };
        // The file does not end here.
        if read == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(read) }
    }

    fn will_read(&self, range: Range<u64>) {
        if !self.archive.gzip {
            let at = |at: u64| self.range.start.saturating_add(at).min(self.range.end);
            self.archive.file.will_read(at(range.start)..at(range.end));
        }
    }

    fn has_latency(&self) -> bool {
        self.archive.file.has_latency()
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        self.archive.file.identity()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let stream = self.stream.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if stream.is_some() {
            *self.archive.idle.lock().unwrap_or_else(PoisonError::into_inner) = stream;
        }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("range", &self.range).finish_non_exhaustive()
    }
}
