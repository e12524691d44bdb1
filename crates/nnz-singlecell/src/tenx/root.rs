//! Attributes of the root of a file, such as the libraries and the chemistry.

use nnz_container::hdf5::file::Value;
use nnz_container::tree::{Attribute, AttributeValue, Group};
use nnz_core::{Result, Scalar, readable};
use serde_json::Value as Json;

/// Attributes of PyTables, which describe how it stores the file.
const PYTABLES: [&str; 4] = ["CLASS", "PYTABLES_FORMAT_VERSION", "TITLE", "VERSION"];

/// Reads the attributes of the root that are strings or numbers, alone or in a list, as JSON.
///
/// # Errors
///
/// Fails if the system cannot read them.
pub fn root_attributes(root: &dyn Group) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for name in readable(root.attributes())?.unwrap_or_default() {
        let Some(attribute) = readable(root.attribute(&name))?.flatten() else { continue };
        if let Some(json) = to_json(&attribute).filter(|_| !PYTABLES.contains(&&*name)) {
            found.push((name, json.to_string()));
        }
    }
    Ok(found)
}

fn to_json(attribute: &Attribute) -> Option<Json> {
    let list: Vec<Json> = match &attribute.value {
        AttributeValue::Strings(strings) => {
            let texts = strings.iter().map(|text| std::str::from_utf8(text).ok().map(Json::from));
            texts.collect::<Option<_>>()?
        }
        AttributeValue::Numbers(values) => {
            (0..values.len()?).map(|at| number(values.get(at)?)).collect::<Option<_>>()?
        }
        _ => return None,
    };
    match attribute.shape[..] {
        [] => list.into_iter().next(),
        [_] => Some(Json::Array(list)),
        _ => None,
    }
}

/// Converts an integer or a finite float.
fn number(scalar: Scalar) -> Option<Json> {
    Some(match scalar {
        Scalar::U8(value) => value.into(),
        Scalar::U16(value) => value.into(),
        Scalar::U32(value) => value.into(),
        Scalar::U64(value) => value.into(),
        Scalar::I8(value) => value.into(),
        Scalar::I16(value) => value.into(),
        Scalar::I32(value) => value.into(),
        Scalar::I64(value) => value.into(),
        Scalar::F64(value) => Json::Number(serde_json::Number::from_f64(value)?),
        _ => return None,
    })
}

/// Converts an attribute back.
pub(super) fn to_value(json: &str) -> Option<Value> {
    let each = |list: &[Json]| -> Option<Value> {
        if let Some(texts) = list.iter().map(text).collect::<Option<Vec<_>>>() {
            return Some(Value::texts(texts));
        }
        if let Some(numbers) = list.iter().map(Json::as_i64).collect::<Option<Vec<_>>>() {
            return Some(Value::numbers(&numbers));
        }
        if let Some(numbers) = list.iter().map(Json::as_u64).collect::<Option<Vec<_>>>() {
            return Some(Value::numbers(&numbers));
        }
        let numbers = list.iter().map(Json::as_f64).collect::<Option<Vec<_>>>()?;
        Some(Value::numbers(&numbers))
    };
    match serde_json::from_str(json).ok()? {
        // The type of an empty list is unknown.
        Json::Array(list) if list.is_empty() => None,
        Json::Array(list) => each(&list),
        other => scalar(&other),
    }
}

fn scalar(json: &Json) -> Option<Value> {
    if let Some(text) = text(json) {
        return Some(Value::text(text));
    }
    match (json.as_i64(), json.as_u64(), json.as_f64()) {
        (Some(number), ..) => Some(Value::number(number)),
        (_, Some(number), _) => Some(Value::number(number)),
        (_, _, Some(number)) => Some(Value::number(number)),
        _ => None,
    }
}

fn text(json: &Json) -> Option<&str> {
    json.as_str().filter(|text| !text.contains('\0'))
}
