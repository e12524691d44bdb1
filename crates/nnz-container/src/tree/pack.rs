//! Packing of elements: without gaps, numbers in native byte order.

use nnz_core::{At, Error, Place, Result, StringReader};

use super::element::{ElementType, Field, StringEncoding};
use super::float16::narrow;
use super::writer::FieldValues;

/// Stores a string of variable length and returns its ID.
pub(crate) type StoreString<'a> = dyn FnMut(&[u8]) -> Result<Vec<u8>> + 'a;

/// Returns the size of an element in bytes, in which a string of variable length takes `variable`
/// bytes; `None` on overflow.
pub(crate) fn element_bytes(element: &ElementType, variable: u64) -> Option<u64> {
    Some(match element {
        ElementType::Number(value_type) => value_type.size() as u64,
        ElementType::Float16 => 2,
        ElementType::Time(_) => 8,
        ElementType::FixedString { bytes, .. } => *bytes,
        ElementType::String => variable,
        ElementType::Compound(fields) => fields
            .iter()
            .try_fold(0_u64, |all, field| all.checked_add(field_bytes(field, variable)?))?,
        ElementType::Enumeration(_) | ElementType::Reference | ElementType::Other(_) => {
            return None;
        }
    })
}

fn field_bytes(field: &Field, variable: u64) -> Option<u64> {
    let count = field.shape.iter().try_fold(1_u64, |all, &length| all.checked_mul(length))?;
    element_bytes(&field.element, variable)?.checked_mul(count)
}

/// Returns the size of an element as passed in: 16-bit floats take four bytes.
fn given_bytes(element: &ElementType) -> Option<usize> {
    Some(match element {
        ElementType::Number(value_type) => value_type.size(),
        ElementType::Float16 => 4,
        ElementType::Time(_) => 8,
        ElementType::Compound(fields) => fields.iter().try_fold(0_usize, |all, field| {
            let count = count(&field.shape)?;
            all.checked_add(given_bytes(&field.element)?.checked_mul(count)?)
        })?,
        _ => return None,
    })
}

fn count(shape: &[u64]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |all, &length| all.checked_mul(usize::try_from(length).ok()?))
}

/// Returns whether elements are stored as they are passed in.
pub(crate) fn is_plain(element: &ElementType) -> bool {
    match element {
        ElementType::Number(_) | ElementType::Time(_) => true,
        ElementType::Compound(fields) => fields.iter().all(|field| is_plain(&field.element)),
        _ => false,
    }
}

/// Packs elements that are passed in as bytes.
pub(crate) fn pack_bytes(
    element: &ElementType,
    bytes: &[u8],
    place: &Place,
    out: &mut Vec<u8>,
) -> Result<()> {
    let size = given_bytes(element).filter(|size| *size > 0);
    let Some(size) = size.filter(|size| bytes.len().is_multiple_of(*size)) else {
        let found = format!("{} bytes of elements of type {element}", bytes.len());
        return Err(Error::mismatch(place.clone(), found, "complete elements that are numbers"));
    };
    if is_plain(element) {
        out.extend_from_slice(bytes);
        return Ok(());
    }
    bytes.chunks_exact(size).try_for_each(|given| pack_given(element, given, place, out))
}

fn pack_given(element: &ElementType, given: &[u8], place: &Place, out: &mut Vec<u8>) -> Result<()> {
    match element {
        ElementType::Float16 => {
            let wide = given.first_chunk().map(|bytes| f32::from_ne_bytes(*bytes));
            let half = wide.and_then(narrow).ok_or_else(|| {
                let found = wide.unwrap_or_default();
                Error::mismatch(place.clone(), found, "a number that float16 represents exactly")
            })?;
            out.extend(half.to_ne_bytes());
            Ok(())
        }
        ElementType::Compound(fields) => {
            let mut rest = given;
            for field in fields {
                let size = given_bytes(&field.element).unwrap_or(0);
                for _ in 0..count(&field.shape).unwrap_or(0) {
                    let (head, tail) = rest.split_at_checked(size).unwrap_or((rest, &[]));
                    pack_given(&field.element, head, place, out)?;
                    rest = tail;
                }
            }
            Ok(())
        }
        _ => {
            out.extend_from_slice(given);
            Ok(())
        }
    }
}

