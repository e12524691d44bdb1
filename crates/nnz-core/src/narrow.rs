//! The smallest type that can represent values.

use crate::{Rounding, ValueType, Values};

/// Finds the smallest type of the same kind that can represent all values.
///
/// ```
/// use nnz_core::{Narrowest, ValueType, Values};
/// let mut narrowest = Narrowest::new(ValueType::I64);
/// narrowest.add(&Values::I64(vec![0, 300]));
/// assert_eq!(narrowest.value_type(), ValueType::U16);
/// ```
#[derive(Clone, Debug)]
pub struct Narrowest {
    /// The types that can represent all values so far, from wide to narrow.
    possible: Vec<ValueType>,
    own: ValueType,
    cast: Values,
}

impl Narrowest {
    /// Starts with all types that may represent values of the type `own`.
    #[must_use]
    pub fn new(own: ValueType) -> Self {
        use ValueType::{ComplexF32, F32, I8, I16, I32, I64, U8, U16, U32, U64};
        let kind: &[ValueType] = match own {
            ValueType::F64 => &[F32],
            ValueType::ComplexF64 => &[ComplexF32],
            U16 | U32 | U64 | I16 | I32 | I64 => &[I64, U64, I32, U32, I16, U16, I8, U8],
            _ => &[],
        };
        let possible = kind.iter().copied().filter(|t| t.size() < own.size()).collect();
        Self { possible, own, cast: Values::default() }
    }

    /// Examines values.
    pub fn add(&mut self, values: &Values) {
        let cast = &mut self.cast;
        self.possible.retain(|&t| values.cast_into(t, Rounding::Refused, cast).is_ok());
    }

    /// Returns the smallest type.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.possible.last().copied().unwrap_or(self.own)
    }
}
