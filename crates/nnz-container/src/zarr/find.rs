//! Detecting stores, and searching groups by their attributes.

use std::collections::VecDeque;
use std::path::Path;

use nnz_core::{Error, Place, Result, readable};
use nnz_storage::InputDirectory;

use super::node;
use super::open::ZarrStore;
use super::store::Store;
use crate::FoundGroup;
use crate::tree::{Attributes as _, Group as _};

/// Maximum number of groups to search, and maximum depth. Real stores have a few hundred groups.
const MAX_GROUPS: usize = 1 << 16;
const MAX_DEPTH: usize = 32;

/// Returns whether a directory of the file system is a Zarr store: a group or an array.
///
/// # Errors
///
/// Fails if the system cannot read it.
pub fn is_zarr(path: &Path) -> Result<bool> {
    let is_node = InputDirectory::open(path).and_then(|directory| node::is_node(&directory));
    Ok(readable(is_node)?.unwrap_or(false))
}

/// Returns the groups that have an attribute with one of the given names, outermost first.
///
/// Invalid groups are ignored if there is another result, so that they do not hide a matrix.
///
/// # Errors
///
/// Fails if `path` is not a Zarr store or has too many groups, if the system could not read
/// something, or if nothing is found and something is invalid.
pub fn groups_with(path: &Path, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    let root = Store::Directory(InputDirectory::open(path)?);
    ZarrStore::new(root, path.to_path_buf()).groups_with(attributes)
}

impl ZarrStore {
    /// Returns the groups that have an attribute with one of the given names, outermost first.
    ///
    /// # Errors
    ///
    /// Fails as [`groups_with`].
    pub fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        find(self, attributes)
    }
}

fn find(store: &ZarrStore, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    let mut found = Vec::new();
    let mut queue = VecDeque::from([(String::new(), 0)]);
    let (mut seen, mut unread) = (0, None);
    while let Some((name, depth)) = queue.pop_front() {
        let group = match store.find(&name, 1, false) {
            Ok(Some(group)) => group,
            Ok(None) => continue,
            Err(error) if error.is_system() => return Err(error),
            Err(error) => {
                unread = Some(error);
                continue;
            }
        };
        let names = group.attributes()?;
        let has = |attribute: &&&str| names.iter().any(|name| name == **attribute);
        for (number, attribute) in attributes.iter().filter(has).enumerate() {
            if number == 0 {
                store.keep(&name, &group);
            }
            // The group matches even if its attribute is of another type.
            let text = readable(group.text(attribute))?.unwrap_or_default();
            let (group, attribute) = (name.clone(), (*attribute).to_owned());
            found.push(FoundGroup { group, attribute, text });
        }
        if depth == MAX_DEPTH {
            continue;
        }
        for inner in group.nodes()? {
            seen += 1;
            if seen > MAX_GROUPS {
                let what = format!("Zarr with more than {MAX_GROUPS} groups is not searched");
                return Err(Error::unsupported(Place::path(store.path()), what));
            }
            let inner = if name.is_empty() { inner } else { format!("{name}/{inner}") };
            queue.push_back((inner, depth + 1));
        }
    }
    match unread {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}
