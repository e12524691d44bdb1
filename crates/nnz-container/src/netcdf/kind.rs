//! NetCDF files as a kind of container.

use std::sync::Arc;

use nnz_core::Result;
use nnz_storage::Opened;

use super::{NetCdfFile, is_netcdf};
#[cfg(feature = "hdf5")]
use crate::hdf5::kind::{Hdf5Kind, create};
use crate::kind::other_kind;
use crate::kinds::NETCDF;
use crate::tree::{Group, TreeWriter};
use crate::{ContainerInfo, ContainerKind, OpenContainer};
#[cfg(feature = "hdf5")]
use crate::{CreateOptions, FoundGroup};

/// Classic NetCDF files. NetCDF-4 files are HDF5 files and are detected when they are opened. Both
/// are written as NetCDF-4.
#[derive(Clone, Copy, Debug)]
pub struct NetCdfKind;

impl ContainerKind for NetCdfKind {
    fn info(&self) -> &'static ContainerInfo {
        &NETCDF
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.file().map_or(Ok(false), |file| file.start(4).map(|start| is_netcdf(&start)))
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let file = opened.file().ok_or_else(|| other_kind(opened, "a NetCDF file"))?;
        Ok(Arc::new(NetCdfFile::open(file.clone())?))
    }

    #[cfg(feature = "hdf5")]
    fn check(&self, path: &std::path::Path, group: &str, options: &CreateOptions) -> Result<()> {
        Hdf5Kind.check(path, group, options)
    }

    #[cfg(feature = "hdf5")]
    fn create(
        &self,
        path: &std::path::Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        create(path, group, options, true)
    }
}

impl OpenContainer for NetCdfFile {
    fn info(&self) -> &'static ContainerInfo {
        &NETCDF
    }

    fn group(&self, name: &str, threads: usize) -> Result<Box<dyn Group>> {
        Ok(Box::new(self.tree(name, threads)?))
    }

    #[cfg(feature = "hdf5")]
    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        self.groups_with(attributes)
    }
}
