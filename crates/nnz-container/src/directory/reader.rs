//! Reading directories of array files.

use std::ops::Range;
use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Names, Place, Result, StringReader};
use nnz_storage::{FileReader, InputDirectory, InputFile, Mapped};

use super::header;
use super::lines::{LineError, Lines};
use crate::ContainerInfo;
use crate::kinds::DIRECTORY;
use crate::tree::{Attributes, Child, ChildKind, ElementType, Group, NdArray, one_range};

/// A directory of array files. Opening it reads nothing.
#[derive(Clone, Debug)]
pub struct Directory {
    files: InputDirectory,
}

/// The file with the format version of the store.
const VERSION: &str = "version";

/// Maximum size of an attribute file that is cached.
const MAX_ATTRIBUTE_LEN: u64 = 64 << 10;

/// Returns whether a directory has a format version, like the directories of BPCells.
///
/// # Errors
///
/// Fails if this cannot be determined.
pub fn is_directory(directory: &InputDirectory) -> Result<bool> {
    directory.exists(VERSION)
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a directory.
    pub fn open(path: &Path) -> Result<Self> {
        InputDirectory::open(path).map(Self::new)
    }

    /// Wraps an opened directory.
    #[must_use]
    pub fn new(files: InputDirectory) -> Self {
        Self { files }
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.files.path(), name)
    }

    /// Opens the file of a member.
    fn file(&self, name: &str) -> Result<InputFile> {
        match self.files.file(name) {
            Ok(Some(file)) => Ok(file),
            Ok(None) => Err(Error::new(ErrorKind::Missing, self.place(name))),
            Err(error) => Err(error.with_place(self.place(name))),
        }
    }
}

/// Bytes of a member that are enough for a header, and for all of a short member.
const HEAD: u64 = 4 << 10;

/// Bytes of a list of strings that are announced when reading begins.
const NAMES: u64 = 1 << 20;

impl Attributes for Directory {}

/// Files are arrays of numbers, lists of strings, or texts: what they are read as.
impl Group for Directory {
    fn path(&self) -> &Path {
        self.files.path()
    }

    fn info(&self) -> &'static ContainerInfo {
        &DIRECTORY
    }

    fn children(&self) -> Result<Vec<Child>> {
        let names = self.member_names()?.into_iter();
        Ok(names.map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Err(Error::new(ErrorKind::Missing, self.place(name)))
    }

    fn member_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.files.for_each(&mut |entry| {
            names.push(entry.name.to_string_lossy().into_owned());
            Ok(true)
        })?;
        names.sort_unstable();
        Ok(names)
    }

    fn text(&self, name: &str) -> Result<String> {
        // Several formats read the version.
        let file = self.file(name)?;
        if file.len() <= MAX_ATTRIBUTE_LEN {
            file.start(usize::try_from(file.len()).unwrap_or(0))?;
        }
        let mut found = Vec::new();
        let mut lines = self.read_list(name)?;
        while let Some(line) = lines.next_string()? {
            if !found.is_empty() {
                return Err(Error::mismatch(self.place(name), "several lines", "one line"));
            }
            found.push(String::from_utf8_lossy(line).into_owned());
        }
        found.pop().ok_or_else(|| Error::mismatch(self.place(name), "no line", "one line"))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let file = self.file(name)?;
        let (bytes, place) = (file.len(), self.place(name));
        let mut found = [0; header::LEN];
        let read = usize::try_from(bytes).unwrap_or(header::LEN).min(header::LEN);
        file.read_metadata_at(&mut found[..read], 0)
            .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
        let value_type = header::parse(&found[..read], &place)?;
        let data = bytes - header::LEN as u64;
        let size = value_type.size() as u64;
        Ok(Box::new(ArrayFile {
            file,
            place,
            element: ElementType::Number(value_type),
            size,
            bytes,
            shape: [data / size],
            trailing: data % size,
        }))
    }

    fn will_open(&self, names: &[&str]) {
        self.files.will_open(names.iter().map(|name| (name, 0..HEAD)));
    }

    fn list_bytes(&self, name: &str) -> Result<u64> {
        self.file(name).map(|file| file.len())
    }

    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        let file = self.file(name)?;
        file.will_read(0..file.len().min(NAMES));
        let lines = Lines::new(file.reader());
        Ok(Box::new(TextFile { lines, place: self.place(name) }))
    }
}

/// The lines of a text file.
struct TextFile {
    lines: Lines<FileReader>,
    place: Place,
}

impl StringReader for TextFile {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        self.lines.next_line().map_err(|stopped| match stopped {
            LineError::Io(error) => Error::new(ErrorKind::Io(error), self.place.clone()),
            LineError::TooLong { line } => Error::mismatch(
                self.place.clone().at(At::Line { line, column: 1 }),
                "a line of more than 1 MiB",
                "names",
            ),
        })
    }
}

/// An array file, read at any position.
#[derive(Debug)]
struct ArrayFile {
    file: InputFile,
    place: Place,
    element: ElementType,
    /// The size of an element in bytes.
    size: u64,
    bytes: u64,
    shape: [u64; 1],
    trailing: u64,
}

impl ArrayFile {
    /// Returns the offset of an element in the file.
    fn start_of(&self, element: u64) -> u64 {
        header::LEN as u64 + element * self.size
    }
}

impl Attributes for ArrayFile {}

impl NdArray for ArrayFile {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.bytes)
    }

    fn trailing_bytes(&self) -> u64 {
        self.trailing
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let first = one_range(self, selection, out)?;
        self.file
            .read_exact_at(out, self.start_of(first))
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))?;
        if cfg!(target_endian = "big") {
            let size = usize::try_from(self.size).unwrap_or(1);
            out.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        let bytes = |range: &Range<u64>| self.start_of(range.start)..self.start_of(range.end);
        self.file.will_read_all(&ranges.iter().map(bytes).collect::<Vec<_>>());
    }

    fn has_latency(&self) -> bool {
        self.file.has_latency()
    }

    fn map(&self, first: u64, bytes: usize) -> Option<Mapped> {
        let as_in_memory = cfg!(target_endian = "little");
        as_in_memory.then(|| self.file.map(self.start_of(first), bytes)).flatten()
    }
}
