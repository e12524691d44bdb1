//! Searching groups by their attributes.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::InputFile;

use super::{Hdf5File, Hdf5Group};
use crate::FoundGroup;
use crate::tree::{Attributes as _, ChildKind, Group as _};

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
        find(self.tree("", 1)?, self.0.bytes(), attributes)
    }
}

fn find(root: Hdf5Group, file_bytes: u64, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
    let path = root.path().to_path_buf();
    let mut found = Vec::new();
    // By address, because links can be cyclic.
    let mut seen: BTreeSet<Option<u64>> = BTreeSet::from([root.identity()]);
    let mut queue = VecDeque::from([(root, String::new(), 0)]);
    let mut unread = None;
    let mut bytes = 0;
    while let Some((group, name, depth)) = queue.pop_front() {
        match group.attributes() {
            Ok(names) => {
                let has = |attribute: &str| names.iter().any(|name| name == attribute);
                for attribute in attributes.iter().filter(|attribute| has(attribute)) {
                    // The group matches even if its attribute is of another type.
                    let text = readable(group.text(attribute))?.unwrap_or_default();
                    bytes += text.len() as u64;
                    let (group, attribute) = (name.clone(), (*attribute).to_owned());
                    found.push(FoundGroup { group, attribute, text });
                }
            }
            Err(error) if error.is_system() => return Err(error),
            Err(error) => unread = Some(error),
        }
        // In a crafted file, many attributes may refer to the same text.
        if bytes > file_bytes.saturating_mul(3) {
            let what = format!("invalid HDF5: attributes of more than {bytes} bytes");
            return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(group.path())));
        }
        if depth == MAX_DEPTH {
            continue;
        }
        let children = match group.children() {
            Err(error) if error.is_system() => return Err(error),
            children => children.unwrap_or_else(|error| {
                unread = Some(error);
                Vec::new()
            }),
        };
        for child in children.into_iter().filter(|child| child.kind == ChildKind::Group) {
            let Some(inner) = readable(group.child_group(&child.name))? else { continue };
            if !seen.insert(inner.identity()) {
                continue;
            }
            if seen.len() > MAX_GROUPS {
                let what = format!("HDF5 with more than {MAX_GROUPS} groups is not searched");
                return Err(Error::unsupported(Place::path(path), what));
            }
            let name = match name.as_str() {
                "" => child.name,
                _ => format!("{name}/{}", child.name),
            };
            queue.push_back((inner, name, depth + 1));
        }
    }
    match unread {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}
