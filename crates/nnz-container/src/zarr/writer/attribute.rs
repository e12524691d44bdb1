//! Storing attributes as JSON.

use nnz_core::Scalar;
use serde_json::Value;
use serde_json::value::RawValue;

use super::metadata::string;
use crate::tree::{Attribute, AttributeValue};

/// Converts an attribute to JSON, or describes what JSON does not support.
pub(super) fn json(attribute: &Attribute) -> Result<Box<RawValue>, String> {
    let count = attribute.shape.iter().try_fold(1_u64, |all, &length| all.checked_mul(length));
    let count = count.and_then(|count| usize::try_from(count).ok());
    let as_many = |found: Option<usize>| match found == count {
        true => Ok(()),
        false => Err("a number of values that does not match its shape".to_owned()),
    };
    let text = match &attribute.value {
        AttributeValue::Numbers(values) => {
            as_many(values.len())?;
            let number = |at| values.get(at).and_then(number);
            let numbers = (0..count.unwrap_or(0)).map(number).collect::<Option<Vec<_>>>();
            let what = "numbers that JSON does not support, such as NaN";
            nested(&attribute.shape, &mut numbers.ok_or(what)?.into_iter())
        }
        AttributeValue::Strings(strings) => {
            as_many(usize::try_from(strings.len()).ok())?;
            let text = |text| std::str::from_utf8(text).ok().map(|text| string(text).to_string());
            let texts = strings.iter().map(text).collect::<Option<Vec<_>>>();
            nested(&attribute.shape, &mut texts.ok_or("strings that are not UTF-8")?.into_iter())
        }
        AttributeValue::Json(text) => text.clone(),
        AttributeValue::Empty => "null".to_owned(),
        AttributeValue::References(_) => return Err("references to objects".to_owned()),
        AttributeValue::Unsupported(what) => return Err(what.clone()),
    };
    RawValue::from_string(text).map_err(|error| format!("invalid JSON: {error}"))
}

/// Returns values as nested lists.
fn nested(shape: &[u64], values: &mut dyn Iterator<Item = String>) -> String {
    match shape {
        [] => values.next().unwrap_or_default(),
        [length, inner @ ..] => {
            let items: Vec<String> = (0..*length).map(|_| nested(inner, values)).collect();
            format!("[{}]", items.join(","))
        }
    }
}

/// Returns a number as JSON; `None` if it is not representable.
fn number(scalar: Scalar) -> Option<String> {
    let float = |value: f64| value.is_finite().then(|| Value::from(value).to_string());
    match scalar {
        Scalar::U8(value) => Some(value.to_string()),
        Scalar::U16(value) => Some(value.to_string()),
        Scalar::U32(value) => Some(value.to_string()),
        Scalar::U64(value) => Some(value.to_string()),
        Scalar::I8(value) => Some(value.to_string()),
        Scalar::I16(value) => Some(value.to_string()),
        Scalar::I32(value) => Some(value.to_string()),
        Scalar::I64(value) => Some(value.to_string()),
        Scalar::Bint8(value) => Some((value.0 != 0).to_string()),
        Scalar::F32(value) => float(value.into()),
        Scalar::F64(value) => float(value),
        Scalar::ComplexF32(_) | Scalar::ComplexF64(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::Values;

    use super::*;

    #[test]
    fn attributes_are_values_and_lists() {
        let text = |attribute: &Attribute| json(attribute).map(|raw| raw.to_string());
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(text(&Attribute::of_text("a\"b")), ok("\"a\\\"b\""));
        assert_eq!(text(&Attribute::of_texts(["a", ""])), ok("[\"a\",\"\"]"));
        assert_eq!(text(&Attribute::of_numbers(&[3_i64, -4])), ok("[3,-4]"));
        assert_eq!(text(&Attribute::of_number(u64::MAX)), ok("18446744073709551615"));
        assert_eq!(text(&Attribute::of_number(1.0_f32)), ok("1.0"));
        assert_eq!(text(&Attribute::of_number(-0.0_f64)), ok("-0.0"));
        assert_eq!(text(&Attribute::of_boolean(true)), ok("true"));
        assert_eq!(text(&Attribute::of_numbers::<f64>(&[])), ok("[]"));
        let table = AttributeValue::Numbers(Values::U8(vec![1, 2, 3, 4, 5, 6]));
        let table = Attribute { shape: vec![2, 3], value: table };
        assert_eq!(text(&table), ok("[[1,2,3],[4,5,6]]"));
        assert!(text(&Attribute { shape: vec![7], ..table }).is_err());
        assert!(text(&Attribute::of_number(f64::NAN)).is_err());
        let empty = Attribute { shape: vec![], value: AttributeValue::Empty };
        assert_eq!(text(&empty), ok("null"));
    }
}
