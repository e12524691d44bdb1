//! Attributes of a group.

use std::sync::Arc;

use hdf5_reader::group::Group;
use hdf5_reader::messages::attribute::AttributeMessage;
use hdf5_reader::messages::dataspace::DataspaceType;
use hdf5_reader::{Dataset, RawAttribute};
use nnz_core::{Error, Place, Result, StringList, Values};

use super::datatype::{self, Kind};
use super::headers::{Hidden, HiddenKind};
use super::heap::Heaps;
use super::opened::{Opened, call_library};
use crate::byte_order;

/// An attribute of a group: its shape (empty for a scalar) and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The length of each dimension; empty for a scalar.
    pub shape: Vec<u64>,
    /// The values in row-major order.
    pub value: AttributeValue,
}

/// The values of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// Strings of fixed or variable length.
    Strings(StringList),
    /// Numbers.
    Numbers(Values),
}

impl Attribute {
    /// Returns the only string, of a scalar or of an array of length one.
    #[must_use]
    pub fn text(&self) -> Option<&[u8]> {
        match &self.value {
            AttributeValue::Strings(list) if list.len() == 1 => list.iter().next(),
            _ => None,
        }
    }
}

/// The attributes of an object, undecoded.
pub(super) struct AttributeList {
    pub(super) all: Vec<RawAttribute>,
    /// Those that are not supported.
    pub(super) hidden: Vec<Hidden>,
}

impl AttributeList {
    /// Reads the attributes of a group.
    pub(super) fn of_group(opened: &Opened, group: &Group, place: &Place) -> Result<Self> {
        let all = call_library(place, || group.raw_attributes())?;
        Ok(Self::new(opened, group.address(), all))
    }

    /// Reads the attributes of a dataset.
    pub(super) fn of_dataset(opened: &Opened, dataset: &Dataset, place: &Place) -> Result<Self> {
        let all = call_library(place, || dataset.raw_attributes())?;
        Ok(Self::new(opened, dataset.address(), all))
    }

    fn new(opened: &Opened, address: u64, all: Vec<RawAttribute>) -> Self {
        let mut hidden = opened.headers.hidden(address);
        hidden.retain(|hidden| hidden.kind == HiddenKind::Attribute);
        Self { all, hidden }
    }

    /// Returns all names, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let hidden = self.hidden.iter().map(|hidden| hidden.name.clone());
        let mut names: Vec<String> =
            self.all.iter().map(|raw| raw.name().to_owned()).chain(hidden).collect();
        names.sort_unstable();
        names
    }

    /// Finds an attribute; fails if it is not supported.
    pub(super) fn find(&self, name: &str, place: &Place) -> Result<Option<&RawAttribute>> {
        if let Some(hidden) = self.hidden.iter().find(|hidden| hidden.name == name) {
            let what = format!("an attribute of {}", hidden.what);
            return Err(Error::unsupported(place.clone(), what));
        }
        Ok(self.all.iter().find(|raw| raw.name() == name))
    }
}

/// Decodes an attribute.
pub(super) fn decode(opened: &Arc<Opened>, raw: &RawAttribute, place: &Place) -> Result<Attribute> {
    let AttributeMessage { dataspace, datatype, raw_data, .. } = raw.message();
    let shape = match dataspace.dataspace_type {
        DataspaceType::Scalar => Vec::new(),
        DataspaceType::Null => vec![0],
        DataspaceType::Simple => dataspace.dims.clone(),
    };
    let count = shape.iter().try_fold(1_u64, |count, &dim| count.checked_mul(dim));
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let kind = datatype::kind(datatype, raw.raw_datatype());
    let offset = usize::from(opened.meta.superblock().offset_size);
    let size = match &kind {
        Kind::Number { value_type, .. } => value_type.size(),
        Kind::Fixed { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX),
        Kind::Variable => 8 + offset,
        Kind::Other(what) => {
            return Err(Error::unsupported(place.clone(), format!("an attribute of {what}")));
        }
    };
    let bytes = count.checked_mul(size).and_then(|bytes| raw_data.get(..bytes));
    let bytes = bytes.filter(|_| size > 0).ok_or_else(|| {
        let found = format!("{} bytes for an attribute of {count} values", raw_data.len());
        Error::mismatch(place.clone(), found, format!("{size} bytes each"))
    })?;
    let value = match kind {
        Kind::Number { value_type, big } => {
            let mut values = Values::new(value_type);
            let out = values.resize_bytes(count);
            out.copy_from_slice(bytes);
            byte_order::to_native(out, value_type, big);
            AttributeValue::Numbers(values)
        }
        Kind::Fixed { padding, .. } => {
            let strings = bytes.chunks_exact(size).map(|string| padding.strip(string));
            AttributeValue::Strings(strings.collect())
        }
        _ => {
            let mut heaps = Heaps::of_attributes(opened, place.clone());
            let mut strings = StringList::new();
            let mut all = 0;
            for reference in bytes.chunks_exact(size) {
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
            AttributeValue::Strings(strings)
        }
    };
    Ok(Attribute { shape, value })
}
