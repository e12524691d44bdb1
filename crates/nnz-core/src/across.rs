//! Values that follow from those across the diagonal.

use crate::{Scalar, Structure};

impl Structure {
    /// Returns the value across the diagonal from `value`, where the type has it. In what is `dense`,
    /// a plain zero is a cell like any other, and its mirror image is one, too. Any other zero turns
    /// its sign, as that of one part of a complex number.
    #[must_use]
    pub fn across(self, dense: bool, value: Scalar) -> Option<Scalar> {
        match self {
            Self::General | Self::Symmetric(_) => Some(value),
            Self::SkewSymmetric(_) => negated(dense, value),
            Self::Hermitian(_) => Some(match value {
                Scalar::ComplexF32(value) => Scalar::ComplexF32(conjugated(dense, value)),
                Scalar::ComplexF64(value) => Scalar::ComplexF64(conjugated(dense, value)),
                real => real,
            }),
        }
    }
}

/// Turns the sign of every part. In what stores every cell, the mirror image of plain zero is plain zero.
fn turned<F, const N: usize>(dense: bool, parts: [F; N]) -> [F; N]
where
    F: std::ops::Neg<Output = F> + Copy + Into<f64>,
{
    let plain = parts.iter().all(|&part| part.into().to_bits() == 0);
    if dense && plain { parts } else { parts.map(F::neg) }
}

fn conjugated<F>(dense: bool, value: [F; 2]) -> [F; 2]
where
    F: std::ops::Neg<Output = F> + Copy + Into<f64>,
{
    [value[0], turned(dense, value)[1]]
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
        Scalar::F32(v) => Scalar::F32(turned(dense, [v])[0]),
        Scalar::F64(v) => Scalar::F64(turned(dense, [v])[0]),
        Scalar::ComplexF32(parts) => Scalar::ComplexF32(turned(dense, parts)),
        Scalar::ComplexF64(parts) => Scalar::ComplexF64(turned(dense, parts)),
    })
}
