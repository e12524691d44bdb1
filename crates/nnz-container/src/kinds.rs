//! The kinds of container of this crate.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Result};
use nnz_storage::Opened;
use nnz_storage::staging::StagedFile;

use crate::directory::{Directory, DirectoryWriter, is_directory};
#[cfg(feature = "hdf5")]
use crate::hdf5::{Hdf5File, Hdf5Options, Hdf5Writer, is_hdf5};
use crate::kind::{
    ContainerInfo, ContainerKind, CreateOptions, OpenContainer, only_root, other_kind,
};
use crate::netcdf::{NetCdfFile, is_netcdf};
#[cfg(feature = "hdf5")]
use crate::netcdf::{NetCdfWriter, is_netcdf4};
use crate::npy::{NpyDirectory, NpyDirectoryWriter, is_npy_directory};
use crate::npz::{Npz, NpzOptions, NpzWriter, is_npz};
use crate::tree::Group;
#[cfg(feature = "zarr")]
use crate::zarr::{ZarrOptions, ZarrStore, ZarrWriter};
use crate::{Compression, Container, ContainerWriter, Tagged};

/// Every kind of container of this crate. Of several that match, the first is taken.
pub const KINDS: &[&dyn ContainerKind] = &[
    &NetCdfKind,
    #[cfg(feature = "hdf5")]
    &Hdf5Kind,
    #[cfg(feature = "zarr")]
    &ZarrKind,
    &DirectoryKind,
    &NpyKind,
    &NpzKind,
];

/// Files of the classic forms of NetCDF. Those of NetCDF-4 are HDF5 files, which say what they are when
/// they are opened; both are written as NetCDF-4.
#[derive(Clone, Copy, Debug)]
pub struct NetCdfKind;

impl ContainerKind for NetCdfKind {
    fn info(&self) -> &'static ContainerInfo {
        &ContainerInfo { name: "NetCDF", extensions: &["nc", "nc4"], groups: true }
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.file().map_or(Ok(false), |file| file.start(4).map(|start| is_netcdf(&start)))
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let file = opened.file().ok_or_else(|| other_kind(opened, "a NetCDF file"))?;
        Ok(Arc::new(NetCdfFile::open(file.clone())?))
    }

    #[cfg(feature = "hdf5")]
    fn check(&self, path: &Path, group: &str, options: &CreateOptions) -> Result<()> {
        Hdf5Kind.check(path, group, options)
    }

    #[cfg(feature = "hdf5")]
    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn ContainerWriter>> {
        let writer = NetCdfWriter::create(path, group, options.write, hdf5_options(options))?;
        Ok(Box::new(writer))
    }
}

impl OpenContainer for NetCdfFile {
    fn description(&self) -> &'static str {
        "a NetCDF file"
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        Ok(Arc::new(self.group(name)?.with_threads(1)))
    }

    fn tree(&self, name: &str, threads: usize) -> Result<Option<Box<dyn Group>>> {
        // As a tree, one of NetCDF-4 is the HDF5 file that it is.
        #[cfg(feature = "hdf5")]
        if let Some(file) = self.hdf5() {
            return Ok(Some(Box::new(file.tree(name, threads)?)));
        }
        Ok(Some(Box::new(self.tree(name, threads)?)))
    }

    #[cfg(feature = "hdf5")]
    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<Tagged>> {
        self.groups_with(attributes)
    }
}

/// HDF5 files, those of NetCDF-4 among them.
#[cfg(feature = "hdf5")]
#[derive(Clone, Copy, Debug)]
pub struct Hdf5Kind;

#[cfg(feature = "hdf5")]
impl ContainerKind for Hdf5Kind {
    fn info(&self) -> &'static ContainerInfo {
        &ContainerInfo { name: "HDF5", extensions: &["h5", "hdf5", "h5ad"], groups: true }
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.file().map_or(Ok(false), is_hdf5)
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let file = opened.file().ok_or_else(|| other_kind(opened, "an HDF5 file"))?;
        let file = Hdf5File::open(file.clone())?;
        // A file without the attributes of NetCDF is read as HDF5, which it is in any case.
        match is_netcdf4(&file) {
            Ok(true) => Ok(Arc::new(NetCdfFile::of_hdf5(file))),
            Err(error) if error.is_system() => Err(error),
            _ => Ok(Arc::new(file)),
        }
    }

    fn check(&self, _: &Path, _: &str, _: &CreateOptions) -> Result<()> {
        // Starting to write a group copies the file it goes into: that is done once.
        Ok(())
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn ContainerWriter>> {
        let writer = Hdf5Writer::create(path, group, options.write, hdf5_options(options))?;
        Ok(Box::new(writer))
    }
}

#[cfg(feature = "hdf5")]
fn hdf5_options(options: &CreateOptions) -> Hdf5Options {
    let compress = options.compress.unwrap_or(Compression::None);
    Hdf5Options { compress, threads: options.threads, ..Hdf5Options::default() }
}

#[cfg(feature = "hdf5")]
impl OpenContainer for Hdf5File {
    fn description(&self) -> &'static str {
        "an HDF5 file"
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        Ok(Arc::new(self.group(name)?.with_threads(1)))
    }

    fn tree(&self, name: &str, threads: usize) -> Result<Option<Box<dyn Group>>> {
        Ok(Some(Box::new(self.tree(name, threads)?)))
    }

    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<Tagged>> {
        self.groups_with(attributes)
    }
}

