//! Copying a matrix or tensor to another container, array by array.

use nnz_container::{NamedArrays, NamedArraysWriter, Vector};
use nnz_core::{Error, ErrorKind, Result, Rounding, ValueType, Values};

use crate::descriptor::{DESCRIPTOR, Descriptor};
use crate::output::stored_type;
use crate::store::{PIECE, zero};
use crate::{DataType, EntryReader, Keys, Version};

/// Copies a matrix or tensor into another container with this version in its descriptor. The caller
/// finishes the container.
///
/// Types, levels, keys and the order of entries are kept. Values whose stored type differs from the
/// declared one are converted to the declared type, exactly.
///
/// # Errors
///
/// Fails if the matrix or tensor is invalid, or if the container refuses.
pub fn copy(from: &NamedArrays, to: &mut NamedArraysWriter, version: &Version) -> Result<()> {
    let mut entries = EntryReader::open(from)?;
    while entries.next_entry()?.is_some() {}
    let descriptor = entries.descriptor();
    let mut outer = Keys::parse(&from.attribute(DESCRIPTOR)?)?;
    // Some programs write the descriptor without the enclosing object.
    let inner = outer.remove(DESCRIPTOR);
    let mut inner = match inner {
        Some(inner) => Keys::parse(&inner)?,
        None => std::mem::take(&mut outer),
    };
    inner.set_string("version", &version.to_string())?;
    match descriptor.format {
        Some(format) => inner.set_string("format", format.name())?,
        None => inner.set_string("format", "custom")?,
    }
    let mut names = descriptor.layout.arrays();
    names.extend(descriptor.fill.then(|| "fill_value".to_owned()));
    let mut types = Keys::default();
    for name in names {
        let declared = declared(descriptor, &name);
        types.set_string(&name, &declared.to_string())?;
        copy_array(from, to, &name, (declared, descriptor.stored))?;
    }
    inner.set("data_types", &types.to_string())?;
    let mut all = Keys::default();
    all.set(DESCRIPTOR, &inner.to_string())?;
    all.extend(&outer);
    to.set_attribute(DESCRIPTOR, &all.to_string())
}

/// Returns the declared type of an array; without one, a fill value has the type of the values.
fn declared(descriptor: &Descriptor, name: &str) -> DataType {
    let values = || descriptor.data_type("values").map(|values| values.value_type.into());
    let declared = descriptor.data_type(name).or_else(values);
    declared.unwrap_or(DataType::from(ValueType::U64))
}

fn copy_array(
    from: &NamedArrays,
    to: &mut NamedArraysWriter,
    name: &str,
    (declared, stored): (DataType, u64),
) -> Result<()> {
    let target = stored_type(declared.value_type);
    let id = to.create_array(name, target)?;
    let array = match from.array(name) {
        // Some programs leave out empty arrays; it is known to be empty.
        Err(error) if stored == 0 && matches!(error.kind(), ErrorKind::Missing) => None,
        array => Some(array?),
    };
    let len = array.as_ref().map_or(0, |array| array.len());
    if declared.iso && len == 0 {
        // No entry has this value, but the array must not be empty.
        to.append_bytes(id, zero(declared.value_type).repeat(1).bytes())?;
    }
    let Some(array) = array else {
        return Ok(());
    };
    let mut piece = Values::new(array.value_type());
    let mut cast = Values::new(target);
    let mut first = 0;
    while first < len {
        let count = usize::try_from((len - first).min(PIECE)).unwrap_or(1);
        array.read_bytes(first, piece.resize_bytes(count))?;
        to.append_bytes(id, bytes(&array, &piece, target, &mut cast)?)?;
        first += count as u64;
    }
    Ok(())
}

/// Returns the bytes of values, converted to a stored type.
fn bytes<'a>(
    array: &Vector,
    values: &'a Values,
    target: ValueType,
    cast: &'a mut Values,
) -> Result<&'a [u8]> {
    let own = values.value_type();
    let pairs = stored_type(own);
    // A complex number is stored as two numbers, and a boolean as a byte.
    if pairs == target {
        return Ok(values.bytes());
    }
    if own.is_complex() {
        return Err(Error::mismatch(array.place(), format!("elements of type {own}"), target));
    }
    values.cast_into(target, Rounding::Refused, cast).map_err(|offender| {
        let expected = format!("a value that fits into {target}");
        Error::mismatch(array.place(), offender.found, expected)
    })?;
    Ok(cast.bytes())
}
