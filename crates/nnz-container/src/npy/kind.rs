//! Directories of NumPy arrays as a kind of container.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Result};
use nnz_storage::Opened;

use super::{NpyDirectory, NpyDirectoryWriter, is_npy_directory};
use crate::kind::{only_root, other_kind, uncompressed};
use crate::kinds::NPY;
use crate::tree::TreeWriter;
use crate::{ContainerInfo, ContainerKind, CreateOptions, OpenContainer};

/// Directories of `.npy` files.
#[derive(Clone, Copy, Debug)]
pub struct NpyKind;

impl ContainerKind for NpyKind {
    fn info(&self) -> &'static ContainerInfo {
        &NPY
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        let Some(directory) = opened.directory() else { return Ok(false) };
        match is_npy_directory(directory) {
            // A directory that cannot be listed may be of another kind.
            Err(error) if is_denied(&error) => Ok(false),
            found => found,
        }
    }

    fn has_attribute(&self, opened: &Opened, name: &str) -> Result<bool> {
        match opened.directory() {
            Some(directory) => directory.is_file(format!("{name}.json")),
            None => Ok(false),
        }
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let directory = opened.directory().ok_or_else(|| other_kind(opened, "a directory"))?;
        Ok(Arc::new(NpyDirectory::new(directory.clone())))
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        uncompressed(options)?;
        only_root(path, group)?;
        Ok(Box::new(NpyDirectoryWriter::create(path, options.write.clone())?))
    }
}

fn is_denied(error: &Error) -> bool {
    let denied = std::io::ErrorKind::PermissionDenied;
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == denied)
}
