//! Attributes of groups and datasets.

use std::sync::{Arc, OnceLock};

use nnz_chunk::byte_order;
use nnz_chunk::grid::shown;
use nnz_core::{Error, Place, Result, StringList, Values};
use nnz_hdf5::{AttributeValue as Raw, Dataspace, Object, VariableStrings};

use super::{Shared, element, placed, references};
use crate::tree::{Attribute, AttributeValue, StoredType, float16};

/// The attributes of an object, undecoded.
pub(super) struct AttributeList(Vec<nnz_hdf5::Attribute>);

impl AttributeList {
    /// Reads the attributes of an object once.
    pub(super) fn of<'a>(
        object: &Object,
        kept: &'a OnceLock<Self>,
        place: &Place,
    ) -> Result<&'a Self> {
        if let Some(all) = kept.get() {
            return Ok(all);
        }
        let all = object.attributes().map_err(|error| placed(error, place))?;
        Ok(kept.get_or_init(|| Self(all)))
    }

    /// Returns all names, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.iter().map(|raw| raw.name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// Finds and decodes an attribute.
    pub(super) fn find(
        &self,
        shared: &Arc<Shared>,
        name: &str,
        place: &Place,
    ) -> Result<Option<Attribute>> {
        let Some(raw) = self.0.iter().find(|raw| raw.name == name) else { return Ok(None) };
        match &raw.value {
            Ok(raw) => decode(shared, raw, place).map(Some),
            // The file, or what the attribute refers to, is invalid or unsupported.
            Err(error) => {
                let what = error.without_hint().to_string();
                Ok(Some(Attribute::scalar(AttributeValue::Unsupported(what))))
            }
        }
    }
}

fn decode(shared: &Arc<Shared>, raw: &Raw, place: &Place) -> Result<Attribute> {
    let mut shape = match &raw.space {
        Dataspace::Null => return Ok(Attribute::scalar(AttributeValue::Empty)),
        Dataspace::Scalar => Vec::new(),
        Dataspace::Simple { shape, .. } => shape.clone(),
    };
    let stored = element::element(&raw.datatype);
    let (own, stored) = stored.flatten();
    shape.extend(own);
    let size = stored.bytes().filter(|&size| size > 0);
    let size =
        size.ok_or_else(|| Error::mismatch(place.clone(), "values of 0 bytes", "1 byte or more"))?;
    let count = shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length));
    let count = count.or(shape.contains(&0).then_some(0)).and_then(|n| usize::try_from(n).ok());
    let bytes = count.and_then(|count| count.checked_mul(size));
    let bytes = bytes.and_then(|bytes| raw.data.get(..bytes)).ok_or_else(|| {
        let found = format!("{} bytes for an attribute of {}", raw.data.len(), shown(&shape));
        Error::mismatch(place.clone(), found, format!("{size} bytes for each value"))
    })?;
    let value = value(shared, stored, size, bytes, place)?;
    Ok(Attribute { shape, value })
}

fn value(
    shared: &Arc<Shared>,
    stored: &StoredType,
    size: usize,
    bytes: &[u8],
    place: &Place,
) -> Result<AttributeValue> {
    Ok(match stored {
        StoredType::Number { value_type, big } => {
            let mut values = Values::new(*value_type);
            let out = values.resize_bytes(bytes.len() / size);
            out.copy_from_slice(bytes);
            byte_order::to_native(out, *value_type, *big);
            AttributeValue::Numbers(values)
        }
        StoredType::Float16 { big } => {
            let bits = |half: &[u8; 2]| match big {
                true => u16::from_be_bytes(*half),
                false => u16::from_le_bytes(*half),
            };
            let halves = bytes.as_chunks::<2>().0.iter();
            AttributeValue::Numbers(Values::F32(halves.map(|half| float16(bits(half))).collect()))
        }
        StoredType::Text { form, .. } => {
            let strings = bytes.chunks_exact(size).map(|string| form.strip(string));
            AttributeValue::Strings(strings.collect())
        }
        StoredType::Variable { .. } => {
            AttributeValue::Strings(variable(shared, bytes.chunks_exact(size), place)?)
        }
        StoredType::Reference { .. } => {
            let paths = references::paths(shared)?;
            let path = |reference| paths.get(reference).map(ToOwned::to_owned);
            AttributeValue::References(bytes.chunks_exact(size).map(path).collect())
        }
        other => AttributeValue::Unsupported(other.element_type().to_string()),
    })
}

fn variable<'a>(
    shared: &Arc<Shared>,
    references: impl Iterator<Item = &'a [u8]>,
    place: &Place,
) -> Result<StringList> {
    let file = &shared.file;
    let mut heaps = VariableStrings::of_attributes(file, place.clone());
    let mut strings = StringList::new();
    let mut all = 0;
    for reference in references {
        if !heaps.is_reference(reference) {
            let found = format!("references of {} bytes", reference.len());
            return Err(Error::mismatch(place.clone(), found, "string IDs"));
        }
        let string = heaps.string(reference)?;
        // Writers do not share the storage of strings.
        all += string.len() as u64;
        if all > file.bytes() {
            let found = format!("strings of {all} bytes, some of them overlapping");
            let expected = format!("at most {} bytes, the size of the file", file.bytes());
            return Err(Error::mismatch(place.clone(), found, expected));
        }
        strings.push(string);
    }
    Ok(strings)
}