/// Zarr stores in directories, and for reading in zip files.
#[cfg(feature = "zarr")]
#[derive(Clone, Copy, Debug)]
pub struct ZarrKind;

#[cfg(feature = "zarr")]
impl ZarrKind {
    fn store(opened: &Opened) -> Result<Option<ZarrStore>> {
        match opened {
            Opened::Directory(directory) => Ok(ZarrStore::of_directory(directory.clone())),
            // An npz file that is damaged is an error when it is opened as one.
            // The other zip files that are read are npz.
            Opened::File(file) if NpzKind.info().is_extension_of(file.path()) => Ok(None),
            Opened::File(file) if is_npz(&file.start(4)?) => {
                match ZarrStore::of_zip(file.clone()) {
                    Err(error) if error.is_system() => Err(error),
                    store => Ok(store.unwrap_or_default()),
                }
            }
            _ => Ok(None),
        }
    }
}

#[cfg(feature = "zarr")]
impl ContainerKind for ZarrKind {
    fn info(&self) -> &'static ContainerInfo {
        &ContainerInfo { name: "Zarr", extensions: &["zarr"], groups: true }
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
    ) -> Result<Box<dyn ContainerWriter>> {
        let compress = options.compress.unwrap_or(Compression::None);
        let zarr = ZarrOptions { compress, threads: options.threads, ..ZarrOptions::default() };
        Ok(Box::new(ZarrWriter::create(path, group, options.write, zarr)?))
    }
}

#[cfg(feature = "zarr")]
impl OpenContainer for ZarrStore {
    fn description(&self) -> &'static str {
        "a Zarr store"
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        Ok(Arc::new(self.group(name)?.with_threads(1)))
    }

    fn tree(&self, name: &str, threads: usize) -> Result<Option<Box<dyn Group>>> {
        Ok(Some(Box::new(self.tree(name, threads)?)))
    }

    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<Tagged>> {
        self.groups_with(attributes)
    }
}

/// Directories of BPCells arrays.
#[derive(Clone, Copy, Debug)]
pub struct DirectoryKind;

impl ContainerKind for DirectoryKind {
    fn info(&self) -> &'static ContainerInfo {
        &ContainerInfo { name: "directory", extensions: &[], groups: false }
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        Ok(opened.directory().is_some_and(is_directory))
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let directory = opened.directory().ok_or_else(|| other_kind(opened, "a directory"))?;
        let arrays: Arc<dyn Container> = Arc::new(Directory::new(directory.clone()));
        Ok(Arc::new(Flat { description: "a directory", arrays }))
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn ContainerWriter>> {
        uncompressed(options)?;
        only_root(path, group)?;
        Ok(Box::new(DirectoryWriter::create(path, options.write, options.members)?))
    }
}

/// Directories of NumPy's files.
#[derive(Clone, Copy, Debug)]
pub struct NpyKind;

impl ContainerKind for NpyKind {
    fn info(&self) -> &'static ContainerInfo {
        &ContainerInfo { name: "directory of NumPy arrays", extensions: &[], groups: false }
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        let Some(directory) = opened.directory() else { return Ok(false) };
        match is_npy_directory(directory) {
            // A directory that may not be listed can still be something else.
            Err(error) if is_denied(&error) => Ok(false),
            found => found,
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
    ) -> Result<Box<dyn ContainerWriter>> {
        uncompressed(options)?;
        only_root(path, group)?;
        Ok(Box::new(NpyDirectoryWriter::create(path, options.write)?))
    }
}

impl OpenContainer for NpyDirectory {
    fn description(&self) -> &'static str {
        "a directory of NumPy arrays"
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        only_root(Container::path(self), name)?;
        Ok(Arc::new(self.clone()))
    }

    fn tree(&self, name: &str, _: usize) -> Result<Option<Box<dyn Group>>> {
        Ok(Some(Box::new(self.tree(name)?)))
    }
}

/// Zip files of NumPy's arrays.
#[derive(Clone, Copy, Debug)]
pub struct NpzKind;

impl ContainerKind for NpzKind {
    fn info(&self) -> &'static ContainerInfo {
        &ContainerInfo { name: "npz", extensions: &["npz"], groups: false }
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
        StagedFile::create(path, options.write).map(drop)
    }

    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn ContainerWriter>> {
        only_root(path, group)?;
        let npz = NpzOptions { compress: options.compress.unwrap_or(Compression::None) };
        Ok(Box::new(NpzWriter::create(path, options.write, npz)?))
    }
}

impl OpenContainer for Npz {
    fn description(&self) -> &'static str {
        "an npz file"
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        only_root(Container::path(self), name)?;
        Ok(Arc::new(self.clone()))
    }

    fn tree(&self, name: &str, _: usize) -> Result<Option<Box<dyn Group>>> {
        Ok(Some(Box::new(self.tree(name)?)))
    }
}

/// Arrays without groups, which are no tree.
struct Flat {
    description: &'static str,
    arrays: Arc<dyn Container>,
}

impl OpenContainer for Flat {
    fn description(&self) -> &'static str {
        self.description
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        only_root(self.arrays.path(), name)?;
        Ok(Arc::clone(&self.arrays))
    }
}

fn is_denied(error: &Error) -> bool {
    let denied = std::io::ErrorKind::PermissionDenied;
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == denied)
}

/// Refuses to compress what is stored as it is.
fn uncompressed(options: &CreateOptions) -> Result<()> {
    match options.compress {
        None | Some(Compression::None) => Ok(()),
        Some(_) => Err(Error::argument("neither text nor a plain directory is compressed so")),
    }
}
