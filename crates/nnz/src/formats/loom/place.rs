//! Paths after `::`: the group of a Loom file, and a matrix in it.

use std::sync::Arc;

use nnz_container::tree::Group;
use nnz_core::{Error, ErrorKind, Result, readable};
use nnz_singlecell::loom::{Item, Loom};

use crate::Location;
use crate::formats::{Probe, drop};

/// A group that is the root of Loom, and the selected matrix, if any.
type ItemLocation = (Arc<dyn Group>, Option<Item>);

/// Returns the group that a location selects, without slashes around it.
fn selected(probe: &Probe) -> &str {
    let location = match probe.location() {
        Location::Path { group: Some(group), .. } => Some(group.as_str()),
        _ => probe.group_name(),
    };
    location.unwrap_or_default().trim_matches('/')
}

/// Finds Loom and the matrix that a location selects; `None` if it selects neither.
pub(super) fn find(probe: &Probe) -> Result<Option<ItemLocation>> {
    let Some(root) = probe.root()? else { return Ok(None) };
    let mut here = Arc::clone(root);
    let mut rest = selected(probe);
    loop {
        if Loom::is_root(&*here)? {
            if rest.is_empty() {
                return Ok(Some((here, None)));
            }
            if let Ok(item) = rest.parse() {
                return Ok(Some((here, Some(item))));
            }
        }
        if rest.is_empty() {
            return Ok(None);
        }
        let (name, inner) = rest.split_once('/').unwrap_or((rest, ""));
        let Some(group) = readable(here.group(name))? else { return Ok(None) };
        (here, rest) = (group.into(), inner);
    }
}

/// Returns whether a whole file has some of what makes it Loom, so that opening it gives the error.
pub(super) fn is_incomplete(probe: &Probe) -> Result<bool> {
    let Some(root) = probe.root()?.filter(|_| selected(probe).is_empty()) else {
        return Ok(false);
    };
    let children = readable(root.children())?.unwrap_or_default();
    Ok(children.iter().any(|child| ["matrix", "row_attrs", "col_attrs"].contains(&&*child.name)))
}

/// Returns the root of a file without the elements to leave out.
fn without_dropped(root: Arc<dyn Group>, probe: &Probe) -> Result<Arc<dyn Group>> {
    let required = ["matrix", "row_attrs", "col_attrs"];
    let (root, missing) = drop::without_dropped(root, probe, &required)?;
    missing.first().map_or(Ok(root), |name| Err(drop::unknown(name)))
}

/// Opens Loom, and returns the selected matrix, if any.
pub(super) fn open(probe: &Probe) -> Result<(Loom, Option<Item>)> {
    let place = probe.location().source_place();
    if let (None, Some(opened)) = (probe.root()?, probe.opened()) {
        // Not a file with groups; the error states what is expected.
        let root = nnz_container::tree::OpenOptions::new().open_in(opened, "")?;
        return Ok((Loom::open(root)?, None));
    }
    if let Some((root, item)) = find(probe)? {
        return Ok((Loom::open(without_dropped(root, probe)?)?, item));
    }
    let whole = selected(probe).is_empty();
    match probe.root()?.filter(|_| whole) {
        // The error states what is missing.
        Some(root) => Ok((Loom::open(without_dropped(Arc::clone(root), probe)?)?, None)),
        None => {
            let what = "neither a Loom file nor a matrix of one".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), place))
        }
    }
}
