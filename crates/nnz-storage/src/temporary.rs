//! Temporary files without a name, which are deleted when they are closed.
//!
//! Errors come from the system, with the directory as location, because the data is not the cause.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use nnz_core::{Error, Place, Result};

use crate::{TaskContext, system};

/// A temporary file.
///
/// ```
/// use nnz_storage::{TaskContext, TemporaryFile};
///
/// let mut file = TemporaryFile::create(&TaskContext::default())?;
/// file.write_all(b"abc")?;
/// let mut read = [0; 2];
/// file.read_exact_at(&mut read, 1)?;
/// assert_eq!(&read, b"bc");
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    /// The position of the next read or write. That of the file is not used: on Windows every call moves it.
    position: u64,
    directory: PathBuf,
}

impl TemporaryFile {
    /// Creates a file in the [directory for temporary files](TaskContext::temporary_directory).
    ///
    /// # Errors
    ///
    /// Fails if the directory is missing or cannot be written.
    pub fn create(context: &TaskContext) -> Result<Self> {
        Self::create_in(&context.temporary_directory())
    }

    /// Creates a file in a directory.
    ///
    /// # Errors
    ///
    /// Fails if the directory is missing or cannot be written.
    pub fn create_in(directory: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(directory).map_err(|error| failed(directory, error))?;
        Ok(Self { file, position: 0, directory: directory.to_path_buf() })
    }

    /// Returns the location of a temporary file in messages.
    #[must_use]
    pub fn place(directory: &Path) -> Place {
        Place::array(directory, "temporary file")
    }

    fn check<T>(&self, done: io::Result<T>) -> Result<T> {
        done.map_err(|error| failed(&self.directory, error))
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// Fails if the disk is full.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all_at(bytes, self.position)?;
        self.position = self.position.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Writes bytes at an offset.
    ///
    /// # Errors
    ///
    /// Fails if the disk is full.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.check(system::write_all_at(&self.file, bytes, offset))
    }

    /// Reads bytes at an offset.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or do not exist.
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> Result<()> {
        self.check(system::read_exact_at(&self.file, bytes, offset))
    }

    /// Seeks to the start.
    pub fn rewind(&mut self) {
        self.position = 0;
    }

    /// Reads some bytes and returns their number; none at the end.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let read = self.check(system::read_at(&self.file, bytes, self.position))?;
        self.position = self.position.saturating_add(read as u64);
        Ok(read)
    }
}

/// Creates the error of a temporary file in a directory.
fn failed(directory: &Path, error: io::Error) -> Error {
    // The name of the file, which the error includes, is not useful.
    let inner = error.get_ref().and_then(|outer| outer.source()?.downcast_ref::<io::Error>());
    let error = match inner.and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    };
    Error::new(nnz_core::ErrorKind::Io(error), TemporaryFile::place(directory))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_have_no_name() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = TemporaryFile::create_in(directory.path()).unwrap();
        file.write_all(b"abc").unwrap();
        file.write_all_at(b"X", 1).unwrap();
        file.rewind();
        let mut read = [0; 8];
        assert_eq!(file.read(&mut read).unwrap(), 3);
        assert_eq!(&read[..3], b"aXc");
        // Windows has no files without a name, but files that are removed when they are closed.
        let names = || std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(names(), usize::from(cfg!(windows)));
        let past_the_end = file.read_exact_at(&mut read, 1).unwrap_err();
        assert_eq!(past_the_end.place(), &TemporaryFile::place(directory.path()));
        drop(file);
        assert_eq!(names(), 0);
    }

    #[test]
    fn a_missing_directory_is_in_the_error() {
        let error = TemporaryFile::create_in(Path::new("/none/of it")).unwrap_err();
        assert_eq!(error.to_string(), "/none/of it: temporary file: no such file or directory");
        assert!(error.is_system());
    }
}
