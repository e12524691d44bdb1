//! Parsing numbers in fields exactly.

use nnz_core::{Element, Rounding, Scalar, ValueType, Values};

/// Parses fields of a type.
pub(super) trait Field: Element {
    /// Parses a number. Returns `None` if it is not a number, or the type cannot represent it.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! integers {
    ($($t:ty)*) => {
        $(impl Field for $t {
            fn parse(text: &str) -> Option<Self> { text.parse().ok() }
        })*
    };
}
integers!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! floats {
    ($($t:ty)*) => {
        $(impl Field for $t {
            fn parse(text: &str) -> Option<Self> {
                let value: $t = text.parse().ok()?;
                if is_whole(text) {
                    // Digits without a decimal point are a number that must be exact.
                    return holds(text, value.scalar()).then_some(value);
                }
                // A finite number that is too large must not become infinite.
                let written_so = !text.bytes().any(|byte| byte.is_ascii_digit());
                (value.is_finite() || written_so).then_some(value)
            }
        })*
    };
}
floats!(f32 f64);

/// Returns whether a text is an integer, of any size.
pub(super) fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a float is exactly the integer of a text.
fn holds(text: &str, value: Scalar) -> bool {
    let float = value.value_type();
    let same = |integer: Scalar| integer.cast(float, Rounding::Refused).is_ok();
    match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(integer), _) => same(Scalar::I64(integer)),
        (_, Ok(integer)) => same(Scalar::U64(integer)),
        _ => false,
    }
}

/// Appends a field to values of a type. Returns `false` if they cannot represent it.
pub(super) fn push(values: &mut Values, text: &str) -> bool {
    fn own<T: Field>(values: &mut Vec<T>, text: &str) -> bool {
        T::parse(text).map(|value| values.push(value)).is_some()
    }
    match values {
        Values::U8(v) => own(v, text),
        Values::U16(v) => own(v, text),
        Values::U32(v) => own(v, text),
        Values::U64(v) => own(v, text),
        Values::I8(v) => own(v, text),
        Values::I16(v) => own(v, text),
        Values::I32(v) => own(v, text),
        Values::I64(v) => own(v, text),
        Values::F32(v) => own(v, text),
        Values::F64(v) => own(v, text),
        _ => false,
    }
}

/// Returns whether a value round-trips as text. Of NaNs only the plain one does.
pub(super) fn has_text(value: Scalar) -> bool {
    match value {
        Scalar::F32(v) => !v.is_nan() || v.to_bits() == f32::NAN.to_bits(),
        Scalar::F64(v) => !v.is_nan() || v.to_bits() == f64::NAN.to_bits(),
        other => other.value_type() != ValueType::Bint8 && !other.value_type().is_complex(),
    }
}
