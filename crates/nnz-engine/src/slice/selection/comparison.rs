//! Comparing numbers, exactly.

use std::cmp::Ordering;
use std::fmt;

use nnz_core::{Scalar, ValueType};

use crate::Number;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// Sorted by length, so that `>=` is not parsed as `>`.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("!=", Comparison::NotEqual),
    ("==", Comparison::Equal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::More),
];

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The last of two signs is the shorter one.
        let sign = COMPARISONS.iter().rfind(|(_, comparison)| comparison == self);
        f.write_str(sign.map_or("", |(sign, _)| sign))
    }
}

impl Comparison {
    /// Splits a text that starts with an operator.
    pub(crate) fn split(text: &str) -> Option<(Self, &str)> {
        let mut all = COMPARISONS.iter();
        all.find_map(|(sign, comparison)| Some((*comparison, text.strip_prefix(sign)?)))
    }

    pub(crate) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::More => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }

    pub(crate) fn is_by_order(self) -> bool {
        !matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// Parses a number for values of a type: 0.1 is the nearest number of that type. A finite number is never infinite.
pub(crate) fn parse(text: &str, value_type: ValueType) -> Option<Number> {
    match text {
        "true" | "True" | "TRUE" => return Some(Number::Integer(1)),
        "false" | "False" | "FALSE" => return Some(Number::Integer(0)),
        _ => {}
    }
    if let Ok(integer) = text.parse() {
        return Some(Number::Integer(integer));
    }
    let written_so = !text.bytes().any(|byte| byte.is_ascii_digit());
    let is_exact = |number: &f64| number.is_finite() || written_so;
    let narrow = match value_type {
        ValueType::F32 => text.parse::<f32>().ok().map(f64::from).filter(is_exact),
        _ => None,
    };
    let number = narrow.or_else(|| text.parse().ok().filter(is_exact));
    number.filter(|number: &f64| !number.is_nan()).map(Number::Float)
}

/// Returns the number of a value; `None` if it is complex.
pub(super) fn of_scalar(value: Scalar) -> Option<Number> {
    Some(match value {
        Scalar::Bint8(value) => Number::Integer(value.0.into()),
        Scalar::I8(value) => Number::Integer(value.into()),
        Scalar::I16(value) => Number::Integer(value.into()),
        Scalar::I32(value) => Number::Integer(value.into()),
        Scalar::I64(value) => Number::Integer(value.into()),
        Scalar::U8(value) => Number::Integer(value.into()),
        Scalar::U16(value) => Number::Integer(value.into()),
        Scalar::U32(value) => Number::Integer(value.into()),
        Scalar::U64(value) => Number::Integer(value.into()),
        Scalar::F32(value) => Number::Float(value.into()),
        Scalar::F64(value) => Number::Float(value),
        Scalar::ComplexF32(_) | Scalar::ComplexF64(_) => return None,
    })
}

/// Compares exactly; `None` if one is NaN.
pub(crate) fn compare(one: Number, other: Number) -> Option<Ordering> {
    match (one, other) {
        (Number::Integer(one), Number::Integer(other)) => Some(one.cmp(&other)),
        (Number::Float(one), Number::Float(other)) => one.partial_cmp(&other),
        (Number::Integer(one), Number::Float(other)) => integer_to_float(one, other),
        (Number::Float(one), Number::Integer(other)) => {
            integer_to_float(other, one).map(Ordering::reverse)
        }
    }
}

/// Compares an integer with a floating-point number.
#[expect(clippy::cast_possible_truncation, reason = "a whole number in the range of the type")]
fn integer_to_float(integer: i128, float: f64) -> Option<Ordering> {
    const BOUND: f64 = 1.0e38;
    if float.is_nan() {
        return None;
    }
    // No column and no sum has numbers outside of these bounds.
    if float.abs() >= BOUND {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = float.trunc();
    let by_whole = integer.cmp(&(whole as i128));
    Some(by_whole.then_with(|| 0.0.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finite_numbers_are_not_infinite() {
        assert_eq!(parse("1e400", ValueType::F64), None);
        assert_eq!(parse("-1e400", ValueType::F32), None);
        // Larger than every value of the type.
        assert_eq!(parse("1e39", ValueType::F32), Some(Number::Float(1e39)));
        assert_eq!(parse("inf", ValueType::F32), Some(Number::Float(f64::INFINITY)));
        let integer = Some(Number::Integer(9_007_199_254_740_993));
        assert_eq!(parse("+9007199254740993", ValueType::I64), integer);
    }

    #[test]
    fn integers_and_floats_are_compared_exactly() {
        let float = |number: f64| Number::Float(number);
        let integer = |number: i128| Number::Integer(number);
        let big = (1_i128 << 53) + 1;
        assert_eq!(compare(integer(big), float(9_007_199_254_740_992.0)), Some(Ordering::Greater));
        assert_eq!(compare(float(0.5), integer(0)), Some(Ordering::Greater));
        assert_eq!(compare(float(-0.5), integer(0)), Some(Ordering::Less));
        assert_eq!(compare(integer(5), float(f64::INFINITY)), Some(Ordering::Less));
        assert_eq!(compare(integer(5), float(f64::NEG_INFINITY)), Some(Ordering::Greater));
        assert_eq!(compare(integer(5), float(f64::NAN)), None);
    }
}
