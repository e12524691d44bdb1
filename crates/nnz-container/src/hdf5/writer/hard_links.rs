//! Hard links that a change would break.
//!
//! `rust-hdf5` moves the root group and the parent groups of what is added, and updates one link to
//! each. If such a group has several hard links, even from inside it, the others would still point
//! to the old group.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_core::{Error, Place, Result, readable};

use crate::hdf5::links::{self, Target};
use crate::hdf5::opened::{Opened, call_library};

/// Maximum number of groups to examine. Real files have a few hundred.
const MAX_GROUPS: usize = 1 << 17;

/// Refuses a file in which a group on the path `names` from the root has several hard links.
pub(super) fn check<'a>(
    old: &Arc<Opened>,
    names: impl Iterator<Item = &'a str>,
    place: &Place,
) -> Result<()> {
    let unsupported = |what: &str| Err(Error::unsupported(place.clone(), what));
    let root = call_library(place, || old.meta.root_group())?;
    // The groups that are moved. Missing ones have no links.
    let mut moved = BTreeSet::from([root.address()]);
    let mut here = root.clone();
    for name in names {
        let Some(inner) = readable(call_library(place, || here.group(name)))? else { break };
        moved.insert(inner.address());
        here = inner;
    }
    let mut seen = BTreeSet::from([root.address()]);
    let mut queue = vec![root];
    while let Some(group) = queue.pop() {
        // An invalid group hides only its own members, and is not changed.
        let Some(links) = readable(links::list(old, &group, place))? else { continue };
        for link in links {
            let Target::Hard(address) = link.target else { continue };
            if seen.contains(&address) {
                if moved.contains(&address) {
                    let name = &link.name;
                    let what = "is a second hard link to the root or to a parent group";
                    return unsupported(&format!(
                        "adding to an HDF5 file in which {name:?} {what}"
                    ));
                }
                continue;
            }
            let inner = readable(call_library(place, || group.group(&link.name)))?;
            let Some(inner) = inner else { continue };
            seen.insert(address);
            queue.push(inner);
            if seen.len() > MAX_GROUPS {
                return unsupported("adding to HDF5 files of so many groups");
            }
        }
    }
    // Their headers were parsed above.
    if moved.iter().any(|address| !old.headers.hidden(*address).is_empty()) {
        let what = "adding to HDF5 files with user-defined links or unsupported attributes in a parent group";
        return unsupported(what);
    }
    Ok(())
}
