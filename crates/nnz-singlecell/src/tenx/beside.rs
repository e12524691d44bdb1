//! Members of the root next to a matrix, and attributes of users and of other programs.

use std::collections::BTreeSet;

use nnz_container::tree::{Attributes, ChildKind, Group};
use nnz_core::{Result, readable};

/// Attributes of PyTables and rhdf5, which describe how they store an object.
pub(super) const OF_LIBRARIES: [&str; 8] = [
    "CLASS",
    "EXTDIM",
    "FILTERS",
    "FLAVOR",
    "PYTABLES_FORMAT_VERSION",
    "TITLE",
    "VERSION",
    "rhdf5-NA.OK",
];

/// Lists the attributes of an object, which has a name in messages.
pub(super) fn of_object<T: Attributes + ?Sized>(object: &T, name: &str) -> Result<Vec<String>> {
    let mut names = readable(object.attributes())?.unwrap_or_default();
    names.retain(|attribute| !OF_LIBRARIES.contains(&&**attribute));
    Ok(names.iter().map(|attribute| format!("the attribute {attribute:?} of {name}")).collect())
}

/// Lists the attributes of the arrays of a matrix, and of its table of features. Attributes of members that are
/// not read are not listed.
pub(super) fn of_arrays(group: &dyn Group, unread: &BTreeSet<&str>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut list = |group: &dyn Group, prefix: &str| {
        for child in group.children()? {
            let name = format!("{prefix}{}", child.name);
            if child.kind != ChildKind::Array || unread.contains(&*name) {
                continue;
            }
            if let Some(array) = readable(group.array(&child.name))? {
                found.extend(of_object(&*array, &name)?);
            }
        }
        Result::Ok(())
    };
    list(group, "")?;
    if group.child("features")? == Some(ChildKind::Group) {
        let features = group.group("features")?;
        list(&*features, "features/")?;
        found.extend(of_object(&*features, "features")?);
    }
    Ok(found)
}

/// Lists the members of the root next to the group of a matrix.
pub(super) fn of_root(root: &dyn Group, group: &str) -> Result<Vec<String>> {
    let children = root.children()?.into_iter().map(|child| child.name);
    Ok(children.filter(|name| name != group).collect())
}