/// Packs compounds whose fields are passed in separately, until the fields end, and returns their
/// number.
pub(crate) fn pack_records(
    fields: &[Field],
    values: &mut [FieldValues<'_>],
    store: &mut StoreString<'_>,
    place: &Place,
    out: &mut Vec<u8>,
) -> Result<u64> {
    let mismatched = || {
        let expected = "values of the right type and number for each field";
        Error::mismatch(place.clone(), "values that do not match the fields", expected)
    };
    if fields.len() != values.len() || fields.is_empty() {
        return Err(mismatched());
    }
    let mut records = 0;
    loop {
        let mut ended = 0;
        for (field, values) in fields.iter().zip(&mut *values) {
            match pack_field(field, values, store, place, out)? {
                true if ended > 0 => return Err(mismatched()),
                true => {}
                false => ended += 1,
            }
        }
        match ended {
            0 => records += 1,
            ended if ended == fields.len() => return Ok(records),
            _ => return Err(mismatched()),
        }
    }
}

/// Packs the next value of a field; `false` if there is none.
fn pack_field(
    field: &Field,
    values: &mut FieldValues<'_>,
    store: &mut StoreString<'_>,
    place: &Place,
    out: &mut Vec<u8>,
) -> Result<bool> {
    let mismatched = || {
        let found = format!("values of another type than {}", field.element);
        Error::mismatch(place.clone(), found, format!("values of the field {:?}", field.name))
    };
    let all = count(&field.shape).ok_or_else(mismatched)?;
    match (&field.element, values) {
        (ElementType::Number(_) | ElementType::Float16, FieldValues::Bytes(bytes)) => {
            let size = given_bytes(&field.element).unwrap_or(0).saturating_mul(all);
            if bytes.is_empty() {
                return Ok(false);
            }
            let (head, tail) = bytes.split_at_checked(size).ok_or_else(mismatched)?;
            pack_bytes(&field.element, head, place, out)?;
            *bytes = tail;
            Ok(true)
        }
        (element, FieldValues::Strings(strings)) if element.is_string() => {
            for at in 0..all {
                match strings.next_string()? {
                    Some(string) => pack_string(element, string, store, place, out)?,
                    None if at == 0 => return Ok(false),
                    None => return Err(mismatched()),
                }
            }
            Ok(true)
        }
        (ElementType::Compound(fields), FieldValues::Records(values)) if all == 1 => {
            let mut ended = 0;
            for (field, values) in fields.iter().zip(&mut *values) {
                ended += usize::from(!pack_field(field, values, store, place, out)?);
            }
            match ended {
                0 => Ok(true),
                ended if ended == fields.len() && ended == values.len() => Ok(false),
                _ => Err(mismatched()),
            }
        }
        _ => Err(mismatched()),
    }
}

fn pack_string(
    element: &ElementType,
    string: &[u8],
    store: &mut StoreString<'_>,
    place: &Place,
    out: &mut Vec<u8>,
) -> Result<()> {
    match element {
        ElementType::FixedString { bytes, encoding } => {
            pack_fixed(string, *bytes, *encoding, place, out)
        }
        _ => {
            out.extend(store(string)?);
            Ok(())
        }
    }
}

/// Packs strings of fixed length, until they end, into at most `most` bytes.
pub(crate) fn pack_strings(
    strings: &mut dyn StringReader,
    (bytes, encoding): (u64, StringEncoding),
    most: usize,
    first: u64,
    place: &Place,
    out: &mut Vec<u8>,
) -> Result<u64> {
    let mut count = 0;
    while out.len() < most {
        let Some(string) = strings.next_string()? else { break };
        pack_fixed(string, bytes, encoding, &place.clone().at(At::Element(first + count)), out)?;
        count += 1;
    }
    Ok(count)
}

/// Packs a string of fixed length, padded with zeros.
fn pack_fixed(
    string: &[u8],
    bytes: u64,
    encoding: StringEncoding,
    place: &Place,
    out: &mut Vec<u8>,
) -> Result<()> {
    let before = out.len();
    match encoding {
        StringEncoding::Bytes => out.extend_from_slice(string),
        StringEncoding::Utf32 => {
            let text = std::str::from_utf8(string).map_err(|error| {
                let found = format!("the string \"{}\"", string.escape_ascii());
                Error::mismatch(place.clone(), found, "UTF-8").with_source(error)
            })?;
            out.extend(text.chars().flat_map(|letter| u32::from(letter).to_ne_bytes()));
        }
    }
    let room = usize::try_from(bytes).unwrap_or(usize::MAX);
    // Zeros at the end would be read as padding.
    if out.len() - before > room || string.last() == Some(&0) {
        let shown = string[..string.len().min(80)].escape_ascii();
        let expected = format!("one of at most {bytes} bytes that does not end with zero");
        return Err(Error::mismatch(place.clone(), format!("the string \"{shown}\""), expected));
    }
    out.resize(before + room, 0);
    Ok(())
}
