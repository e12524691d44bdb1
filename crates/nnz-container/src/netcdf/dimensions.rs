//! Dimensions in groups of HDF5 files: datasets that may or may not be variables.

use nnz_core::{Result, readable};

use crate::hdf5::Hdf5Group;
use crate::tree::{Child, ChildKind, Group};

/// The prefix of the `NAME` attribute of a dimension that is not a variable, followed by its length
/// in ten columns.
pub(crate) const NO_VARIABLE: &str = "This is a netCDF dimension but not a netCDF variable.";

/// Prefix of the name of a variable that has the same name as a dimension.
const TAKEN: &str = "_nc4_non_coord_";

/// The attribute of the root group with the names of programs.
pub(crate) const PROPERTIES: &str = "_NCProperties";

/// Returns variables and groups of a tree, without dimensions.
pub(super) fn variables(group: &Hdf5Group) -> Result<Vec<Child>> {
    let mut children = Vec::new();
    for mut child in group.children()? {
        if child.kind == ChildKind::Array && is_dimension_only(group, &child.name)? {
            continue;
        }
        if let Some(name) = child.name.strip_prefix(TAKEN) {
            child.name = name.to_owned();
        }
        children.push(child);
    }
    children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(children)
}

/// Returns the name of the dataset of a variable in a tree.
pub(super) fn variable_name(group: &Hdf5Group, name: &str) -> Result<String> {
    if !is_dimension_only(group, name)? {
        return Ok(name.to_owned());
    }
    Ok(match name.rsplit_once('/') {
        Some((groups, own)) => format!("{groups}/{TAKEN}{own}"),
        None => format!("{TAKEN}{name}"),
    })
}

/// Returns whether a dataset is a dimension without a variable. An invalid one is treated as a
/// variable.
fn is_dimension_only(group: &Hdf5Group, name: &str) -> Result<bool> {
    let attribute = group.array(name).and_then(|array| array.attribute("NAME"));
    let attribute = readable(attribute)?.flatten();
    let text = attribute.as_ref().and_then(|attribute| attribute.text());
    Ok(text.is_some_and(|text| text.starts_with(NO_VARIABLE)))
}
