//! Dimension scales, by which the datasets of a group are variables of NetCDF-4.

use std::collections::{BTreeMap, BTreeSet};

use nnz_core::{Place, Result};
use rust_hdf5::{H5Dataset, H5Group};

use super::super::dimensions::{MAX_CHUNK_LEN, description, free_name};
use super::call_library;

/// Adds a dimension to each dataset. Datasets of the same length share it.
///
/// Dimensions have none of the names in `taken`: those of the group and of its parent groups,
/// because some programs confuse dimensions of the same name in parent groups.
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
                free.insert(call_library(place, || create(group, &name, len))?)
            }
        };
        call_library(place, || dataset.attach_scale(0, scale))?;
    }
    Ok(())
}

/// Creates a dimension: a dataset without stored data.
fn create(group: &H5Group, name: &str, len: u64) -> rust_hdf5::Result<H5Dataset> {
    let shape = [usize::try_from(len).unwrap_or(usize::MAX)];
    // Missing chunks take no space; contiguous storage would be allocated.
    let chunk = shape[0].clamp(1, usize::try_from(MAX_CHUNK_LEN).unwrap_or(usize::MAX));
    let builder = group.new_dataset::<f32>().shape(shape).chunk(&[chunk]);
    let builder = match len {
        // Only unlimited dimensions can have length 0.
        0 => builder.max_shape(&[None]),
        _ => builder,
    };
    let scale = builder.create(name)?;
    scale.set_scale(Some(&description(len)))?;
    Ok(scale)
}
