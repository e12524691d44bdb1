//! Finding out what a file is, and the groups that something is written of.

use std::path::Path;

use nnz_core::Result;

use super::NetCdf;
use super::dimensions::PROPERTIES;
use crate::Container;
use crate::hdf5::{self, Hdf5, Tagged};

/// Returns whether an HDF5 file says of itself that it is one of NetCDF-4.
///
/// Those of old programs do not.
///
/// # Errors
///
/// Fails where `path` is no HDF5 file, or cannot be read.
pub fn is_netcdf4(path: &Path) -> Result<bool> {
    Ok(Hdf5::open(path, "")?.attribute(PROPERTIES)?.is_some())
}

/// Lists the groups that have an attribute of one of the given names, outermost first.
///
/// # Errors
///
/// Fails where `path` is no NetCDF file, or as [`hdf5::groups_with`].
pub fn groups_with(path: &Path, tags: &[&str]) -> Result<Vec<Tagged>> {
    if !super::is_netcdf(&super::container::start(path)?) {
        return hdf5::groups_with(path, tags);
    }
    let file = NetCdf::open(path, "")?;
    let members = file.members()?;
    let there = tags.iter().filter(|&&tag| members.iter().any(|member| member == tag));
    let tagged = there.map(|&tag| {
        // An attribute of another kind is not what was looked for, but its group is.
        let text = file.text(tag).unwrap_or_default();
        Tagged { group: String::new(), tag: tag.to_owned(), text }
    });
    Ok(tagged.collect())
}
