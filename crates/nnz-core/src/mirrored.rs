//! Values mirrored at the diagonal.

use crate::{Scalar, Structure};

impl Structure {
    /// Returns the value of the mirrored entry, or `None` if the type cannot represent it. If
    /// `dense`, every element is stored, and the mirror of a positive zero is a positive zero.
    /// Otherwise negation also applies to zeros and to the parts of complex numbers.
    #[must_use]
    pub fn mirrored(self, dense: bool, value: Scalar) -> Option<Scalar> {
        match self {
            Self::General | Self::Symmetric(_) => Some(value),
            Self::SkewSymmetric(_) => negate(dense, value),
            Self::Hermitian(_) => Some(match value {
                Scalar::ComplexF32(value) => Scalar::ComplexF32(conjugate(dense, value)),
                Scalar::ComplexF64(value) => Scalar::ComplexF64(conjugate(dense, value)),
                real => real,
            }),
        }
    }
}

/// Negates every part. If `dense`, a positive zero stays a positive zero.
fn negate_parts<F, const N: usize>(dense: bool, parts: [F; N]) -> [F; N]
where
    F: std::ops::Neg<Output = F> + Copy + Into<f64>,
{
    let positive_zero = parts.iter().all(|&part| part.into().to_bits() == 0);
    if dense && positive_zero { parts } else { parts.map(F::neg) }
}

fn conjugate<F>(dense: bool, value: [F; 2]) -> [F; 2]
where
    F: std::ops::Neg<Output = F> + Copy + Into<f64>,
{
    [value[0], negate_parts(dense, value)[1]]
}

/// Negates the value, or returns `None` if the type cannot represent the result.
fn negate(dense: bool, value: Scalar) -> Option<Scalar> {
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
        Scalar::F32(v) => Scalar::F32(negate_parts(dense, [v])[0]),
        Scalar::F64(v) => Scalar::F64(negate_parts(dense, [v])[0]),
        Scalar::ComplexF32(parts) => Scalar::ComplexF32(negate_parts(dense, parts)),
        Scalar::ComplexF64(parts) => Scalar::ComplexF64(negate_parts(dense, parts)),
    })
}
