//! Links to groups that a change would break.
//!
//! The crate that changes files moves the root group and the groups around what is added, and changes one link to
//! each. Where such a group has several hard links, as one inside of it, the others would lead to what was there before.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_core::{Error, Place, Result, readable};

use crate::hdf5::links::{self, Target};
use crate::hdf5::opened::{Opened, guarded};

/// Groups that are looked at. Real files have a few hundred.
const MOST_GROUPS: usize = 1 << 17;

/// Refuses a file in which a group that `names` lead through, from the root, has several hard links.
pub(in crate::hdf5) fn check<'a>(
    old: &Arc<Opened>,
    names: impl Iterator<Item = &'a str>,
    place: &Place,
) -> Result<()> {
    let unsupported = |what: &str| Err(Error::unsupported(place.clone(), what));
    let root = guarded(place, || old.meta.root_group())?;
    // The groups that are moved. Those that are missing have no links.
    let mut moved = BTreeSet::from([root.address()]);
    let mut here = root.clone();
    for name in names {
        let Some(inner) = readable(guarded(place, || here.group(name)))? else { break };
        moved.insert(inner.address());
        here = inner;
    }
    let mut seen = BTreeSet::from([root.address()]);
    let mut ahead = vec![root];
    while let Some(group) = ahead.pop() {
        // A group that is broken hides what is in it, and is not changed.
        let Some(links) = readable(links::list(old, &group, place))? else { continue };
        for link in links {
            let Target::Hard(address) = link.target else { continue };
            if seen.contains(&address) {
                if moved.contains(&address) {
                    let what = "adding to HDF5 files with several hard links to a group around";
                    return unsupported(what);
                }
                continue;
            }
            let inner = readable(guarded(place, || group.group(&link.name)))?;
            let Some(inner) = inner else { continue };
            seen.insert(address);
            ahead.push(inner);
            if seen.len() > MOST_GROUPS {
                return unsupported("adding to HDF5 files of so many groups");
            }
        }
    }
    Ok(())
}
