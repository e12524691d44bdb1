//! The version of the specification, and other attributes of the file.

use nnz_container::tree::{Attribute, AttributeValue, Group};
use nnz_core::{Result, StringList, readable};

use super::references;
use crate::globals;

/// The attribute with the version.
pub(super) const VERSION: &str = "LOOM_SPEC_VERSION";

/// The group of global attributes, since version 3.
pub(super) const ATTRIBUTES: &str = "attrs";

/// Attributes that every file has.
pub(super) const OWN: [&str; 3] = [VERSION, "CreationDate", "last_modified"];

/// The longest version that is read.
const LONGEST: u64 = 1 << 10;

/// Reads the version: a dataset in `attrs` since version 3, an attribute of the root before. `None`
/// if there is none.
pub(super) fn version(root: &dyn Group) -> Result<Option<String>> {
    let dataset = readable(root.array(&format!("{ATTRIBUTES}/{VERSION}")))?;
    let dataset = dataset.map(|array| readable(array.text(LONGEST))).transpose()?.flatten();
    if dataset.is_some() {
        return Ok(dataset);
    }
    let attribute = readable(root.attribute(VERSION))?.flatten();
    Ok(attribute.and_then(|attribute| attribute.text().map(ToOwned::to_owned)))
}

/// Returns whether strings of a version may have references to characters.
pub(super) fn has_references(version: Option<&str>) -> bool {
    let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    major.is_some_and(|major| major < 3)
}

/// Lists global attributes of the user.
pub(super) fn global_attributes(root: &dyn Group) -> Result<Vec<String>> {
    let mut names = readable(root.attributes())?.unwrap_or_default();
    if let Some(group) = readable(root.group(ATTRIBUTES))? {
        let children = readable(group.children())?.unwrap_or_default();
        names.extend(children.into_iter().map(|child| child.name));
    }
    names.retain(|name| !OWN.contains(&&**name));
    Ok(names)
}

/// Reads the global attributes of the user that are numbers or strings.
pub(super) fn read_global_attributes(root: &dyn Group) -> Result<Vec<(String, Attribute)>> {
    let mut found = Vec::new();
    for name in readable(root.attributes())?.unwrap_or_default() {
        let Some(mut attribute) = readable(root.attribute(&name))?.flatten() else { continue };
        if attribute.shape.len() > 1 {
            continue;
        }
        match &mut attribute.value {
            AttributeValue::Numbers(_) => {}
            AttributeValue::Strings(list) => {
                let mut decoded = StringList::new();
                let mut text = Vec::new();
                for string in list.iter() {
                    references::decode(string, &mut text);
                    decoded.push(&text);
                }
                *list = decoded;
            }
            _ => continue,
        }
        found.push((name, attribute));
    }
    if let Some(group) = readable(root.group(ATTRIBUTES))? {
        let known: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
        let arrays = readable(globals::read(&*group))?.unwrap_or_default();
        found.extend(arrays.into_iter().filter(|(name, _)| !known.contains(name)));
    }
    found.retain(|(name, _)| !OWN.contains(&&**name));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_belong_to_versions_before_3() {
        for (version, expected) in
            [("2.0.1", true), ("0.1", true), ("3.0.0", false), ("10.0", false), ("new", false)]
        {
            assert_eq!(has_references(Some(version)), expected, "{version}");
        }
        assert!(!has_references(None));
    }
}
