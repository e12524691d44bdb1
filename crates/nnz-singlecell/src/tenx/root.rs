//! Attributes of the root of a file, such as the libraries and the chemistry.

use nnz_container::tree::{Attribute, AttributeValue, Group};
use nnz_core::{Result, Scalar, readable};
use nnz_hdf5::Value;
use serde_json::Value as Json;

use super::beside::OF_LIBRARIES;

/// Attributes of the root of a file.
#[derive(Debug, Default)]
pub(super) struct Root {
    /// Strings and numbers, alone or in a list, as JSON.
    pub(super) attributes: Vec<(String, String)>,
    /// The names of others.
    pub(super) unread: Vec<String>,
}

impl Root {
    /// Reads the attributes of a root.
    pub(super) fn read(root: &dyn Group) -> Result<Self> {
        let mut found = Self::default();
        for name in readable(root.attributes())?.unwrap_or_default() {
            if OF_LIBRARIES.contains(&&*name) {
                continue;
            }
            let attribute = readable(root.attribute(&name))?.flatten();
            match attribute.as_ref().and_then(to_json) {
                Some(json) => found.attributes.push((name, json.to_string())),
                None => found.unread.push(name),
            }
        }
        Ok(found)
    }
}

/// Returns whether an attribute states the format, or that something is not known, so that nothing is lost without it.
pub(super) fn says_nothing(name: &str, json: &str) -> bool {
    match name {
        "filetype" | "version" => true,
        "software_version" => json.starts_with("\"nnz-"),
        "original_gem_groups" => matches!(json, "1" | "[1]"),
        _ => matches!(json, "\"unknown\"" | "[\"unknown\"]"),
    }
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
