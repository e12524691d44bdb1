//! Reading directories of `.npy` files.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::{EntryKind, InputDirectory, InputFile, ListedEntry};

use super::tree::{FlatGroup, MAX_TEXT_LEN, ReadAt};
use crate::ContainerInfo;
use crate::kinds::NPY;
use crate::tree::{Child, ChildKind};

/// A directory of `.npy` files. Opening it reads nothing.
#[derive(Clone, Debug)]
pub struct NpyDirectory {
    files: InputDirectory,
}

/// Returns whether a directory has `.npy` files.
///
/// # Errors
///
/// Fails if the directory cannot be read.
pub fn is_npy_directory(directory: &InputDirectory) -> Result<bool> {
    let mut found = false;
    directory.for_each(&mut |entry| {
        let named = entry.name.as_encoded_bytes().ends_with(b".npy");
        found = named && is_file(directory, entry)?;
        Ok(!found)
    })?;
    Ok(found)
}

/// Returns whether an entry is a file, or a link to one.
fn is_file(directory: &InputDirectory, entry: &ListedEntry) -> Result<bool> {
    match entry.kind {
        EntryKind::File => Ok(true),
        EntryKind::Link => directory.is_file(&entry.name),
        _ => Ok(false),
    }
}

impl NpyDirectory {
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

    /// Returns the file name of a member.
    fn file_name(&self, name: &str, ending: &str) -> Result<String> {
        if name.is_empty() || name.contains(['/', '\0']) {
            return Err(Error::new(ErrorKind::Missing, self.place(name)));
        }
        Ok(format!("{name}.{ending}"))
    }

    /// Opens the file of an array.
    fn open_array(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        let place = self.place(name);
        match self.files.file(self.file_name(name, "npy")?) {
            Ok(Some(file)) => Ok(Box::new(Source { file, place })),
            Ok(None) => Err(Error::new(ErrorKind::Missing, place)),
            Err(error) => Err(of_member(error, place)),
        }
    }

    /// Returns the names of all arrays, sorted.
    fn arrays(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.files.for_each(&mut |entry| {
            let name = entry.name.to_string_lossy();
            if let Some(bare) = name.strip_suffix(".npy")
                && is_file(&self.files, entry)?
            {
                names.push(bare.to_owned());
            }
            Ok(true)
        })?;
        names.sort_unstable();
        Ok(names)
    }
}

impl FlatGroup for NpyDirectory {
    fn path(&self) -> &Path {
        self.files.path()
    }

    fn info(&self) -> &'static ContainerInfo {
        &NPY
    }

    fn children(&self) -> Result<Vec<Child>> {
        let names = self.arrays()?;
        Ok(names.into_iter().map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn member_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.files.for_each(&mut |entry| {
            let name = entry.name.to_string_lossy();
            let bare = name.strip_suffix(".npy").or_else(|| name.strip_suffix(".json"));
            names.push(bare.unwrap_or(&name).to_owned());
            Ok(true)
        })?;
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn source(&self, name: &str) -> Result<Box<dyn ReadAt>> {
        self.open_array(name)
    }

    fn file(&self, name: &str) -> Result<Option<String>> {
        let file = self.file_name(name, "json")?;
        let text = self.files.read_metadata(file, MAX_TEXT_LEN);
        let text = text.map_err(|error| error.with_place(self.place(name)))?;
        let utf8 = |error| {
            Error::mismatch(self.place(name), "text that is not UTF-8", "UTF-8").with_source(error)
        };
        text.map(|text| String::from_utf8(text.to_vec()).map_err(utf8)).transpose()
    }
}

/// Adds the member to an error of its file.
fn of_member(error: Error, place: Place) -> Error {
    Error::new(error.into_parts().0, place)
}

/// A file, read at any position.
pub(super) struct Source {
    pub(super) file: InputFile,
    pub(super) place: Place,
}

impl ReadAt for Source {
    fn bytes(&self) -> u64 {
        self.file.len()
    }

    fn read_header(&self, out: &mut [u8]) -> Result<()> {
        self.file
            .read_metadata_at(out, 0)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.file
            .read_exact_at(out, at)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))
    }
}
