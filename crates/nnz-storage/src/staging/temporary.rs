//! Temporary directories.

use std::ffi::OsStr;
use std::path::Path;

use nnz_core::{Error, Result};

use super::critical::{Critical, Pending};
use super::hidden::sibling;
use crate::TaskContext;

/// A directory for temporary files, which is removed when this is dropped, and by
/// [`remove_staged_outputs`](super::remove_staged_outputs).
///
/// ```
/// use nnz_storage::TaskContext;
/// use nnz_storage::staging::TemporaryDirectory;
///
/// let directory = TemporaryDirectory::create(&TaskContext::default())?;
/// let path = directory.path().to_owned();
/// std::fs::write(path.join("file"), "content")?;
/// drop(directory);
/// assert!(!path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TemporaryDirectory(Pending);

impl TemporaryDirectory {
    /// Creates a directory in the [directory for temporary files](TaskContext::temporary_directory).
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created.
    pub fn create(context: &TaskContext) -> Result<Self> {
        let path = sibling(&context.temporary_directory(), OsStr::new("temporary"));
        let mut critical = Critical::enter();
        std::fs::create_dir(&path).map_err(|error| Error::io(&path, error))?;
        Ok(Self(critical.register(path)))
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
