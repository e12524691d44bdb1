//! Writing arrays.

use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{Element, Error, Place, Result, Scalar, ValueType};

use crate::{DataType, options};

/// An array of indices or pointers being written.
pub(crate) struct IntegerArray {
    pub(crate) name: String,
    id: NodeId,
    pub(crate) value_type: ValueType,
    pub(crate) written: u64,
}

impl IntegerArray {
    pub(crate) fn create(
        container: &mut NamedArraysWriter,
        name: String,
        value_type: ValueType,
    ) -> Result<Self> {
        let id = container.create_array(&name, value_type)?;
        Ok(Self { name, id, value_type, written: 0 })
    }

    pub(crate) fn append(
        &mut self,
        container: &mut NamedArraysWriter,
        elements: &[u64],
    ) -> Result<()> {
        let bytes = narrowed(self.value_type, elements, &self.name)?;
        self.append_encoded(container, &bytes)
    }

    /// Appends elements converted by [`narrowed`] for this type.
    pub(crate) fn append_encoded(
        &mut self,
        container: &mut NamedArraysWriter,
        bytes: &[u8],
    ) -> Result<()> {
        self.written += (bytes.len() / self.value_type.size()) as u64;
        container.append_bytes(self.id, bytes)
    }

    pub(crate) fn data_type(&self) -> (String, DataType) {
        (self.name.clone(), self.value_type.into())
    }
}

/// Converts integers to a type; `name` is the array they belong to.
pub(crate) fn narrowed(value_type: ValueType, elements: &[u64], name: &str) -> Result<Vec<u8>> {
    fn to<T: Element + TryFrom<u64>>(elements: &[u64]) -> Option<Vec<u8>> {
        let narrow: Option<Vec<T>> = elements.iter().map(|&e| T::try_from(e).ok()).collect();
        Some(bytemuck::cast_slice(&narrow?).to_vec())
    }
    let bytes = match value_type {
        ValueType::U8 => to::<u8>(elements),
        ValueType::U16 => to::<u16>(elements),
        ValueType::U32 => to::<u32>(elements),
        ValueType::I8 => to::<i8>(elements),
        ValueType::I16 => to::<i16>(elements),
        ValueType::I32 => to::<i32>(elements),
        ValueType::I64 => to::<i64>(elements),
        _ => Some(bytemuck::cast_slice(elements).to_vec()),
    };
    bytes.ok_or_else(|| {
        let most = options::largest_of(value_type);
        let found = elements.iter().copied().find(|&e| e > most).unwrap_or(most);
        let place = Place::default().with_array(name.to_owned());
        Error::mismatch(place, found, format!("at most {most}, since it is of type {value_type}"))
    })
}

/// Returns the type in which values are stored.
pub(crate) fn stored_type(value_type: ValueType) -> ValueType {
    match value_type {
        ValueType::Bint8 => ValueType::U8,
        ValueType::ComplexF32 => ValueType::F32,
        ValueType::ComplexF64 => ValueType::F64,
        other => other,
    }
}

/// Writes the value of elements that are not stored.
pub(crate) fn write_fill(
    container: &mut NamedArraysWriter,
    fill: Scalar,
) -> Result<(String, DataType)> {
    const NAME: &str = "fill_value";
    let value_type = fill.value_type();
    let id = container.create_array(NAME, stored_type(value_type))?;
    container.append_bytes(id, fill.repeat(1).bytes())?;
    Ok((NAME.to_owned(), value_type.into()))
}
