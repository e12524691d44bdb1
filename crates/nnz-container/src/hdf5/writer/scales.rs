//! Dimensions, which make the datasets of a group variables of NetCDF-4.

use std::collections::{BTreeMap, BTreeSet};

use nnz_core::{Place, Result};
use rust_hdf5::format::messages::datatype::DatatypeMessage;
use rust_hdf5::{H5Dataset, H5File, H5Group};

use super::guarded;
use crate::netcdf::{NO_VARIABLE, PROPERTIES};

/// Elements of a chunk that is never stored.
const LONGEST_CHUNK: usize = 1 << 20;

/// Says in a new file what wrote it, by which it is known as one of NetCDF.
pub(super) fn sign(file: &H5File, place: &Place) -> Result<()> {
    let text = concat!("version=2,nnz=", env!("CARGO_PKG_VERSION"), "\0");
    let size = u32::try_from(text.len()).unwrap_or(0);
    let form = DatatypeMessage::FixedString { size, padding: 0, charset: 0 };
    guarded(place, || file.set_attr_typed(PROPERTIES, form, text.into()))
}

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

/// Returns a name for the dimension of a length.
fn free_name(len: u64, taken: &BTreeSet<String>) -> String {
    let plain = format!("length_{len}");
    let numbered = (2_u64..).map(|number| format!("{plain}_{number}"));
    let names = std::iter::once(plain.clone()).chain(numbered);
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or(plain)
}

/// Makes a dimension: a dataset of which nothing is ever stored.
fn create(group: &H5Group, name: &str, len: u64) -> rust_hdf5::Result<H5Dataset> {
    let shape = [usize::try_from(len).unwrap_or(usize::MAX)];
    // Chunks that are not there take no space; in one piece it would all be taken.
    let chunk = shape[0].clamp(1, LONGEST_CHUNK);
    let builder = group.new_dataset::<f32>().shape(shape).chunk(&[chunk]);
    let builder = match len {
        // There is no other dimension of length 0 than one without end.
        0 => builder.max_shape(&[None]),
        _ => builder,
    };
    let scale = builder.create(name)?;
    scale.set_scale(Some(&format!("{NO_VARIABLE}{len:>10}")))?;
    Ok(scale)
}
