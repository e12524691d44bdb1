//! The existing groups on the path to the group to write.

use std::collections::BTreeSet;

use hdf5_reader::group::Group;
use nnz_core::{Error, Place, Result, readable};

use crate::hdf5::links::{self, Link};
use crate::hdf5::opened::{Opened, call_library, is_missing};

/// Returns how many of the names are existing groups, and the names in the parent groups.
///
/// Other members of these groups are not parsed, so they may be of any kind.
pub(super) fn depth(
    old: &Opened,
    names: &[String],
    place: &Place,
) -> Result<(usize, BTreeSet<String>)> {
    let mut here: Group = call_library(place, || old.meta.root_group())?;
    let mut around = BTreeSet::new();
    for (at, name) in names.iter().enumerate() {
        let links = links::list(old, &here, place)?;
        let hard = links.iter().find(|link| link.name == *name).map(Link::is_hard);
        around.extend(links.into_iter().map(|link| link.name));
        let Some(hard) = hard else { return Ok((at, around)) };
        let mut missing = false;
        let inner = call_library(place, || {
            here.group(name).inspect_err(|error| missing = is_missing(error))
        });
        here = match inner {
            Ok(inner) => inner,
            Err(error) if !missing => return Err(error),
            Err(_) => {
                let dataset = readable(call_library(place, || here.dataset(name)))?.is_some();
                let what = match (dataset, hard) {
                    (true, _) => "the dataset",
                    (false, true) => "another object at",
                    (false, false) => "a broken link at",
                };
                let found = format!("{what} {}", names[..=at].join("/"));
                return Err(Error::mismatch(place.clone(), found, "a group, or nothing"));
            }
        };
    }
    Ok((names.len(), around))
}
