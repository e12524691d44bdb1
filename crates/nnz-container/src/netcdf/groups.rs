//! Detecting NetCDF-4, and searching groups by their attributes.

use std::path::Path;

use nnz_core::{Result, readable};
use nnz_storage::InputFile;

use super::NetCdfFile;
use super::dimensions::PROPERTIES;
use super::file::OpenForm;
use crate::FoundGroup;
use crate::hdf5::Hdf5File;
use crate::tree::{Attributes as _, Group as _};

/// Returns whether an HDF5 file is marked as NetCDF-4.
///
/// Files of old programs are not.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn is_netcdf4(file: &Hdf5File) -> Result<bool> {
    Ok(file.tree("", 1)?.attribute(PROPERTIES)?.is_some())
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
        if let OpenForm::Hdf5(file) = &self.0 {
            return file.groups_with(attributes);
        }
        let root = self.tree("", 1)?;
        let names = root.attributes()?;
        let there =
            attributes.iter().filter(|&&attribute| names.iter().any(|name| name == attribute));
        let found = there.map(|&attribute| {
            // The group matches even if its attribute is of another type.
            let text = readable(root.text(attribute))?.unwrap_or_default();
            Ok(FoundGroup { group: String::new(), attribute: attribute.to_owned(), text })
        });
        found.collect()
    }
}
