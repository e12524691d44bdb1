//! Storing attributes.

use nnz_core::{Scalar, ValueType, Values};
use serde_json::Value as Json;

use crate::tree::{Attribute, AttributeValue};
use nnz_chunk::byte_order;
use nnz_hdf5::{Dataspace, ElementType, ObjectId, Value};

/// Converts an attribute, or describes what HDF5 does not support.
pub(super) fn value(
    attribute: &Attribute,
    find: impl Fn(&str) -> Option<ObjectId>,
) -> Result<Value, String> {
    let space = match &attribute.shape[..] {
        [] => Dataspace::Scalar,
        shape => Dataspace::simple(shape),
    };
    let value = match &attribute.value {
        AttributeValue::Numbers(values) => return numbers(values, space),
        AttributeValue::Strings(strings) => {
            let text = |text| std::str::from_utf8(text).ok().filter(|text| !text.contains('\0'));
            let texts = strings.iter().map(text).collect::<Option<Vec<_>>>();
            Value::texts(texts.ok_or("strings that are not UTF-8 or have zero bytes")?)
        }
        AttributeValue::References(paths) => {
            let found = paths.iter().map(|path| match path {
                None => Some(ObjectId::NONE),
                Some(path) => find(path),
            });
            let found = found.collect::<Option<Vec<_>>>();
            Value::references(&found.ok_or("references to missing objects")?)
        }
        AttributeValue::Empty => return Ok(Value::null(ElementType::Number(ValueType::F32))),
        AttributeValue::Json(text) => return table(text),
        AttributeValue::Unsupported(what) => return Err(what.clone()),
    };
    value.reshape(space).map_err(|error| error.to_string())
}

fn numbers(values: &Values, space: Dataspace) -> Result<Value, String> {
    let mut bytes = match values {
        Values::Iso(_) => return Err("one shared value".to_owned()),
        values => values.bytes().to_vec(),
    };
    let value_type = values.value_type();
    byte_order::to_native(&mut bytes, value_type, false);
    let value = Value::bytes(ElementType::Number(value_type), space, bytes);
    value.map_err(|error| error.to_string())
}

/// Creates an array of several dimensions from nested JSON lists of numbers.
fn table(text: &str) -> Result<Value, String> {
    let refused = || "JSON that is not a value or a list of values of one type".to_owned();
    let json: Json = serde_json::from_str(text).map_err(|_| refused())?;
    let mut shape = Vec::new();
    let mut inner = &json;
    while let Json::Array(list) = inner {
        shape.push(list.len() as u64);
        inner = list.first().unwrap_or(&Json::Null);
    }
    let mut scalars = Vec::new();
    if shape.len() < 2 || !flatten(&json, &shape, &mut scalars) {
        return Err(refused());
    }
    let first = scalars.first().map(Scalar::value_type).ok_or_else(refused)?;
    let mut values = Values::new(first);
    if !scalars.iter().all(|scalar| values.push(*scalar)) {
        return Err(refused());
    }
    numbers(&values, Dataspace::simple(&shape))
}

/// Appends the numbers of nested lists; `false` if they have another shape.
fn flatten(json: &Json, shape: &[u64], out: &mut Vec<Scalar>) -> bool {
    match (shape, json) {
        ([length, inner @ ..], Json::Array(list)) => {
            list.len() as u64 == *length && list.iter().all(|item| flatten(item, inner, out))
        }
        ([], Json::Number(number)) => {
            let scalar = match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(value), ..) => Scalar::I64(value),
                (None, Some(value), _) => Scalar::U64(value),
                (None, None, Some(value)) => Scalar::F64(value),
                (None, None, None) => return false,
            };
            out.push(scalar);
            true
        }
        ([], Json::Bool(value)) => {
            out.push(Scalar::Bint8(nnz_core::Bint8((*value).into())));
            true
        }
        _ => false,
    }
}
