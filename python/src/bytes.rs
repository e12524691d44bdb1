//! Bytes of files and directories at URLs, for other packages to read.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz::Error;
use nnz::storage::{EntryKind, ReadAt, Storage};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::argument;
use crate::task;

/// The longest read at once: longer ones need several.
const MOST: u64 = 64 << 20;

/// A file that is open, or a directory.
#[derive(Clone)]
enum Inner {
    File(Arc<dyn ReadAt>),
    Directory(Arc<dyn Storage>),
}

/// A file or directory whose bytes are read.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct Stored {
    inner: Inner,
    path: PathBuf,
}

#[pymethods]
impl Stored {
    /// Opens a path or URL in the storage of the calling thread.
    #[new]
    fn new(py: Python<'_>, path: OsString) -> PyResult<Self> {
        let path = PathBuf::from(path);
        let opened = path.clone();
        let inner = task::run_detached(py, task::Limits::default(), move |context| {
            // A file that was missing before may exist now.
            let context = context.operation();
            let storage = context.storage();
            let open = || match storage.kind(&opened)? {
                EntryKind::Directory => storage.open_directory(&opened).map(Inner::Directory),
                _ => storage.open(&opened).map(Inner::File),
            };
            open().map_err(|error| failed(&opened, error))
        })?;
        Ok(Self { inner, path })
    }

    /// The length of a file in bytes; `None` for a directory.
    #[getter]
    fn length(&self) -> Option<u64> {
        match &self.inner {
            Inner::File(file) => Some(file.len()),
            Inner::Directory(_) => None,
        }
    }

    /// Reads some bytes of a file; fewer only at its end, or if more than 64 MiB are wanted.
    fn read<'py>(&self, py: Python<'py>, start: u64, length: u64) -> PyResult<Bound<'py, PyBytes>> {
        let Inner::File(file) = self.inner.clone() else {
            return Err(argument(py, "a directory has no bytes"));
        };
        let path = self.path.clone();
        let bytes = task::run_detached(py, task::Limits::default(), move |_| {
            piece(&*file, start, length).map_err(|error| failed(&path, error))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Opens a file of a directory; `None` if it does not exist.
    fn file(&self, py: Python<'_>, name: OsString) -> PyResult<Option<Self>> {
        let Inner::Directory(directory) = self.inner.clone() else {
            return Err(argument(py, "a file has no files in it"));
        };
        let (name, path) = (PathBuf::from(&name), self.path.join(&name));
        let shown = path.clone();
        let found = task::run_detached(py, task::Limits::default(), move |_| {
            match directory.open(&name) {
                Ok(file) => Ok(Some(file)),
                // A directory in its place is no file either.
                Err(error) if is_absent(error.kind()) => Ok(None),
                Err(error) => Err(failed(&shown, error)),
            }
        })?;
        Ok(found.map(|file| Self { inner: Inner::File(file), path }))
    }

    /// Lists the names in a directory below this one.
    fn names(&self, py: Python<'_>, below: OsString) -> PyResult<Vec<OsString>> {
        let Inner::Directory(directory) = self.inner.clone() else {
            return Err(argument(py, "a file has no files in it"));
        };
        let path = self.path.join(&below);
        task::run_detached(py, task::Limits::default(), move |_| {
            let mut names = Vec::new();
            let each = &mut |entry: nnz::storage::ListedEntry| {
                names.push(entry.name);
                Ok(true)
            };
            match directory.list(Path::new(&below), each) {
                Err(error) if !is_absent(error.kind()) => Err(failed(&path, error)),
                _ => Ok(names),
            }
        })
    }
}

fn is_absent(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, NotFound};
    matches!(kind, NotFound | NotADirectory | IsADirectory | InvalidInput)
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::io(path, error)
}

/// Reads the bytes that a file has in a range.
fn piece(file: &dyn ReadAt, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = length.min(MOST).min(file.len().saturating_sub(start));
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}
