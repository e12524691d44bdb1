//! Searching groups by their attributes.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::InputFile;

use super::attribute::{self, AttributeList};
use super::container::{Hdf5File, full_path};
use super::links::members;
use super::opened::{Opened, call_library};
pub use crate::container::FoundGroup;

/// Maximum number of groups to search, and maximum depth. Real files have a few hundred groups.
const MAX_GROUPS: usize = 1 << 16;
const MAX_DEPTH: usize = 32;

/// Returns the groups that have an attribute with one of the given names, outermost first.
///
/// A group that is reached by several paths is returned once. Invalid objects are ignored if there
/// is another result, so that they do not hide a matrix.
///
/// # Errors
///
/// Fails if `path` is not an HDF5 file or has too many groups, if the system could not read
/// something, or if nothing is found and something is invalid.
pub fn groups_with(path: &Path, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    Hdf5File::open(InputFile::open(path)?)?.groups_with(attributes)
}

impl Hdf5File {
    /// Returns the groups that have an attribute with one of the given names, outermost first.
    ///
    /// # Errors
    ///
    /// Fails as [`groups_with`].
    pub fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        find(&self.0, attributes)
    }
}

fn find(opened: &Arc<Opened>, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    let path = opened.file().path();
    let place = Place::path(path);
    let root = call_library(&place, || opened.meta.root_group())?;
    let mut found = Vec::new();
    // By address, because links can be cyclic.
    let mut seen = BTreeSet::from([root.address()]);
    let mut queue = VecDeque::from([(root, String::new(), 0)]);
    let mut unread = None;
    let mut bytes = 0;
    while let Some((group, name, depth)) = queue.pop_front() {
        let place = Place::path(full_path(path, &name));
        match AttributeList::of_group(opened, &group, &place) {
            Ok(AttributeList { all, .. }) => {
                for raw in &all {
                    let Some(attribute) =
                        attributes.iter().find(|&&attribute| attribute == raw.name())
                    else {
                        continue;
                    };
                    // The group matches even if its attribute is of another type.
                    let decoded = readable(attribute::decode(opened, raw, &place))?;
                    let text = decoded.as_ref().and_then(|attribute| attribute.text());
                    let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
                    bytes += text.len() as u64;
                    found.push(FoundGroup {
                        group: name.clone(),
                        attribute: (*attribute).to_owned(),
                        text,
                    });
                }
            }
            Err(error) if error.is_system() => return Err(error),
            Err(error) => unread = Some(error),
        }
        // In a crafted file, many attributes may refer to the same text.
        if bytes > opened.bytes.saturating_mul(3) {
            let what = format!("invalid HDF5: attributes of more than {bytes} bytes");
            return Err(Error::new(ErrorKind::Unrecognized(what), place));
        }
        if depth == MAX_DEPTH {
            continue;
        }
        let inner = members(opened, &group, &place).map(|members| members.groups);
        let inner = match inner {
            Err(error) if error.is_system() => return Err(error),
            inner => inner.unwrap_or_else(|error| {
                unread = Some(error);
                Vec::new()
            }),
        };
        for inner in inner {
            let Some(child) = readable(call_library(&place, || group.group(&inner)))? else {
                continue;
            };
            if !seen.insert(child.address()) {
                continue;
            }
            if seen.len() > MAX_GROUPS {
                let what = format!("HDF5 with more than {MAX_GROUPS} groups is not searched");
                return Err(Error::unsupported(Place::path(path), what));
            }
            let name = if name.is_empty() { inner } else { format!("{name}/{inner}") };
            queue.push_back((child, name, depth + 1));
        }
    }
    match unread {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}
