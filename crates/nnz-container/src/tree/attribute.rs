//! Attributes of any container.

use nnz_core::{Bint8, Element, Scalar, StringList, Values};

use super::element::ElementType;

/// An attribute of a group or an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The length of each dimension; empty for a scalar.
    pub shape: Vec<u64>,
    /// The values in C order.
    pub value: AttributeValue,
}

/// The values of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttributeValue {
    /// Numbers or booleans.
    Numbers(Values),
    /// Strings of fixed or variable length.
    Strings(StringList),
    /// Paths of objects from the root, without a leading slash; `None` for a null reference.
    References(Vec<Option<String>>),
    /// A JSON object, or a JSON array other than of numbers, of strings or of booleans.
    Json(String),
    /// No value: a null dataspace of HDF5, or a JSON null.
    Empty,
    /// Values of an unsupported type, described for messages.
    Unsupported(String),
}

impl Attribute {
    /// Creates a scalar attribute.
    pub(crate) fn scalar(value: AttributeValue) -> Self {
        Self { shape: Vec::new(), value }
    }

    /// Creates a number.
    ///
    /// ```
    /// use nnz_container::tree::Attribute;
    ///
    /// assert_eq!(Attribute::of_number(3_i64).type_name(), "int64");
    /// ```
    #[must_use]
    pub fn of_number<T: Element>(number: T) -> Self {
        Self { shape: Vec::new(), ..Self::of_numbers(&[number]) }
    }

    /// Creates a list of numbers, such as a shape.
    #[must_use]
    pub fn of_numbers<T: Element>(numbers: &[T]) -> Self {
        let mut values = Values::new(T::TYPE);
        values.resize_bytes(numbers.len()).copy_from_slice(bytemuck::cast_slice(numbers));
        Self { shape: vec![numbers.len() as u64], value: AttributeValue::Numbers(values) }
    }

    /// Creates a boolean.
    #[must_use]
    pub fn of_boolean(value: bool) -> Self {
        Self::of_number(Bint8(value.into()))
    }

    /// Creates a string.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self::scalar(AttributeValue::Strings([text].into_iter().collect()))
    }

    /// Creates a list of strings.
    #[must_use]
    pub fn of_texts<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts: StringList = texts.into_iter().collect();
        Self { shape: vec![texts.len()], value: AttributeValue::Strings(texts) }
    }

    /// Returns the only string, of a scalar or of an array of length one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            AttributeValue::Strings(list) if list.len() == 1 => {
                list.iter().next().and_then(|text| std::str::from_utf8(text).ok())
            }
            _ => None,
        }
    }

    /// Returns the strings. An empty array of any type is an empty list: AnnData stores empty lists
    /// of names as floats.
    #[must_use]
    pub fn strings(&self) -> Option<StringList> {
        match &self.value {
            AttributeValue::Strings(list) => Some(list.clone()),
            AttributeValue::Numbers(values) if values.is_empty() => Some(StringList::new()),
            _ => None,
        }
    }

    /// Returns the only number, of a scalar or of an array of length one.
    #[must_use]
    pub fn number(&self) -> Option<Scalar> {
        match &self.value {
            AttributeValue::Numbers(values) if values.len() == Some(1) => values.get(0),
            _ => None,
        }
    }

    /// Returns the only boolean, if it is stored as one.
    #[must_use]
    pub fn boolean(&self) -> Option<bool> {
        match self.number()? {
            Scalar::Bint8(value) => Some(value.0 != 0),
            _ => None,
        }
    }

    /// Returns non-negative integers, such as a shape, stored as any type.
    #[must_use]
    pub fn unsigned(&self) -> Option<Vec<u64>> {
        let AttributeValue::Numbers(values) = &self.value else { return None };
        (0..values.len()?).map(|at| whole(values.get(at)?)).collect()
    }

    /// Describes the type of the values, such as `float32` or `string`.
    #[must_use]
    pub fn type_name(&self) -> String {
        match &self.value {
            AttributeValue::Numbers(values) => ElementType::Number(values.value_type()).to_string(),
            AttributeValue::Strings(_) => "string".to_owned(),
            AttributeValue::References(_) => "reference".to_owned(),
            AttributeValue::Json(_) => "JSON".to_owned(),
            AttributeValue::Empty => "empty".to_owned(),
            AttributeValue::Unsupported(what) => what.clone(),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number below 2^53"
)]
fn whole(scalar: Scalar) -> Option<u64> {
    /// Smaller floats are exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = |value: f64| {
        (value.fract() == 0.0 && (0.0..EXACT).contains(&value)).then_some(value as u64)
    };
    match scalar {
        Scalar::U8(value) => Some(value.into()),
        Scalar::U16(value) => Some(value.into()),
        Scalar::U32(value) => Some(value.into()),
        Scalar::U64(value) => Some(value),
        Scalar::I8(value) => value.try_into().ok(),
        Scalar::I16(value) => value.try_into().ok(),
        Scalar::I32(value) => value.try_into().ok(),
        Scalar::I64(value) => value.try_into().ok(),
        Scalar::F32(value) => float(value.into()),
        Scalar::F64(value) => float(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsigned_accepts_whole_numbers_of_any_type() {
        let of = |values| Attribute { shape: vec![2], value: AttributeValue::Numbers(values) };
        assert_eq!(of(Values::I64(vec![3, 4])).unsigned(), Some(vec![3, 4]));
        assert_eq!(of(Values::F64(vec![3.0, 4.0])).unsigned(), Some(vec![3, 4]));
        assert_eq!(of(Values::F64(vec![3.5, 4.0])).unsigned(), None);
        assert_eq!(of(Values::F64(vec![f64::NAN, 4.0])).unsigned(), None);
        assert_eq!(of(Values::I8(vec![-1, 4])).unsigned(), None);
        let empty = of(Values::F64(Vec::new()));
        assert_eq!(empty.strings(), Some(StringList::new()));
    }
}
