//! Storing elements.

use crate::tree::{ElementType, Field, StringEncoding};
use nnz_hdf5::{CharacterSet, ElementType as StoredType, Field as StoredField, StringPadding};

/// Converts an element type; `None` if HDF5 does not support it.
pub(super) fn stored(element: &ElementType) -> Option<StoredType> {
    Some(match element {
        ElementType::Number(value_type) => StoredType::Number(*value_type),
        ElementType::Float16 => StoredType::Float16,
        // As h5py stores NumPy strings.
        ElementType::FixedString { bytes: bytes @ 1.., encoding: StringEncoding::Bytes } => {
            StoredType::FixedString {
                bytes: u32::try_from(*bytes).ok()?,
                padding: StringPadding::NullPadded,
                character_set: CharacterSet::Ascii,
            }
        }
        ElementType::String => StoredType::TEXT,
        ElementType::Compound(fields) if !fields.is_empty() => {
            StoredType::Compound(fields.iter().map(field).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

fn field(Field { name, element, shape }: &Field) -> Option<StoredField> {
    let is_record = matches!(element, ElementType::Compound(_));
    let element = stored(element)?;
    let lengths = shape.iter().map(|len| u32::try_from(*len).ok().filter(|len| *len > 0));
    let element = match shape.len() {
        0 => element,
        1..=4 if !is_record => {
            StoredType::Array { element: Box::new(element), shape: lengths.collect::<Option<_>>()? }
        }
        _ => return None,
    };
    let named = !name.is_empty() && !name.contains('\0');
    named.then(|| StoredField { name: name.clone(), element })
}
