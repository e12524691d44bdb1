//! JSON attributes.

use nnz_core::{Bint8, StringList, Values};
use serde_json::value::RawValue;

use crate::tree::{Attribute, AttributeValue};
use crate::zarr::node::Fields;

/// Returns the names of attributes, sorted.
pub(super) fn names(attributes: &Fields) -> Vec<String> {
    attributes.keys().cloned().collect()
}

/// Parses an attribute.
pub(super) fn find(attributes: &Fields, name: &str) -> Option<Attribute> {
    attributes.get(name).map(|raw| decode(raw))
}

fn decode(raw: &RawValue) -> Attribute {
    let text = raw.get();
    let list = text.starts_with('[');
    let value = if list { list_of(text) } else { single(text) };
    let value = value.unwrap_or_else(|| AttributeValue::Json(text.to_owned()));
    let shape = match &value {
        AttributeValue::Numbers(values) if list => values.len().map(|len| len as u64),
        AttributeValue::Strings(strings) if list => Some(strings.len()),
        _ => None,
    };
    Attribute { shape: shape.into_iter().collect(), value }
}

fn single(text: &str) -> Option<AttributeValue> {
    if text == "null" {
        return Some(AttributeValue::Empty);
    }
    if text.starts_with('"') {
        let string: String = serde_json::from_str(text).ok()?;
        return Some(AttributeValue::Strings([string].into_iter().collect()));
    }
    // As a list of one.
    if text.starts_with(['{', '[']) {
        return None;
    }
    list_of(&format!("[{text}]"))
}

/// Parses a list of strings, of booleans or of numbers. Integers remain integers.
fn list_of(text: &str) -> Option<AttributeValue> {
    if let Ok(strings) = serde_json::from_str::<Vec<String>>(text)
        && !strings.is_empty()
    {
        let strings: StringList = strings.iter().map(String::as_bytes).collect();
        return Some(AttributeValue::Strings(strings));
    }
    let values = if let Ok(values) = serde_json::from_str(text) {
        Values::I64(values)
    } else if let Ok(values) = serde_json::from_str(text) {
        Values::U64(values)
    } else if let Ok(values) = serde_json::from_str::<Vec<bool>>(text) {
        Values::Bint8(values.into_iter().map(|value| Bint8(value.into())).collect())
    } else {
        Values::F64(serde_json::from_str(text).ok()?)
    };
    Some(AttributeValue::Numbers(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_one_type_are_values() {
        let decode = |text: &str| super::decode(&RawValue::from_string(text.to_owned()).unwrap());
        let numbers = |shape, values| Attribute { shape, value: AttributeValue::Numbers(values) };
        assert_eq!(decode("[3,4]"), numbers(vec![2], Values::I64(vec![3, 4])));
        assert_eq!(decode("[3,4.5]"), numbers(vec![2], Values::F64(vec![3.0, 4.5])));
        assert_eq!(decode("[]"), numbers(vec![0], Values::I64(vec![])));
        assert_eq!(decode("true"), numbers(vec![], Values::Bint8(vec![Bint8(1)])));
        assert_eq!(decode("18446744073709551615"), numbers(vec![], Values::U64(vec![u64::MAX])));
        assert_eq!(decode(r#""a\n""#).text(), Some("a\n"));
        assert_eq!(decode(r#"["a","b"]"#).shape, [2]);
        assert_eq!(decode("null").value, AttributeValue::Empty);
        for json in [r#"[1,"a"]"#, "[[1]]", r#"{"a":1}"#, "[null]"] {
            assert_eq!(decode(json).value, AttributeValue::Json(json.to_owned()));
        }
    }
}
