//! Reading a directory of array files.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nnz_core::{At, Error, ErrorKind, Names, Place, Result, StringReader, ValueType};

use super::header;
use super::lines::{Lines, Stopped};
use crate::array::check_range;
use crate::{Capabilities, Container, NumberArray};
use nnz_storage::Mapped;
use nnz_storage::Pinned;

/// A directory of array files. Opening one reads nothing.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    files: Pinned,
}

impl Directory {
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
    fn file(&self, name: &str) -> Result<(File, u64)> {
        let path = self.files.inside(name);
        let io = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::new(ErrorKind::Missing, self.place(name)),
            _ => Error::new(ErrorKind::Io(error), self.place(name)),
        };
        let found = path.metadata().map_err(io)?;
        if !found.is_file() {
            return Err(Error::mismatch(self.place(name), "no regular file", "a file"));
        }
        Ok((File::open(&*path).map_err(io)?, found.len()))
    }
}

impl Container for Directory {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> &'static str {
        "directory"
    }

    fn capabilities(&self) -> Capabilities {
        super::writer::CAPABILITIES
    }

    fn members(&self) -> Result<Vec<String>> {
        let io = |error| Error::io(&self.path, error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&*self.files).map_err(io)? {
            names.push(entry.map_err(io)?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    fn tag(&self, name: &str) -> Result<String> {
        let mut found = Vec::new();
        self.for_each_string(name, &mut |line| {
            if !found.is_empty() {
                return Err(Error::mismatch(self.place(name), "several lines", "one line"));
            }
            found.push(String::from_utf8_lossy(line).into_owned());
            Ok(())
        })?;
        found.pop().ok_or_else(|| Error::mismatch(self.place(name), "no line", "one line"))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        let (file, bytes) = self.file(name)?;
        let place = self.place(name);
        let mut found = [0; header::LEN];
        let read = usize::try_from(bytes).unwrap_or(header::LEN).min(header::LEN);
        file.read_exact_at(&mut found[..read], 0)
            .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
        let value_type = header::parse(&found[..read], &place)?;
        let data = bytes - header::LEN as u64;
        let size = value_type.size() as u64;
        Ok(Box::new(ArrayFile {
            file,
            place,
            value_type,
            bytes,
            len: data / size,
            trailing: data % size,
        }))
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        self.file(name).map(|(_, bytes)| bytes)
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        let (file, _) = self.file(name)?;
        Ok(Box::new(TextFile { lines: Lines::new(file), place: self.place(name) }))
    }
}

/// The lines of a text file.
struct TextFile {
    lines: Lines<File>,
    place: Place,
}

impl StringReader for TextFile {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        self.lines.next_line().map_err(|stopped| match stopped {
            Stopped::Io(error) => Error::new(ErrorKind::Io(error), self.place.clone()),
            Stopped::TooLong { line } => Error::mismatch(
                self.place.clone().at(At::Line { line, column: 1 }),
                "a line of over a mebibyte",
                "names",
            ),
        })
    }
}

/// One array file, read at the positions asked for.
struct ArrayFile {
    file: File,
    place: Place,
    value_type: ValueType,
    bytes: u64,
    len: u64,
    trailing: u64,
}

impl ArrayFile {
    /// Returns the byte of the file at which an element starts.
    fn start_of(&self, element: u64) -> u64 {
        header::LEN as u64 + element * self.value_type.size() as u64
    }
}

impl NumberArray for ArrayFile {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn stored_bytes(&self) -> u64 {
        self.bytes
    }

    fn trailing_bytes(&self) -> u64 {
        self.trailing
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        check_range(self, first, out.len())?;
        let size = self.value_type.size();
        self.file
            .read_exact_at(out, self.start_of(first))
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))?;
        if cfg!(target_endian = "big") {
            out.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        check_range(self, first, bytes).ok()?;
        let as_in_memory = cfg!(target_endian = "little");
        as_in_memory.then(|| Mapped::of(&self.file, self.start_of(first), bytes)).flatten()
    }
}
