//! Zarr stores as a kind of container.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, Place, Result, readable};
use nnz_storage::Opened;
use nnz_storage::staging::WriteOptions;

use super::{ZarrOptions, ZarrStore, ZarrVersion, ZarrWriter};
use crate::kind::other_kind;
use crate::kinds::{NPZ, ZARR};
use crate::npz::is_npz;
use crate::tree::{Group, TreeWriter};
use crate::{Compression, ContainerInfo, ContainerKind, CreateOptions, FoundGroup, OpenContainer};

/// Zarr stores in directories; for reading also in zip files.
#[derive(Clone, Copy, Debug)]
pub struct ZarrKind;

impl ZarrKind {
    fn store(opened: &Opened) -> Result<Option<ZarrStore>> {
        match opened {
            Opened::Directory(directory) => ZarrStore::of_directory(directory.clone()),
            // A damaged npz file is an error when it is opened as npz, as are other zip files.
            Opened::File(file) if NPZ.is_extension_of(file.path()) => Ok(None),
            Opened::File(file) if is_npz(&file.start(4)?) => {
                readable(ZarrStore::of_zip(file.clone())).map(Option::flatten)
            }
            _ => Ok(None),
        }
    }
}

impl ContainerKind for ZarrKind {
    fn info(&self) -> &'static ContainerInfo {
        &ZARR
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        Ok(Self::store(opened)?.is_some())
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        match Self::store(opened)? {
            Some(store) => Ok(Arc::new(store)),
            None => Err(other_kind(opened, "a Zarr store")),
        }
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        options.compress.map_or(Ok(()), Compression::check)?;
        let zarr = ZarrOptions {
            version: ZarrVersion::V3,
            consolidate: false,
            threads: options.write.context.threads(),
        };
        Ok(Box::new(ZarrWriter::create(path, group, options.write.clone(), zarr)?))
    }

    fn edit(&self, path: &Path, group: &str, write: WriteOptions) -> Result<Box<dyn TreeWriter>> {
        if path.is_file() {
            let what = "changing a Zarr store in a zip file is not supported";
            return Err(Error::unsupported(Place::path(path), what));
        }
        let options = ZarrOptions { threads: write.context.threads(), ..ZarrOptions::default() };
        Ok(Box::new(ZarrWriter::edit(path, group, write, options)?))
    }
}

impl OpenContainer for ZarrStore {
    fn info(&self) -> &'static ContainerInfo {
        &ZARR
    }

    fn group(&self, name: &str, threads: usize) -> Result<Box<dyn Group>> {
        Ok(Box::new(self.tree(name, threads)?))
    }

    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        self.groups_with(attributes)
    }
}
