//! Type promotion of NumPy.

use nnz_core::ValueType;

/// Returns the promoted type of two types. For 64-bit integers with and without sign, that is a
/// float, which does not hold all of their values.
pub(super) fn promoted(a: ValueType, b: ValueType) -> ValueType {
    use ValueType::{ComplexF32, ComplexF64, F32, F64, I16, I32, I64};
    let (a_signed, b_signed) = (is_signed(a), is_signed(b));
    match (a, b) {
        _ if a == b => a,
        (ValueType::Bint8, other) | (other, ValueType::Bint8) => other,
        _ if a.is_integer() && b.is_integer() => {
            if a_signed == b_signed {
                return if a.size() > b.size() { a } else { b };
            }
            let (signed, unsigned) = if a_signed { (a, b) } else { (b, a) };
            match unsigned.size() {
                size if size < signed.size() => signed,
                1 => I16,
                2 => I32,
                4 => I64,
                _ => F64,
            }
        }
        _ => match (a.is_complex() || b.is_complex(), part(a).max(part(b))) {
            (false, 4) => F32,
            (false, _) => F64,
            (true, 4) => ComplexF32,
            (true, _) => ComplexF64,
        },
    }
}

fn is_signed(value_type: ValueType) -> bool {
    use ValueType::{I8, I16, I32, I64};
    matches!(value_type, I8 | I16 | I32 | I64)
}

/// Returns the bytes of the float for a number, or for each part of a complex number.
fn part(value_type: ValueType) -> usize {
    match value_type.size() {
        size if value_type.is_complex() => size / 2,
        // Floats of 32 bits hold integers of 16 bits.
        size if value_type.is_integer() => {
            if size <= 2 {
                4
            } else {
                8
            }
        }
        size => size,
    }
}

#[cfg(test)]
mod tests {
    use super::promoted;
    use nnz_core::ValueType::{
        self, Bint8, ComplexF32, ComplexF64, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64,
    };

    #[test]
    fn types_are_promoted_as_in_numpy() {
        let cases: [(ValueType, ValueType, ValueType); 14] = [
            (I8, I64, I64),
            (U8, I8, I16),
            (U16, I8, I32),
            (U32, I32, I64),
            (U64, I64, F64),
            (U8, I32, I32),
            (Bint8, U16, U16),
            (F32, I16, F32),
            (F32, I32, F64),
            (F32, F64, F64),
            (ComplexF32, I64, ComplexF64),
            (ComplexF32, U8, ComplexF32),
            (F64, ComplexF32, ComplexF64),
            (U64, U64, U64),
        ];
        for (a, b, expected) in cases {
            assert_eq!((promoted(a, b), promoted(b, a)), (expected, expected), "{a} {b}");
        }
    }
}
