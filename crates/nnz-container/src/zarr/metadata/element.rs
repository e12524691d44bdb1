//! Element types, including structured types.

use nnz_core::{TimeType, ValueType};
use serde_json::Value;

use super::v3::Extension;
use crate::npy::Element;
use crate::tree::{StoredField, StoredType, TextForm};

/// Maximum depth of nested structures.
const MAX_DEPTH: usize = 16;

/// Parses a `dtype` of version 2: a string such as `<f8`, or a list of fields.
pub(super) fn of_v2(dtype: &Value) -> Option<StoredType> {
    v2(dtype, MAX_DEPTH)
}

fn v2(dtype: &Value, depth: usize) -> Option<StoredType> {
    let Value::Array(fields) = dtype else { return plain(dtype.as_str()?) };
    let depth = depth.checked_sub(1)?;
    structure(fields, |field| {
        let field = field.as_array()?;
        let (name, dtype) = (field.first()?.as_str()?, field.get(1)?);
        let element = v2(dtype, depth)?;
        let element = match (field.get(2), field.len()) {
            (None, 2) => element,
            (Some(lengths), 3) => {
                let lengths = match lengths {
                    Value::Number(length) => vec![length.as_u64()?],
                    lengths => super::lengths(lengths)?,
                };
                StoredType::Array { lengths, element: Box::new(element) }
            }
            _ => return None,
        };
        Some((name, element))
    })
}

/// Parses a `data_type` of version 3 with a byte order.
pub(super) fn of_v3(data_type: &Value, big: bool) -> Option<StoredType> {
    v3(data_type, big, MAX_DEPTH)
}

fn v3(data_type: &Value, big: bool, depth: usize) -> Option<StoredType> {
    let depth = depth.checked_sub(1)?;
    let named = Extension::of(data_type)?;
    let length = named.get("length_bytes").as_u64().and_then(|bytes| usize::try_from(bytes).ok());
    let number = |value_type: ValueType| {
        let big = big && value_type.size() > 1;
        Some(StoredType::Number { value_type, big })
    };
    match (named.name, length) {
        ("bool", _) => number(ValueType::Bint8),
        ("float16", _) => Some(StoredType::Float16 { big }),
        ("complex64", _) => number(ValueType::ComplexF32),
        ("complex128", _) => number(ValueType::ComplexF64),
        ("fixed_length_utf32", Some(bytes)) if bytes.is_multiple_of(4) => {
            Some(StoredType::Text { bytes, form: TextForm::Utf32 { big } })
        }
        ("null_terminated_bytes", Some(bytes)) => {
            Some(StoredType::Text { bytes, form: TextForm::Zeros })
        }
        ("raw_bytes", Some(bytes)) => {
            Some(StoredType::Other { bytes, what: "raw bytes".to_owned() })
        }
        (name @ ("numpy.datetime64" | "numpy.timedelta64"), _) => {
            let count = named.get("scale_factor").as_u64().and_then(|count| count.try_into().ok());
            let unit = named.get("unit").as_str().unwrap_or_default();
            let time =
                count.and_then(|count| TimeType::new(name == "numpy.timedelta64", count, unit));
            Some(match time {
                Some(time) => StoredType::Time { time, big },
                None => {
                    StoredType::Other { bytes: 8, what: format!("{name} in units of {unit:?}") }
                }
            })
        }
        ("struct" | "structured", _) => {
            structure(named.get("fields").as_array()?, |field| match field {
                Value::Array(pair) => {
                    let [name, data_type] = &pair[..] else { return None };
                    Some((name.as_str()?, v3(data_type, big, depth)?))
                }
                field => {
                    let element = v3(field.get("data_type")?, big, depth)?;
                    Some((field.get("name")?.as_str()?, element))
                }
            })
        }
        (name, _) => {
            let plain = ValueType::ALL.iter().find(|found| found.name() == name);
            let plain = plain.filter(|found| **found != ValueType::Bint8 && !found.is_complex());
            number(*plain?)
        }
    }
}

/// Creates a structure of adjacent fields.
fn structure<'a>(
    fields: &'a [Value],
    read: impl Fn(&'a Value) -> Option<(&'a str, StoredType)>,
) -> Option<StoredType> {
    let mut bytes = 0_usize;
    let mut stored = Vec::new();
    for field in fields {
        let (name, element) = read(field)?;
        let offset = bytes;
        bytes = bytes.checked_add(element.bytes()?)?;
        stored.push(StoredField { name: name.to_owned(), offset, element });
    }
    (bytes > 0).then_some(StoredType::Record { bytes, fields: stored })
}

/// Parses a NumPy type string.
fn plain(dtype: &str) -> Option<StoredType> {
    if let Some(element) = Element::parse(dtype) {
        return StoredType::of_numpy(element);
    }
    let size = |digits: &str| digits.parse().ok().filter(|&bytes: &usize| bytes > 0);
    Some(match dtype.as_bytes() {
        b"<f2" => StoredType::Float16 { big: false },
        b">f2" => StoredType::Float16 { big: true },
        [b'<' | b'>', b'M' | b'm', b'8', ..] => {
            let big = dtype.starts_with('>');
            match dtype.get(1..).and_then(TimeType::parse) {
                Some(time) => StoredType::Time { time, big },
                None => StoredType::Other { bytes: 8, what: format!("times {dtype:?}") },
            }
        }
        [b'|', b'V', ..] => {
            StoredType::Other { bytes: size(&dtype[2..])?, what: "raw bytes".to_owned() }
        }
        [b'<' | b'>', b'f' | b'c', ..] => {
            StoredType::Other { bytes: size(&dtype[2..])?, what: format!("floats {dtype:?}") }
        }
        _ => return None,
    })
}
