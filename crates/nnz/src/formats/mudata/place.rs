//! Paths after `::`: the group of MuData in a file, and a matrix in it that belongs to all modalities.

use std::sync::Arc;

use nnz_container::tree::Group;
use nnz_core::{Error, ErrorKind, Result, readable};
use nnz_singlecell::mudata::{Item, MuData};

use crate::Location;
use crate::formats::{Probe, drop};

/// The members that every file has.
const REQUIRED: [&str; 3] = ["obs", "var", "mod"];

/// A group that is the root of MuData, and the selected matrix, if any.
type ItemLocation = (Arc<dyn Group>, Option<Item>);

/// Finds MuData and the matrix that a location selects; `None` if it selects neither. Matrices of modalities are those of
/// AnnData.
pub(super) fn find(probe: &Probe) -> Result<Option<ItemLocation>> {
    let Some(root) = probe.root()? else { return Ok(None) };
    let mut here = Arc::clone(root);
    let mut rest = match probe.location() {
        Location::Path { group: Some(group), .. } => group.as_str(),
        _ => probe.group_name().unwrap_or_default(),
    };
    rest = rest.trim_matches('/');
    loop {
        if readable(MuData::is_root(&*here))?.unwrap_or(false) {
            let item: Option<Item> = rest.parse().ok();
            return Ok(match item.filter(|item| item.modality.is_none()) {
                None if rest.is_empty() => Some((here, None)),
                None => None,
                item => Some((here, item)),
            });
        }
        if rest.is_empty() {
            return Ok(None);
        }
        let (name, inner) = rest.split_once('/').unwrap_or((rest, ""));
        let Some(group) = readable(here.group(name))? else { return Ok(None) };
        (here, rest) = (group.into(), inner);
    }
}

/// Opens MuData, and returns the selected matrix, if any.
pub(super) fn open(probe: &Probe) -> Result<(MuData, Option<Item>)> {
    let (file, item, missing) = open_any(probe)?;
    missing.first().map_or(Ok((file, item)), |name| Err(drop::unknown(name)))
}

/// Opens MuData, and also returns the elements to leave out that it does not have.
pub(super) fn open_any(probe: &Probe) -> Result<(MuData, Option<Item>, Vec<String>)> {
    match find(probe)? {
        Some((root, item)) => {
            let (root, missing) = drop::without_dropped(root, probe, &REQUIRED)?;
            Ok((MuData::open(root)?.with_dropped(probe.dropped()), item, missing))
        }
        None => match (probe.root()?, probe.opened()) {
            // Not a file with groups; the error states what is expected.
            (None, Some(opened)) => {
                let root = nnz_container::tree::OpenOptions::new().open_in(opened, "")?;
                Ok((MuData::open(root)?, None, Vec::new()))
            }
            _ => {
                let kind = ErrorKind::Unrecognized("not MuData".to_owned());
                Err(Error::new(kind, probe.location().source_place()))
            }
        },
    }
}
