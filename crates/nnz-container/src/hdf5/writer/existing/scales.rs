//! Dimensions, which make the datasets of a group variables of NetCDF-4.

use std::collections::{BTreeMap, BTreeSet};

use nnz_core::{Place, Result};
use rust_hdf5::{H5Dataset, H5Group};

use super::super::dimensions::{LONGEST_CHUNK, description, free_name};
use super::guarded;

/// Gives each dataset a dimension of its length. Those of one length share it.
///
/// No dimension takes one of the names in `taken`: those of the group and of all groups around it, as a
/// dimension of the same name further out is mistaken for it by some programs.
pub(super) fn attach<'a>(
    group: &H5Group,
    datasets: impl Iterator<Item = (&'a H5Dataset, u64)>,
    taken: &BTreeSet<String>,
    place: &Place,
) -> Result<()> {
    let mut scales = BTreeMap::new();
    for (dataset, len) in datasets {
        let scale = match scales.entry(len) {
            std::collections::btree_map::Entry::Occupied(there) => there.into_mut(),
            std::collections::btree_map::Entry::Vacant(free) => {
                let name = free_name(len, taken);
                free.insert(guarded(place, || create(group, &name, len))?)
            }
        };
        guarded(place, || dataset.attach_scale(0, scale))?;
    }
    Ok(())
}

/// Makes a dimension: a dataset of which nothing is ever stored.
fn create(group: &H5Group, name: &str, len: u64) -> rust_hdf5::Result<H5Dataset> {
    let shape = [usize::try_from(len).unwrap_or(usize::MAX)];
    // Chunks that are not there take no space; in one piece it would all be taken.
    let chunk = shape[0].clamp(1, usize::try_from(LONGEST_CHUNK).unwrap_or(usize::MAX));
    let builder = group.new_dataset::<f32>().shape(shape).chunk(&[chunk]);
    let builder = match len {
        // There is no other dimension of length 0 than one without end.
        0 => builder.max_shape(&[None]),
        _ => builder,
    };
    let scale = builder.create(name)?;
    scale.set_scale(Some(&description(len)))?;
    Ok(scale)
}
