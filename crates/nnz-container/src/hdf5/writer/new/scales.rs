//! Dimension scales, by which the datasets of a group are variables of NetCDF-4.

use std::collections::{BTreeMap, BTreeSet};

use nnz_core::{Result, ValueType};

use super::super::dimensions::{MAX_CHUNK_LEN, description, free_name};
use crate::hdf5::file::{
    CharacterSet, DatasetSpec, ElementType, FileWriter, ObjectId, StringPadding, Value,
};
use nnz_storage::staging::StagedFile;

/// Adds a dimension to each dataset. Datasets of the same length share it.
///
/// Dimensions have none of the names in `taken`.
pub(super) fn attach(
    file: &mut FileWriter<StagedFile>,
    group: ObjectId,
    datasets: &[(ObjectId, u64)],
    taken: &BTreeSet<String>,
) -> Result<()> {
    let mut lengths: BTreeMap<u64, Vec<ObjectId>> = BTreeMap::new();
    for &(dataset, len) in datasets {
        lengths.entry(len).or_default().push(dataset);
    }
    for (len, datasets) in lengths {
        let scale = create(file, group, &free_name(len, taken), len)?;
        for dataset in &datasets {
            let scales = Value::scales_of_axes(vec![vec![scale]]);
            file.set_attribute(*dataset, "DIMENSION_LIST", scales)?;
        }
        let axes = datasets.into_iter().map(|dataset| (dataset, 0)).collect();
        file.set_attribute(scale, "REFERENCE_LIST", Value::axes_of_scale(axes))?;
    }
    Ok(())
}

/// Creates a dimension: a dataset without stored data.
fn create(
    file: &mut FileWriter<StagedFile>,
    group: ObjectId,
    name: &str,
    len: u64,
) -> Result<ObjectId> {
    // Missing chunks take no space; contiguous storage would be allocated.
    let chunk = u32::try_from(len).unwrap_or(MAX_CHUNK_LEN).clamp(1, MAX_CHUNK_LEN);
    let element = ElementType::Number(ValueType::F32);
    let spec = DatasetSpec::chunked(element, &[len], &[chunk]);
    let spec = match len {
        // Only unlimited dimensions can have length 0.
        0 => spec.growing(),
        _ => spec.unwritten(),
    };
    let scale = file.create_dataset(group, name, spec)?;
    let texts = [("CLASS", "DIMENSION_SCALE"), ("NAME", &description(len))];
    for (name, text) in texts {
        let text = Value::fixed_text(text, StringPadding::NullTerminated, CharacterSet::Ascii)?;
        file.set_attribute(scale, name, text)?;
    }
    Ok(scale)
}
