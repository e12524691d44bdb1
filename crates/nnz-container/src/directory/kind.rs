//! Directories of arrays as a kind of container.

use std::path::Path;
use std::sync::Arc;

use nnz_core::Result;
use nnz_storage::Opened;

use super::{Directory, DirectoryWriter, is_directory};
use crate::kind::{only_root, other_kind, uncompressed};
use crate::kinds::DIRECTORY;
use crate::tree::TreeWriter;
use crate::{ContainerInfo, ContainerKind, CreateOptions, OpenContainer};

/// Directories of BPCells arrays.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryKind;

impl ContainerKind for DirectoryKind {
    fn info(&self) -> &'static ContainerInfo {
        &DIRECTORY
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.directory().map_or(Ok(false), is_directory)
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let directory = opened.directory().ok_or_else(|| other_kind(opened, "a directory"))?;
        Ok(Arc::new(Directory::new(directory.clone())))
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        uncompressed(options)?;
        only_root(path, group)?;
        Ok(Box::new(DirectoryWriter::create(path, options.write.clone(), options.members)?))
    }
}
