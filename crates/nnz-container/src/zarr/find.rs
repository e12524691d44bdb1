//! Finding stores, and the groups in them that something is written of.

use std::collections::VecDeque;
use std::path::Path;

use nnz_core::{Error, Place, Result, readable};
use nnz_storage::InputDirectory;

use super::node;
use super::open::ZarrStore;
use super::store::Store;
use crate::{Container, FoundGroup};

/// Groups looked at, and how deep they may lie. Real stores have a few hundred.
const MOST_GROUPS: usize = 1 << 16;
const DEEPEST: usize = 32;

/// Returns whether a directory of the file system is a Zarr store: a group or an array.
///
/// # Errors
///
/// Fails where the system cannot read it.
pub fn is_zarr(path: &Path) -> Result<bool> {
    let is_node = InputDirectory::open(path).and_then(|directory| node::is_node(&directory));
    Ok(readable(is_node)?.unwrap_or(false))
}

/// Lists the groups that have an attribute of one of the given names, outermost first.
///
/// What is broken is passed over, as long as there is something else: one strange neighbour
/// does not hide a matrix.
///
/// # Errors
///
/// Fails where `path` is no Zarr store, has more groups than anybody makes, the system could not read
/// something, or nothing is found and something is broken.
pub fn groups_with(path: &Path, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    let root = Store::Directory(InputDirectory::open(path)?);
    ZarrStore::new(root, path.to_path_buf()).groups_with(attributes)
}

impl ZarrStore {
    /// Lists the groups that have an attribute of one of the given names, outermost first.
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
    let mut ahead = VecDeque::from([(String::new(), 0)]);
    let (mut seen, mut unread) = (0, None);
    while let Some((name, depth)) = ahead.pop_front() {
        let group = match store.find(&name, false) {
            Ok(Some(group)) => group,
            Ok(None) => continue,
            Err(error) if error.is_system() => return Err(error),
            Err(error) => {
                unread = Some(error);
                continue;
            }
        };
        if attributes.iter().any(|attribute| group.has_attribute(attribute)) {
            store.keep(&name, &group);
        }
        for attribute in attributes {
            // An attribute of another kind is not what was looked for, but its group is.
            if group.has_attribute(attribute) {
                let text = readable(group.attribute(attribute))?.unwrap_or_default();
                found.push(FoundGroup {
                    group: name.clone(),
                    attribute: (*attribute).to_owned(),
                    text,
                });
            }
        }
        if depth == DEEPEST {
            continue;
        }
        for inner in group.nodes()? {
            seen += 1;
            if seen > MOST_GROUPS {
                let what = format!("Zarr with more than {MOST_GROUPS} groups is not searched");
                return Err(Error::unsupported(Place::path(store.path()), what));
            }
            let inner = if name.is_empty() { inner } else { format!("{name}/{inner}") };
            ahead.push_back((inner, depth + 1));
        }
    }
    match unread {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}
