//! How dimensions lie in a group of an HDF5 file: as datasets, some of which are no variables.

use nnz_core::{Result, readable};

use crate::Container;
use crate::hdf5::{Hdf5, Hdf5Group};
use crate::tree::{Child, ChildKind, Group};

/// How the name begins that a dataset gives itself where it stands for a dimension only. The
/// dimension's length follows, in ten columns.
pub(crate) const NO_VARIABLE: &str = "This is a netCDF dimension but not a netCDF variable.";

/// What stands before the name of a variable that a dimension has taken.
const TAKEN: &str = "_nc4_non_coord_";

/// The attribute of the root group in which programs name themselves.
pub(crate) const PROPERTIES: &str = "_NCProperties";

/// Lists variables, attributes and groups; dimensions are none of them.
pub(super) fn members(group: &Hdf5) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in group.members()? {
        if name != PROPERTIES && !is_dimension(group, &name)? {
            names.push(name.strip_prefix(TAKEN).map(ToOwned::to_owned).unwrap_or(name));
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Returns the name of the dataset that holds a variable.
pub(super) fn stored_name(group: &Hdf5, name: &str) -> Result<String> {
    if is_dimension(group, name)? {
        let (groups, own) = name.rsplit_once('/').unwrap_or(("", name));
        let behind = if groups.is_empty() { "" } else { "/" };
        return Ok(format!("{groups}{behind}{TAKEN}{own}"));
    }
    Ok(name.to_owned())
}

/// Returns whether a dataset is a dimension without a variable.
fn is_dimension(group: &Hdf5, name: &str) -> Result<bool> {
    // Groups and attributes are members too. Errors are reported where the member is read.
    let attribute = readable(group.attribute_of(name, "NAME"))?.flatten();
    let text = attribute.as_ref().and_then(|attribute| attribute.text());
    Ok(text.is_some_and(|text| text.starts_with(NO_VARIABLE.as_bytes())))
}

/// Lists variables and groups of a tree; dimensions are none of them.
pub(super) fn variables(group: &Hdf5Group) -> Result<Vec<Child>> {
    let mut children = Vec::new();
    for mut child in group.children()? {
        if child.kind == ChildKind::Array && stands_for_one(group, &child.name)? {
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

/// Returns the name of the dataset in a tree that holds a variable.
pub(super) fn variable_name(group: &Hdf5Group, name: &str) -> Result<String> {
    if !stands_for_one(group, name)? {
        return Ok(name.to_owned());
    }
    Ok(match name.rsplit_once('/') {
        Some((groups, own)) => format!("{groups}/{TAKEN}{own}"),
        None => format!("{TAKEN}{name}"),
    })
}

/// Returns whether a dataset is a dimension without a variable. A broken one counts as a variable.
fn stands_for_one(group: &Hdf5Group, name: &str) -> Result<bool> {
    let attribute = group.array(name).and_then(|array| array.attribute("NAME"));
    let attribute = readable(attribute)?.flatten();
    let text = attribute.as_ref().and_then(|attribute| attribute.text());
    Ok(text.is_some_and(|text| text.starts_with(NO_VARIABLE)))
}
