//! Attributes of groups and datasets.

use std::sync::Arc;

use hdf5_reader::RawAttribute;
use hdf5_reader::messages::attribute::AttributeMessage;
use hdf5_reader::messages::dataspace::DataspaceType;
use nnz_core::{Error, Place, Result, StringList, Values};

use super::{Shared, element, references};
use crate::byte_order;
use crate::hdf5::attribute::AttributeList;
use crate::hdf5::heap::Heaps;
use crate::tree::{Attribute, AttributeValue, Stored, float16, shown};

/// Finds and decodes an attribute.
pub(super) fn find(
    shared: &Arc<Shared>,
    list: &AttributeList,
    name: &str,
    place: &Place,
) -> Result<Option<Attribute>> {
    if let Some(hidden) = list.hidden.iter().find(|hidden| hidden.name == name) {
        return Ok(Some(Attribute::scalar(AttributeValue::Unsupported(hidden.what.clone()))));
    }
    let raw = list.all.iter().find(|raw| raw.name() == name);
    raw.map(|raw| decode(shared, raw, place)).transpose()
}

fn decode(shared: &Arc<Shared>, raw: &RawAttribute, place: &Place) -> Result<Attribute> {
    let AttributeMessage { dataspace, raw_data, .. } = raw.message();
    let mut shape = match dataspace.dataspace_type {
        DataspaceType::Null => return Ok(Attribute::scalar(AttributeValue::Empty)),
        DataspaceType::Scalar => Vec::new(),
        DataspaceType::Simple => dataspace.dims.clone(),
    };
    let Some(stored) = element::element(raw.raw_datatype()) else {
        let what = "an inconsistent type".to_owned();
        return Ok(Attribute { shape, value: AttributeValue::Unsupported(what) });
    };
    let (own, stored) = stored.flatten();
    shape.extend(own);
    let size = stored.bytes().filter(|&size| size > 0);
    let size = size.ok_or_else(|| Error::mismatch(place.clone(), "values of 0 bytes", "1 byte"))?;
    let count = shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length));
    let count = count.or(shape.contains(&0).then_some(0)).and_then(|n| usize::try_from(n).ok());
    let bytes = count.and_then(|count| count.checked_mul(size));
    let bytes = bytes.and_then(|bytes| raw_data.get(..bytes)).ok_or_else(|| {
        let found = format!("{} bytes for an attribute of {}", raw_data.len(), shown(&shape));
        Error::mismatch(place.clone(), found, format!("{size} bytes for each value"))
    })?;
    let value = value(shared, stored, size, bytes, place)?;
    Ok(Attribute { shape, value })
}

fn value(
    shared: &Arc<Shared>,
    stored: &Stored,
    size: usize,
    bytes: &[u8],
    place: &Place,
) -> Result<AttributeValue> {
    Ok(match stored {
        Stored::Number { value_type, big } => {
            let mut values = Values::new(*value_type);
            let out = values.resize_bytes(bytes.len() / size);
            out.copy_from_slice(bytes);
            byte_order::to_native(out, *value_type, *big);
            AttributeValue::Numbers(values)
        }
        Stored::Float16 { big } => {
            let bits = |half: &[u8; 2]| match big {
                true => u16::from_be_bytes(*half),
                false => u16::from_le_bytes(*half),
            };
            let halves = bytes.as_chunks::<2>().0.iter();
            AttributeValue::Numbers(Values::F32(halves.map(|half| float16(bits(half))).collect()))
        }
        Stored::Text { form, .. } => {
            let strings = bytes.chunks_exact(size).map(|string| form.strip(string));
            AttributeValue::Strings(strings.collect())
        }
        Stored::Variable { .. } => {
            AttributeValue::Strings(variable(shared, bytes.chunks_exact(size), place)?)
        }
        Stored::Reference { .. } => {
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
    let opened = &shared.opened;
    let mut heaps = Heaps::of_attributes(opened, place.clone());
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
        if all > opened.bytes {
            let found = format!("strings of {all} bytes, some of them overlapping");
            let expected = format!("at most {} bytes, the size of the file", opened.bytes);
            return Err(Error::mismatch(place.clone(), found, expected));
        }
        strings.push(string);
    }
    Ok(strings)
}
