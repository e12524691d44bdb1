//! Dimension scales, by which arrays are variables of NetCDF-4.

use std::collections::BTreeMap;

use nnz_core::{Error, Place, Result, ValueType};
use nnz_storage::staging::StagedFile;

use super::Hdf5Writer;
use crate::netcdf::{NO_VARIABLE, PROPERTIES};
use crate::tree::{ArraySpec, Attribute, AttributeValue, ElementType};
use nnz_hdf5::{
    CharacterSet, DatasetSpec, ElementType as StoredType, FileWriter, ObjectId, StringPadding,
    Value,
};

/// Number of elements of a chunk that is never stored.
const MAX_CHUNK_LEN: u32 = 1 << 20;

/// The `_NCProperties` of a new file, by which it is detected as NetCDF.
const SIGNATURE: &str = concat!("version=2,nnz=", env!("CARGO_PKG_VERSION"));

/// Maximum length of a name: one less than `NC_MAX_NAME`, because the NetCDF library does not open
/// files with longer ones.
const MAX_NAME_LEN: usize = 255;

/// Dimensions by group and name: their lengths, and the axes of arrays that have them.
type Scales = BTreeMap<(ObjectId, String), (u64, Vec<(ObjectId, i32)>)>;

/// Returns whether NetCDF supports such elements without user-defined types.
pub(super) fn is_held(element: &ElementType) -> bool {
    match element {
        ElementType::Number(value_type) => {
            *value_type != ValueType::Bint8 && !value_type.is_complex()
        }
        element => *element == ElementType::String,
    }
}

/// Returns the specification of a variable.
pub(super) fn variable(spec: &ArraySpec, name: &str, place: &Place) -> Result<ArraySpec> {
    let refused = |what: &str| Err(Error::unsupported(place.clone(), what));
    if !is_held(&spec.element) {
        return refused(&format!("NetCDF variables of {} are not supported", spec.element));
    }
    check_name(name, place)?;
    if spec.is_null || spec.shape.iter().skip(1).any(|len| *len == 0) {
        return refused(
            "NetCDF variables without a value or with an inner dimension of length 0 are not \
             supported",
        );
    }
    // Only unlimited dimensions can have length 0.
    let grows = spec.growing || spec.shape.first() == Some(&0);
    Ok(ArraySpec { growing: grows, ..spec.clone() })
}

/// Refuses attributes that NetCDF does not support.
pub(super) fn check_attribute(attribute: &Attribute, name: &str, place: &Place) -> Result<()> {
    let held = match &attribute.value {
        AttributeValue::Numbers(values) => is_held(&ElementType::Number(values.value_type())),
        value => matches!(value, AttributeValue::Strings(_)),
    };
    if held && attribute.shape.len() <= 1 && name.len() <= MAX_NAME_LEN {
        return Ok(());
    }
    let what =
        "NetCDF attributes other than numbers and strings of one dimension are not supported";
    Err(Error::unsupported(place.clone(), what))
}

/// Marks a new file as NetCDF.
pub(super) fn sign(file: &mut FileWriter<StagedFile>) -> Result<()> {
    let (padding, set) = (StringPadding::NullTerminated, CharacterSet::Ascii);
    file.set_attribute(ObjectId::ROOT, PROPERTIES, Value::fixed_text(SIGNATURE, padding, set)?)
}

/// Refuses names that NetCDF programs cannot open.
pub(super) fn check_name(name: &str, place: &Place) -> Result<()> {
    if name.len() <= MAX_NAME_LEN {
        return Ok(());
    }
    let what = format!("a name of {} bytes: NetCDF allows at most {MAX_NAME_LEN}", name.len());
    Err(Error::unsupported(place.clone(), what))
}

impl Hdf5Writer {
    /// Adds dimensions to every array.
    pub(super) fn attach_scales(&mut self) -> Result<()> {
        let mut scales = Scales::new();
        let mut arrays = Vec::new();
        for node in self.nodes.iter().filter(|node| node.element.is_some()) {
            self.file.finish_dataset(node.id)?;
            let mut names = Vec::new();
            for (axis, len) in (0_i32..).zip(self.file.shape(node.id)) {
                let at = usize::try_from(axis).unwrap_or(usize::MAX);
                let given = node.dimensions.as_ref().and_then(|names| names.get(at)).cloned();
                let name = given.unwrap_or_else(|| format!("length_{len}"));
                let scale = scales.entry((node.parent, name.clone())).or_insert((len, Vec::new()));
                if scale.0 != len {
                    let found = format!("a dimension {name:?} of {} and of {len}", scale.0);
                    let place = self.file.place_of(node.id);
                    return Err(Error::mismatch(place, found, "one length"));
                }
                scale.1.push((node.id, axis));
                names.push((node.parent, name));
            }
            arrays.push((node.id, names));
        }
        let mut made = BTreeMap::new();
        for ((group, name), (len, axes)) in scales {
            // A variable with the name of a dimension would be its coordinate variable.
            let is_taken =
                |name: &String| self.file.has_name(name) || self.names_around.contains(name);
            let numbered = (2_u64..).map(|number| format!("{name}_{number}"));
            let mut names = std::iter::once(name.clone()).chain(numbered);
            let free = names.find(|name| !is_taken(name)).unwrap_or_default();
            let scale = self.create_scale(group, &free, len)?;
            self.file.set_attribute(scale, "REFERENCE_LIST", Value::axes_of_scale(axes))?;
            made.insert((group, name), scale);
        }
        for (array, names) in arrays.into_iter().filter(|(_, names)| !names.is_empty()) {
            let scales = names.iter().map(|name| made.get(name).copied().into_iter().collect());
            let scales = Value::scales_of_axes(scales.collect());
            self.file.set_attribute(array, "DIMENSION_LIST", scales)?;
        }
        Ok(())
    }

    /// Creates a dimension: a dataset without stored data.
    fn create_scale(&mut self, group: ObjectId, name: &str, len: u64) -> Result<ObjectId> {
        let chunk = u32::try_from(len).unwrap_or(MAX_CHUNK_LEN).clamp(1, MAX_CHUNK_LEN);
        let spec = DatasetSpec::chunked(StoredType::Number(ValueType::F32), &[len], &[chunk]);
        let spec = if len == 0 { spec.growing() } else { spec.unwritten() };
        let scale = self.file.create_dataset(group, name, spec)?;
        for (name, text) in [("CLASS", "DIMENSION_SCALE"), ("NAME", &*description(len))] {
            let text = Value::fixed_text(text, StringPadding::NullTerminated, CharacterSet::Ascii)?;
            self.file.set_attribute(scale, name, text)?;
        }
        Ok(scale)
    }
}

/// Returns the `NAME` attribute of the dataset of a dimension: that it is not a variable, and its
/// length.
fn description(len: u64) -> String {
    format!("{NO_VARIABLE}{len:>10}")
}
