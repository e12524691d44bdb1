//! npz files as a kind of container.

use std::path::Path;
use std::sync::Arc;

use nnz_core::Result;
use nnz_storage::Opened;
use nnz_storage::staging::StagedFile;

use super::{Npz, NpzOptions, NpzWriter, is_npz};
use crate::kind::{only_root, other_kind};
use crate::kinds::NPZ;
use crate::tree::TreeWriter;
use crate::{Compression, ContainerInfo, ContainerKind, CreateOptions, OpenContainer};

/// Zip files of NumPy arrays.
#[derive(Clone, Copy, Debug)]
pub struct NpzKind;

impl ContainerKind for NpzKind {
    fn info(&self) -> &'static ContainerInfo {
        &NPZ
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.file().map_or(Ok(false), |file| file.start(4).map(|start| is_npz(&start)))
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let file = opened.file().ok_or_else(|| other_kind(opened, "an npz file"))?;
        Ok(Arc::new(Npz::from_file(file.clone())?))
    }

    fn check(&self, path: &Path, group: &str, options: &CreateOptions) -> Result<()> {
        only_root(path, group)?;
        StagedFile::create(path, &options.write).map(drop)
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        only_root(path, group)?;
        let npz = NpzOptions { compress: options.compress.unwrap_or(Compression::None) };
        Ok(Box::new(NpzWriter::create(path, options.write.clone(), npz)?))
    }
}
