//! Paths after `::`: the group of AnnData in a file, and a matrix in it.

use std::sync::Arc;

use nnz_container::tree::Group;
use nnz_core::{Error, ErrorKind, Result, readable};
use nnz_singlecell::anndata::{AnnData, Item};

use crate::Location;
use crate::formats::{Probe, drop};

/// A group that is the root of AnnData, and the selected matrix, if any.
type ItemLocation = (Arc<dyn Group>, Option<Item>);

/// Finds AnnData and the matrix that a location selects; `None` if it selects neither.
pub(super) fn find(probe: &Probe) -> Result<Option<ItemLocation>> {
    let Some(root) = probe.root()? else { return Ok(None) };
    let path = match probe.location() {
        Location::Path { group: Some(group), .. } => group.trim_matches('/'),
        _ => "",
    };
    if path.is_empty()
        && let Some(chosen) = probe.group_name()
        && !is_mudata(root)?
    {
        // A group that was chosen because its attribute states that it is AnnData.
        return within(root, chosen.trim_matches('/'));
    }
    Ok(search(root, path)?.1)
}

/// Returns the full path of a group or matrix in AnnData or MuData: `rna/X` is `mod/rna/X`. Other paths are unchanged.
pub(crate) fn full_path(root: &Arc<dyn Group>, path: &str) -> Result<String> {
    let found = readable(search(root, path.trim_matches('/')))?;
    Ok(found.map_or_else(|| path.to_owned(), |(full, _)| full))
}

/// Returns the path of the AnnData inside of a file that a matrix belongs to, and the matrix: `mod/rna` and `layers/counts`.
pub(super) fn inner(root: &Arc<dyn Group>, path: &str) -> Result<Option<(String, Item)>> {
    let (full, found) = search(root, path)?;
    let Some((_, Some(item))) = found else { return Ok(None) };
    let base = full.strip_suffix(&item.to_string()).and_then(|base| base.strip_suffix('/'));
    Ok(base.map(|base| (base.to_owned(), item)))
}

/// Searches a path for AnnData, in MuData also within `mod`. Returns the path where it was found, and what is there.
fn search(root: &Arc<dyn Group>, path: &str) -> Result<(String, Option<ItemLocation>)> {
    let found = within(root, path)?;
    if found.is_none() && is_mudata(root)? {
        let full = format!("mod/{path}");
        if let Some(found) = within(root, &full)? {
            return Ok((full, Some(found)));
        }
    }
    Ok((path.to_owned(), found))
}

fn is_mudata(root: &Arc<dyn Group>) -> Result<bool> {
    let kind = root.attribute("encoding-type")?;
    Ok(kind.is_some_and(|kind| kind.text() == Some("MuData")))
}

/// Searches the groups on a path for AnnData, the outermost first.
fn within(root: &Arc<dyn Group>, path: &str) -> Result<Option<ItemLocation>> {
    let mut here = Arc::clone(root);
    let mut rest = path;
    loop {
        if AnnData::is_root(&*here)? {
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

/// The tables that every file has.
const REQUIRED: [&str; 2] = ["obs", "var"];

/// Opens AnnData, and returns the selected matrix, if any.
pub(super) fn open(probe: &Probe) -> Result<(AnnData, Option<Item>)> {
    let (file, item, missing) = open_any(probe)?;
    missing.first().map_or(Ok((file, item)), |name| Err(drop::unknown(name)))
}

/// Opens AnnData, and also returns the elements to leave out that it does not have.
pub(super) fn open_any(probe: &Probe) -> Result<(AnnData, Option<Item>, Vec<String>)> {
    let place = probe.location().source_place();
    if let (None, Some(opened)) = (probe.root()?, probe.opened()) {
        // Not a file with groups; the error states what is expected.
        let root = nnz_container::tree::OpenOptions::new().open_in(opened, "")?;
        let (root, missing) = drop::without_dropped(root.into(), probe, &REQUIRED)?;
        return Ok((AnnData::open(root)?, None, missing));
    }
    match find(probe)? {
        Some((root, item)) => {
            let (root, missing) = drop::without_dropped(root, probe, &REQUIRED)?;
            Ok((AnnData::open(root)?, item, missing))
        }
        None => {
            let what = "neither AnnData nor a matrix of AnnData".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), place))
        }
    }
}
