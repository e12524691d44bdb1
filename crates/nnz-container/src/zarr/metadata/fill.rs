//! Fill values.

use nnz_core::{Bint8, ValueType};
use serde_json::Value;

use crate::npy::Element;
use crate::tree::{StoredType, float16 as widened};

/// Parses a fill value, in native byte order; `None` if it is invalid.
pub(super) fn bytes(value: &Value, element: Element) -> Option<Vec<u8>> {
    match element {
        Element::Number { value_type, .. } => number(value, value_type),
        Element::Unicode { .. } => text(value),
        Element::Bytes { length } => bytes_of(value, usize::try_from(length).ok()?),
    }
}

/// Parses a fill value of another type, in stored form; empty for zeros.
pub(super) fn stored(value: &Value, element: &StoredType) -> Option<Vec<u8>> {
    let size = element.bytes()?;
    if let (StoredType::Float16 { big }, false) = (element, value.is_null()) {
        let bits = float16(value)?;
        return Some(if *big { bits.to_be_bytes() } else { bits.to_le_bytes() }.to_vec());
    }
    if let (StoredType::Time { big, .. }, false) = (element, value.is_null()) {
        let stored = match value {
            Value::String(text) if text == "NaT" => i64::MIN,
            value => value.as_i64()?,
        };
        return Some(if *big { stored.to_be_bytes() } else { stored.to_le_bytes() }.to_vec());
    }
    match value {
        // Fields by name; fields other than zero are not supported.
        Value::Object(fields) => {
            let is_zero = |value: &Value| match value {
                Value::Null | Value::Bool(false) => true,
                Value::Number(number) => number.as_f64() == Some(0.0),
                Value::String(text) => text.is_empty(),
                _ => false,
            };
            fields.values().all(is_zero).then(Vec::new)
        }
        _ => bytes_of(value, size),
    }
}

/// Parses bytes in base 64; empty for zeros.
fn bytes_of(value: &Value, size: usize) -> Option<Vec<u8>> {
    match value {
        Value::String(text) if !text.is_empty() => base64(text).filter(|bytes| bytes.len() == size),
        _ => text(value).filter(Vec::is_empty),
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff).to_le_bytes()[0]);
        }
    }
    Some(bytes)
}

/// Parses a text; some programs write 0 for an empty one.
pub(super) fn text(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Number(zero) if zero.as_u64() == Some(0) => Some(Vec::new()),
        Value::String(text) => Some(text.as_bytes().to_vec()),
        _ => None,
    }
}

fn number(value: &Value, value_type: ValueType) -> Option<Vec<u8>> {
    // Not defined: any value will do.
    if value.is_null() {
        return Some(vec![0; value_type.size()]);
    }
    macro_rules! integer {
        ($type:ty) => {{
            let wide = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
            <$type>::try_from(wide.or_else(|| whole(value))?).ok()?.to_ne_bytes().to_vec()
        }};
    }
    Some(match value_type {
        ValueType::U8 => integer!(u8),
        ValueType::U16 => integer!(u16),
        ValueType::U32 => integer!(u32),
        ValueType::U64 => integer!(u64),
        ValueType::I8 => integer!(i8),
        ValueType::I16 => integer!(i16),
        ValueType::I32 => integer!(i32),
        ValueType::I64 => integer!(i64),
        ValueType::Bint8 => match value {
            Value::Bool(truth) => vec![Bint8(u8::from(*truth)).0],
            _ => vec![u8::try_from(value.as_u64().filter(|truth| *truth < 2)?).ok()?],
        },
        ValueType::F32 => float32(value)?.to_vec(),
        ValueType::F64 => float64(value)?.to_vec(),
        ValueType::ComplexF32 => parts(value)?.map(float32).try_concat()?,
        ValueType::ComplexF64 => parts(value)?.map(float64).try_concat()?,
    })
}

/// Accepts `0.0` for `0`, as some programs write it in version 2.
fn whole(value: &Value) -> Option<i128> {
    (value.as_f64()? == 0.0).then_some(0)
}

fn parts(value: &Value) -> Option<[&Value; 2]> {
    match value {
        Value::Array(parts) => parts.iter().collect::<Vec<_>>().try_into().ok(),
        // A real number.
        Value::Number(zero) if zero.as_f64() == Some(0.0) => Some([value; 2]),
        _ => None,
    }
}

trait TryConcat {
    fn try_concat(self) -> Option<Vec<u8>>;
}

impl<const N: usize> TryConcat for [Option<[u8; N]>; 2] {
    fn try_concat(self) -> Option<Vec<u8>> {
        let [real, imaginary] = self;
        Some([real?, imaginary?].concat())
    }
}

fn float64(value: &Value) -> Option<[u8; 8]> {
    let number = match value {
        Value::String(text) => match hexadecimal(text) {
            Some(bits) => f64::from_bits(bits),
            None => parse_special(text)?,
        },
        _ => value.as_f64()?,
    };
    Some(number.to_ne_bytes())
}

#[expect(clippy::cast_possible_truncation, reason = "rounded like the number of its writer")]
fn float32(value: &Value) -> Option<[u8; 4]> {
    let number = match value {
        Value::String(text) => match hexadecimal(text) {
            Some(bits) => f32::from_bits(u32::try_from(bits).ok()?),
            None => parse_special(text)? as f32,
        },
        _ => value.as_f64()? as f32,
    };
    Some(number.to_ne_bytes())
}

/// Finds the 16-bit float with a value.
fn float16(value: &Value) -> Option<u16> {
    let value = f64::from_ne_bytes(float64(value)?);
    let same = |bits: &u16| {
        let found = f64::from(widened(*bits));
        found.to_bits() == value.to_bits() || (found.is_nan() && value.is_nan())
    };
    (0..=u16::MAX).find(same)
}

fn parse_special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Parses the bits of a float, as NaNs with a payload are written.
fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_parsed_in_all_forms() {
        let float = |value| number(&value, ValueType::F64).unwrap();
        assert_eq!(float(json!(-0.0)), (-0.0_f64).to_ne_bytes());
        assert_eq!(float(json!("-Infinity")), f64::NEG_INFINITY.to_ne_bytes());
        assert_eq!(float(json!("0x7ff8000000000001")), 0x7ff8_0000_0000_0001_u64.to_ne_bytes());
        assert_eq!(number(&json!("NaN"), ValueType::F32).unwrap(), f32::NAN.to_ne_bytes());
        let complex = number(&json!([1.0, "NaN"]), ValueType::ComplexF32).unwrap();
        assert_eq!(complex, [1_f32.to_ne_bytes(), f32::NAN.to_ne_bytes()].concat());
        assert_eq!(number(&json!(u64::MAX), ValueType::U64).unwrap(), [255; 8]);
        assert_eq!(number(&json!(0.0), ValueType::I16).unwrap(), [0; 2]);
        assert_eq!(number(&json!(true), ValueType::Bint8).unwrap(), [1]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (value, value_type) in [
            (json!(256), ValueType::U8),
            (json!(-1), ValueType::U64),
            (json!(1.5), ValueType::I32),
            (json!("x"), ValueType::F64),
            (json!([1.0]), ValueType::ComplexF64),
            (json!(2), ValueType::Bint8),
            (json!({}), ValueType::F32),
        ] {
            assert_eq!(number(&value, value_type), None, "{value}");
        }
    }
}
