//! JSON as values of R.

use nnz::Error;
use serde_json::Value as Json;

use crate::error::Failure;
use crate::value::Value;

/// Parses a document. Arrays of numbers, of strings and of booleans are vectors, in which null is NA; others are lists.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, Failure> {
    let parsed: serde_json::Result<Json> = serde_json::from_slice(bytes);
    match parsed {
        Ok(json) => Ok(value(json)),
        Err(error) => Err(Error::argument(format!("no JSON: {error}")).into()),
    }
}

fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::flag(flag),
        Json::Number(number) => Value::number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::text(text),
        Json::Array(elements) => array(elements),
        Json::Object(members) => {
            Value::List(members.into_iter().map(|(name, member)| (name, value(member))).collect())
        }
    }
}

fn array(elements: Vec<Json>) -> Value {
    let has_value = elements.iter().any(|element| !element.is_null());
    let are = |is: fn(&Json) -> bool| {
        has_value && elements.iter().all(|element| element.is_null() || is(element))
    };
    if are(Json::is_number) {
        let number = |element: Json| element.as_f64().unwrap_or_else(crate::annotations::na_real);
        return Value::Reals(elements.into_iter().map(number).collect());
    }
    if are(Json::is_string) {
        return Value::Texts(elements.iter().map(|one| one.as_str().map(str::to_owned)).collect());
    }
    if are(Json::is_boolean) {
        return Value::Flags(elements.iter().map(Json::as_bool).collect());
    }
    Value::Elements(elements.into_iter().map(value).collect())
}
