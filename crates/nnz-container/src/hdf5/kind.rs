//! HDF5 files as a kind of container.

use std::path::Path;
use std::sync::Arc;

use nnz_core::Result;
use nnz_hdf5::check_compression;
use nnz_storage::Opened;
use nnz_storage::staging::WriteOptions;

use super::{Hdf5File, Hdf5Options, Hdf5Writer, is_hdf5};
use crate::kind::other_kind;
use crate::kinds::HDF5;
#[cfg(feature = "netcdf")]
use crate::netcdf::{NetCdfFile, is_netcdf4};
use crate::tree::{Group, TreeWriter};
use crate::{Compression, ContainerInfo, ContainerKind, CreateOptions, FoundGroup, OpenContainer};

/// HDF5 files, including NetCDF-4.
#[derive(Clone, Copy, Debug)]
pub struct Hdf5Kind;

impl ContainerKind for Hdf5Kind {
    fn info(&self) -> &'static ContainerInfo {
        &HDF5
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.file().map_or(Ok(false), is_hdf5)
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let file = opened.file().ok_or_else(|| other_kind(opened, "an HDF5 file"))?;
        let file = Hdf5File::open(file.clone())?;
        // A file without the attributes of NetCDF is read as HDF5, which is always possible.
        #[cfg(feature = "netcdf")]
        match is_netcdf4(&file) {
            Ok(true) => return Ok(Arc::new(NetCdfFile::of_hdf5(file))),
            Err(error) if error.is_system() => return Err(error),
            _ => {}
        }
        Ok(Arc::new(file))
    }

    fn check(&self, _: &Path, _: &str, _: &CreateOptions) -> Result<()> {
        // Starting to write a group copies the existing file, which is done only once.
        Ok(())
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        create(path, group, options, false)
    }

    fn edit(&self, path: &Path, group: &str, write: WriteOptions) -> Result<Box<dyn TreeWriter>> {
        let options = Hdf5Options { threads: write.context.threads(), ..Hdf5Options::default() };
        Ok(Box::new(Hdf5Writer::edit(path, group, write, options)?))
    }
}

/// Starts writing a group to HDF5 or NetCDF-4.
pub(crate) fn create(
    path: &Path,
    group: &str,
    options: &CreateOptions,
    netcdf: bool,
) -> Result<Box<dyn TreeWriter>> {
    check_compression(options.compress.unwrap_or(Compression::None))?;
    let hdf5 =
        Hdf5Options { threads: options.write.context.threads(), netcdf, ..Hdf5Options::default() };
    Ok(Box::new(Hdf5Writer::create(path, group, options.write.clone(), hdf5)?))
}

impl OpenContainer for Hdf5File {
    fn info(&self) -> &'static ContainerInfo {
        &HDF5
    }

    fn group(&self, name: &str, threads: usize) -> Result<Box<dyn Group>> {
        Ok(Box::new(self.tree(name, threads)?))
    }

    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        self.groups_with(attributes)
    }
}
