//! Detecting NetCDF-4, and searching groups by their attributes.

use std::path::Path;

use nnz_core::{Result, readable};
use nnz_storage::InputFile;

use super::container::OpenForm;
use super::dimensions::PROPERTIES;
use super::{NetCdf, NetCdfFile};
use crate::Container;
use crate::hdf5::{FoundGroup, Hdf5File};

/// Returns whether an HDF5 file is marked as NetCDF-4.
///
/// Files of old programs are not.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn is_netcdf4(file: &Hdf5File) -> Result<bool> {
    Ok(file.group("")?.typed_attribute(PROPERTIES)?.is_some())
}

/// Returns the groups that have an attribute with one of the given names, outermost first.
///
/// # Errors
///
/// Fails if `path` is not a NetCDF file, or as [`hdf5::groups_with`](crate::hdf5::groups_with).
pub fn groups_with(path: &Path, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    NetCdfFile::open(InputFile::open(path)?)?.groups_with(attributes)
}

impl NetCdfFile {
    /// Returns the groups that have an attribute with one of the given names, outermost first.
    ///
    /// # Errors
    ///
    /// Fails as [`hdf5::groups_with`](crate::hdf5::groups_with).
    pub fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        let file = match &self.0 {
            OpenForm::Hdf5(file) => return file.groups_with(attributes),
            OpenForm::Classic(classic) => NetCdf::of_classic((**classic).clone()),
        };
        let members = file.members()?;
        let there = attributes
            .iter()
            .filter(|&&attribute| members.iter().any(|member| member == attribute));
        let found = there.map(|&attribute| {
            // The group matches even if its attribute is of another type.
            let text = readable(file.attribute(attribute))?.unwrap_or_default();
            Ok(FoundGroup { group: String::new(), attribute: attribute.to_owned(), text })
        });
        found.collect()
    }
}
