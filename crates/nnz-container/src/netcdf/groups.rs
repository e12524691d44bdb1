//! Finding out what a file is, and the groups that something is written of.

use std::path::Path;

use nnz_core::Result;
use nnz_storage::InputFile;

use super::container::OpenForm;
use super::dimensions::PROPERTIES;
use super::{NetCdf, NetCdfFile};
use crate::Container;
use crate::hdf5::{Hdf5File, Tagged};

/// Returns whether an HDF5 file says of itself that it is one of NetCDF-4.
///
/// Those of old programs do not.
///
/// # Errors
///
/// Fails where it cannot be read.
pub fn is_netcdf4(file: &Hdf5File) -> Result<bool> {
    Ok(file.group("")?.attribute(PROPERTIES)?.is_some())
}

/// Lists the groups that have an attribute of one of the given names, outermost first.
///
/// # Errors
///
/// Fails where `path` is no NetCDF file, or as [`hdf5::groups_with`](crate::hdf5::groups_with).
pub fn groups_with(path: &Path, tags: &[&str]) -> Result<Vec<Tagged>> {
    NetCdfFile::open(InputFile::open(path)?)?.groups_with(tags)
}

impl NetCdfFile {
    /// Lists the groups that have an attribute of one of the given names, outermost first.
    ///
    /// # Errors
    ///
    /// Fails as [`hdf5::groups_with`](crate::hdf5::groups_with).
    pub fn groups_with(&self, tags: &[&str]) -> Result<Vec<Tagged>> {
        let file = match &self.0 {
            OpenForm::Hdf5(file) => return file.groups_with(tags),
            OpenForm::Classic(classic) => NetCdf::of_classic((**classic).clone()),
        };
        let members = file.members()?;
        let there = tags.iter().filter(|&&tag| members.iter().any(|member| member == tag));
        let tagged = there.map(|&tag| {
            // An attribute of another kind is not what was looked for, but its group is.
            let text = file.text(tag).unwrap_or_default();
            Tagged { group: String::new(), tag: tag.to_owned(), text }
        });
        Ok(tagged.collect())
    }
}
