//! Values that follow from those across the diagonal.

use crate::{Scalar, Structure};

impl Structure {
    /// Returns the value across the diagonal from `value`, where the type has it. In what is `dense`,
    /// zeros are cells like any other, and none becomes a negative one.
    #[must_use]
    pub fn across(self, dense: bool, value: Scalar) -> Option<Scalar> {
        match self {
            Self::General | Self::Symmetric(_) => Some(value),
            Self::SkewSymmetric(_) => negated(dense, value),
            Self::Hermitian(_) => Some(match value {
                Scalar::ComplexF32([re, im]) => Scalar::ComplexF32([re, turned(dense, im)]),
                Scalar::ComplexF64([re, im]) => Scalar::ComplexF64([re, turned(dense, im)]),
                real => real,
            }),
        }
    }
}

/// Turns the sign of a float. In what stores every cell, nothing turned is still nothing.
fn turned<F: std::ops::Neg<Output = F> + Default + PartialEq>(dense: bool, float: F) -> F {
    if dense && float == F::default() { F::default() } else { -float }
}

/// Turns the sign, or returns `None` where the type has no such value.
fn negated(dense: bool, value: Scalar) -> Option<Scalar> {
    Some(match value {
        Scalar::I8(v) => Scalar::I8(v.checked_neg()?),
        Scalar::I16(v) => Scalar::I16(v.checked_neg()?),
        Scalar::I32(v) => Scalar::I32(v.checked_neg()?),
        Scalar::I64(v) => Scalar::I64(v.checked_neg()?),
        Scalar::U8(v) => Scalar::U8(v.checked_neg()?),
        Scalar::U16(v) => Scalar::U16(v.checked_neg()?),
        Scalar::U32(v) => Scalar::U32(v.checked_neg()?),
        Scalar::U64(v) => Scalar::U64(v.checked_neg()?),
        Scalar::Bint8(_) => return None,
        Scalar::F32(v) => Scalar::F32(turned(dense, v)),
        Scalar::F64(v) => Scalar::F64(turned(dense, v)),
        Scalar::ComplexF32(parts) => Scalar::ComplexF32(parts.map(|part| turned(dense, part))),
        Scalar::ComplexF64(parts) => Scalar::ComplexF64(parts.map(|part| turned(dense, part))),
    })
}
