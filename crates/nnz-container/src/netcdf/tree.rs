//! A group of a NetCDF file of any format, as a tree.

use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

use super::NetCdfFile;
use super::classic::Classic;
use super::file::OpenForm;
use crate::ContainerInfo;
#[cfg(feature = "hdf5")]
use crate::hdf5::Hdf5Group;
use crate::kinds::NETCDF;
use crate::tree::{Attribute, Attributes, Child, Group, NdArray};

/// A group of a NetCDF file. Opening it reads no data.
///
/// Dimensions are not included, unless they are variables too.
pub struct NetCdfGroup(Form);

enum Form {
    Classic(Classic),
    #[cfg(feature = "hdf5")]
    Hdf5(Hdf5Group),
}

impl NetCdfGroup {
    /// Opens a group, with or without a leading slash, with the number of threads that decode the
    /// chunks of a large read; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a NetCDF file, or has no such group. Classic files have no groups.
    pub fn open(path: &Path, group: &str, threads: usize) -> Result<Self> {
        NetCdfFile::open(InputFile::open(path)?)?.tree(group, threads)
    }
}

impl NetCdfFile {
    /// Opens a group as a tree, with the number of threads that decode the chunks of a large read.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group. A classic file has no groups.
    pub fn tree(&self, group: &str, threads: usize) -> Result<NetCdfGroup> {
        match &self.0 {
            OpenForm::Classic(classic) if !group.trim_matches('/').is_empty() => {
                let found = format!("the group {} in a classic file", group.trim_matches('/'));
                Err(Error::mismatch(Place::path(classic.file_path()), found, "the root group"))
            }
            OpenForm::Classic(classic) => {
                let _ = threads;
                Ok(NetCdfGroup(Form::Classic((**classic).clone())))
            }
            #[cfg(feature = "hdf5")]
            OpenForm::Hdf5(file) => Ok(NetCdfGroup(Form::Hdf5(file.tree(group, threads)?))),
        }
    }
}

impl Attributes for NetCdfGroup {
    fn attributes(&self) -> Result<Vec<String>> {
        match &self.0 {
            Form::Classic(classic) => Ok(classic.attribute_names()),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => {
                let mut names = group.attributes()?;
                names.retain(|name| name != super::PROPERTIES);
                Ok(names)
            }
        }
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        match &self.0 {
            Form::Classic(classic) => classic.attribute(name),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => group.attribute(name),
        }
    }
}

impl Group for NetCdfGroup {
    fn path(&self) -> &Path {
        match &self.0 {
            Form::Classic(classic) => classic.file_path(),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => group.path(),
        }
    }

    fn info(&self) -> &'static ContainerInfo {
        &NETCDF
    }

    fn identity(&self) -> Option<u64> {
        match &self.0 {
            Form::Classic(_) => None,
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => group.identity(),
        }
    }

    fn children(&self) -> Result<Vec<Child>> {
        match &self.0 {
            Form::Classic(classic) => Ok(classic.children()),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => super::dimensions::variables(group),
        }
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        match &self.0 {
            Form::Classic(_) => {
                Err(Error::new(ErrorKind::Missing, Place::array(self.path(), name)))
            }
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => Ok(Box::new(Self(Form::Hdf5(group.child_group(name)?)))),
        }
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        match &self.0 {
            Form::Classic(classic) => classic.view(name),
            #[cfg(feature = "hdf5")]
            Form::Hdf5(group) => group.array(&super::dimensions::variable_name(group, name)?),
        }
    }
}

impl std::fmt::Debug for NetCdfGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetCdfGroup").field("path", &self.path()).finish_non_exhaustive()
    }
}
