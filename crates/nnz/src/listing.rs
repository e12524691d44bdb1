//! What there is of Binsparse in a file.

use std::path::Path;

use nnz_binsparse::{DESCRIPTOR, Descriptor};
use nnz_core::{Error, Place, Result};

use crate::Location;
use crate::open::{Recognised, Sought, recognise};
use crate::store::{Grouped, Store};

/// Lists the matrices and tensors of Binsparse that a file, directory or group holds, each with its
/// group and its description. A description that cannot be read is an error of its own.
///
/// # Errors
///
/// Fails where there is nothing at the place, or something that holds no Binsparse.
pub fn list_binsparse(
    location: &Location,
    memory: u64,
) -> Result<Vec<(String, Result<Descriptor>)>> {
    if let Location::Path { path, group: None } = location
        && let Some(kind) = grouped(path)?
    {
        let mut groups: Vec<String> =
            kind.groups_with(path, &[DESCRIPTOR])?.into_iter().map(|found| found.group).collect();
        groups.dedup();
        let store = |group: &str| Store::Group(kind, path.clone(), group.to_owned());
        return Ok(groups
            .into_iter()
            .map(|group| {
                let description = description(&store(&group));
                (group, description)
            })
            .collect());
    }
    let group = match location {
        Location::Path { group: Some(group), .. } => group.clone(),
        _ => String::new(),
    };
    match recognise(location, memory, Sought::Matrix)? {
        Recognised::Binsparse(store) => Ok(vec![(group, description(&store))]),
        other => Err(other.no_binsparse(location)),
    }
}

pub(crate) fn grouped(path: &Path) -> Result<Option<Grouped>> {
    let found = path.metadata().map_err(|error| Error::io(path, error))?;
    if found.is_dir() {
        return Ok(nnz_container::zarr::is_zarr(path).then_some(Grouped::Zarr));
    }
    if !found.is_file() {
        return Ok(None);
    }
    Grouped::of_file(path)
}

fn description(store: &Store) -> Result<Descriptor> {
    let container = store.open()?;
    let place = Place::array(container.path(), DESCRIPTOR);
    Descriptor::parse(&container.text(DESCRIPTOR)?, &place)
}
