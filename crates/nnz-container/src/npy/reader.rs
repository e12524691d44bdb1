//! Reading a directory of `.npy` files.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Names, Place, Result};

use super::element::TYPES;
use super::stored::{ReadAt, Stored};
use crate::container::one_line;
use crate::{Capabilities, Container, NumberArray};
use nnz_storage::Pinned;

pub(super) const CAPABILITIES: Capabilities =
    Capabilities { value_types: TYPES, line_breaks: true, any_bytes: false, long_texts: true };

/// The longest text that is read.
const LONGEST_TEXT: u64 = 64 << 20;

/// A directory of `.npy` files. Opening one reads nothing.
#[derive(Clone, Debug)]
pub struct NpyDirectory {
    path: PathBuf,
    files: Pinned,
}

/// Returns whether a directory holds `.npy` files.
///
/// # Errors
///
/// Fails where the directory cannot be read.
pub fn is_npy_directory(path: &Path) -> Result<bool> {
    let io = |error| Error::io(path, error);
    if !path.is_dir() {
        return Ok(false);
    }
    for entry in std::fs::read_dir(path).map_err(io)? {
        let entry = entry.map_err(io)?;
        if entry.file_name().as_encoded_bytes().ends_with(b".npy") && entry.path().is_file() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl NpyDirectory {
    /// Opens a directory.
    ///
    /// # Errors
    ///
    /// Fails where there is no directory at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let files = Pinned::open(path).map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_path_buf(), files })
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    /// Opens a member's file and returns its length. Opening a pipe would wait for ever.
    fn file(&self, name: &str, ending: &str) -> Result<(File, u64)> {
        let place = || self.place(name);
        if name.is_empty() || name.contains(['/', '\0']) {
            return Err(Error::new(ErrorKind::Missing, place()));
        }
        let path = self.files.inside(format!("{name}.{ending}"));
        let io = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::new(ErrorKind::Missing, place()),
            _ => Error::new(ErrorKind::Io(error), place()),
        };
        let found = path.metadata().map_err(io)?;
        if !found.is_file() {
            return Err(Error::mismatch(place(), "no regular file", "a file"));
        }
        Ok((File::open(&*path).map_err(io)?, found.len()))
    }

    fn stored(&self, name: &str) -> Result<Stored> {
        Stored::open(self.source(name)?, self.place(name))
    }

    /// Opens the file of an array.
    pub(super) fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        let (file, bytes) = self.file(name, "npy")?;
        Ok(Box::new(Source::new(file, bytes, self.place(name))))
    }

    /// Lists the names of all arrays, sorted.
    pub(super) fn arrays(&self) -> Result<Vec<String>> {
        let io = |error| Error::io(&self.path, error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&*self.files).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(bare) = name.strip_suffix(".npy").filter(|_| entry.path().is_file()) {
                names.push(bare.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

impl Container for NpyDirectory {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> &'static str {
        "directory of NumPy arrays"
    }

    fn capabilities(&self) -> Capabilities {
        CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        let io = |error| Error::io(&self.path, error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&*self.files).map_err(io)? {
            let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
            let bare = name.strip_suffix(".npy").or_else(|| name.strip_suffix(".json"));
            names.push(bare.unwrap_or(&name).to_owned());
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn tag(&self, name: &str) -> Result<String> {
        let text = self.stored(name)?.text()?;
        one_line(&text, || self.place(name))?;
        Ok(text)
    }

    fn text(&self, name: &str) -> Result<String> {
        let (file, bytes) = match self.file(name, "json") {
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                return self.stored(name)?.text();
            }
            found => found?,
        };
        if bytes > LONGEST_TEXT {
            let found = format!("a text of {bytes} bytes");
            return Err(Error::mismatch(self.place(name), found, "at most 64 MiB"));
        }
        let mut text = String::new();
        file.take(LONGEST_TEXT)
            .read_to_string(&mut text)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place(name)))?;
        Ok(text)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        Ok(Box::new(self.stored(name)?.numbers()?))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.stored(name)?.strings_size()
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        self.stored(name)?.strings()
    }
}

/// One file, read at the positions asked for.
pub(super) struct Source {
    file: File,
    bytes: u64,
    place: Place,
}

impl Source {
    pub(super) fn new(file: File, bytes: u64, place: Place) -> Self {
        Self { file, bytes, place }
    }
}

impl ReadAt for Source {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.file
            .read_exact_at(out, at)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))
    }
}
