//! Resolving references, which are addresses, to paths.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use nnz_core::{Error, Place, Result, readable};
use nnz_hdf5::{LinkTarget, ObjectKind};

use super::Shared;

/// Maximum number of groups, their depth, and the size of all paths. Real files have several
/// hundred groups.
const MAX_GROUPS: usize = 1 << 16;
const MAX_DEPTH: usize = 32;
const MAX_BYTES: usize = 64 << 20;

/// Paths by the address of the object header.
pub(super) struct Paths(HashMap<u64, String>);

impl Paths {
    /// Returns the path of the target of a reference, without a leading slash.
    pub(super) fn get(&self, reference: &[u8]) -> Option<&str> {
        let address =
            reference.iter().take(8).rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        self.0.get(&address).map(String::as_str)
    }
}

/// Returns the shortest path of every object that hard links point to.
pub(super) fn paths(shared: &Arc<Shared>) -> Result<&Paths> {
    if let Some(paths) = shared.paths.get() {
        return Ok(paths);
    }
    let found = find(shared)?;
    Ok(shared.paths.get_or_init(|| found))
}

fn find(shared: &Shared) -> Result<Paths> {
    let place = Place::path(shared.file.path());
    let root = shared.file.root()?;
    let mut paths = HashMap::from([(root.address(), String::new())]);
    let mut queue = VecDeque::from([(root, String::new(), 0)]);
    let (mut groups, mut bytes) = (0, 0);
    while let Some((group, path, depth)) = queue.pop_front() {
        groups += 1;
        // An invalid group hides only its own members.
        let Some(links) = readable(group.links())? else { continue };
        for link in links.iter() {
            let LinkTarget::Hard(address) = link.target else { continue };
            if paths.contains_key(&address) {
                continue;
            }
            let inner = match path.as_str() {
                "" => link.name.clone(),
                _ => format!("{path}/{}", link.name),
            };
            bytes += inner.len();
            if groups > MAX_GROUPS || bytes > MAX_BYTES {
                let what = "references in HDF5 files with so many objects are not supported";
                return Err(Error::unsupported(place, what));
            }
            paths.insert(address, inner.clone());
            if depth < MAX_DEPTH
                && let Some(child) = readable(shared.file.object(address))?
                && child.kind() == ObjectKind::Group
            {
                queue.push_back((child, inner, depth + 1));
            }
        }
    }
    Ok(Paths(paths))
}
