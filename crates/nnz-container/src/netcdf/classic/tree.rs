//! Variables of a classic file in a tree.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{At, Error, ErrorKind, Place, Result, Values};
use nnz_storage::InputFile;

use super::Classic;
use super::extent::{Extent, room_for};
use super::header::{self, NcType};
use crate::tree::{
    ArrayStorage, Attribute, AttributeValue, Child, ChildKind, Layout, NdArray, ReadRange, Source,
    StoredType, TextForm, View, check_rank,
};
use nnz_chunk::byte_order;
use nnz_chunk::grid::strides;

impl Classic {
    /// Returns all variables.
    pub(in crate::netcdf) fn children(&self) -> Vec<Child> {
        let names = self.header.variables.iter().map(|variable| variable.name.clone());
        let mut children: Vec<Child> =
            names.map(|name| Child { name, kind: ChildKind::Array }).collect();
        children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        children.dedup_by(|a, b| a.name == b.name);
        children
    }

    /// Returns the names of the attributes of the file.
    pub(in crate::netcdf) fn attribute_names(&self) -> Vec<String> {
        names(&self.header.attributes)
    }

    /// Reads an attribute of the file.
    pub(in crate::netcdf) fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        attribute(&self.file, &self.header.attributes, name, &self.place(name))
    }

    /// Opens a variable.
    pub(in crate::netcdf) fn view(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let variable = self.variable(name)?;
        let place = self.place(name);
        let extent = self.header.extent(variable, &self.file, place.clone())?;
        let mut shape = variable.lengths.clone();
        if variable.records {
            shape.insert(0, self.header.records);
        }
        check_rank(shape.len(), &place)?;
        let element = match variable.kind {
            NcType::Number(value_type) => StoredType::Number { value_type, big: true },
            // The last dimension is the length of strings.
            NcType::Char => {
                let bytes = usize::try_from(shape.pop().unwrap_or(1)).unwrap_or(usize::MAX);
                StoredType::Text { bytes, form: TextForm::Zeros }
            }
        };
        let size = element.bytes().unwrap_or(0) as u64;
        let strides = strides(&shape, size).unwrap_or_else(|| vec![0; shape.len()]);
        let attributes = variable.attributes.clone();
        let variable = Variable { extent, element, shape, strides, attributes };
        Ok(Box::new(View::new(Arc::new(variable))?))
    }

    pub(in crate::netcdf) fn file_path(&self) -> &Path {
        self.file.path()
    }
}

/// A variable.
struct Variable {
    extent: Extent,
    element: StoredType,
    shape: Vec<u64>,
    strides: Vec<u64>,
    attributes: Vec<header::Attribute>,
}

fn names(attributes: &[header::Attribute]) -> Vec<String> {
    let mut names: Vec<String> = attributes.iter().map(|found| found.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn attribute(
    file: &InputFile,
    attributes: &[header::Attribute],
    name: &str,
    place: &Place,
) -> Result<Option<Attribute>> {
    let Some(found) = attributes.iter().find(|found| found.name == name) else { return Ok(None) };
    // The header was checked to be inside the file.
    let length = found.count.saturating_mul(found.kind.size() as u64);
    let mut bytes = room_for(length, || place.clone())?;
    file.read_metadata_at(&mut bytes, found.at)
        .map_err(|error| Error::new(ErrorKind::Io(error), place.clone().at(At::Byte(found.at))))?;
    Ok(Some(match found.kind {
        NcType::Char => {
            // C programs count the terminating zero of a string.
            let text = TextForm::Zeros.strip(&bytes);
            Attribute::scalar(AttributeValue::Strings([text].into_iter().collect()))
        }
        NcType::Number(value_type) => {
            byte_order::to_native(&mut bytes, value_type, true);
            let mut values = Values::new(value_type);
            values.resize_bytes(bytes.len() / value_type.size()).copy_from_slice(&bytes);
            Attribute { shape: vec![found.count], value: AttributeValue::Numbers(values) }
        }
    }))
}

impl Source for Variable {
    fn place(&self) -> &Place {
        &self.extent.place
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element(&self) -> &StoredType {
        &self.element
    }

    fn layout(&self) -> Result<Layout<'_>> {
        Ok(Layout::Flat { storage: self, first: 0, strides: self.strides.clone() })
    }

    fn storage(&self) -> ArrayStorage {
        ArrayStorage::default()
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.extent.bytes())
    }

    fn is_fully_stored(&self) -> Result<bool> {
        Ok(true)
    }

    fn attributes(&self) -> Result<Vec<String>> {
        Ok(names(&self.attributes))
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        attribute(&self.extent.file, &self.attributes, name, self.place())
    }
}

impl ReadRange for Variable {
    fn read_range(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let end = at.checked_add(out.len() as u64);
        match end.is_some_and(|end| end <= self.extent.bytes()) {
            true if out.is_empty() => Ok(()),
            true => self.extent.read(at, out),
            false => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> Error {
        let found = format!("the end after {} bytes", self.extent.bytes());
        Error::mismatch(self.extent.place.clone(), found, "more elements")
    }
}
