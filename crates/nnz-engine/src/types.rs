//! Types that hold all values of others.

use nnz_core::ValueType;
use nnz_core::ValueType::{
    Bint8, ComplexF32, ComplexF64, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64,
};

/// Returns the smallest type that holds all values of both exactly; `None` if there is none.
#[must_use]
pub fn common_type(a: ValueType, b: ValueType) -> Option<ValueType> {
    if a == b {
        return Some(a);
    }
    let smallest = [Bint8, U8, I8, U16, I16, U32, I32, F32, U64, I64, F64, ComplexF32, ComplexF64];
    smallest.into_iter().find(|&target| holds(target, a) && holds(target, b))
}

/// Returns the promoted type of NumPy: the smallest that holds all values of both, or 64-bit floats for 64-bit
/// integers with floats or with integers of the other signedness, which these may not hold exactly.
#[must_use]
pub fn promoted_type(a: ValueType, b: ValueType) -> ValueType {
    let complex = [a, b].iter().any(|t| matches!(t, ComplexF32 | ComplexF64));
    common_type(a, b).unwrap_or(if complex { ComplexF64 } else { F64 })
}

/// Returns the narrowest of some types that holds all values of a type exactly. For integers, this
/// is an integer if possible.
#[must_use]
pub fn narrowest_type(source: ValueType, of: &[ValueType]) -> Option<ValueType> {
    let whole = source.is_integer() && of.iter().any(|t| t.is_integer());
    let sign = |t: ValueType| integer(t).map(|(signed, _)| signed);
    let of = of.iter().copied().filter(|&t| holds(t, source) && (!whole || t.is_integer()));
    of.min_by_key(|&t| (t.size(), sign(t) != sign(source)))
}

/// Returns whether all values of a type are values of another.
fn holds(target: ValueType, source: ValueType) -> bool {
    let (Some((signed, bits)), Some(room)) = (integer(source), integer(target)) else {
        return match (source, target) {
            _ if source == target => true,
            (F32, F64 | ComplexF32 | ComplexF64) | (F64, ComplexF64) => true,
            (ComplexF32, ComplexF64) => true,
            (_, F32 | ComplexF32) => integer(source).is_some_and(|(_, bits)| bits <= 24),
            (_, F64 | ComplexF64) => integer(source).is_some_and(|(_, bits)| bits <= 53),
            _ => false,
        };
    };
    match (signed, room) {
        (false, (_, room)) => bits <= room,
        (true, (true, room)) => bits <= room,
        (true, (false, _)) => false,
    }
}

/// Returns whether integers are signed, and their size in bits.
fn integer(value_type: ValueType) -> Option<(bool, u32)> {
    Some(match value_type {
        Bint8 => (false, 1),
        U8 => (false, 8),
        U16 => (false, 16),
        U32 => (false, 32),
        U64 => (false, 64),
        I8 => (true, 7),
        I16 => (true, 15),
        I32 => (true, 31),
        I64 => (true, 63),
        F32 | F64 | ComplexF32 | ComplexF64 => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnz_core::{Rounding, Scalar};

    #[test]
    fn common_types_are_the_smallest_that_hold_both() {
        for (a, b, both) in [
            (Bint8, U32, Some(U32)),
            (U8, I8, Some(I16)),
            (U32, I8, Some(I64)),
            (U32, I64, Some(I64)),
            (U64, I8, None),
            (U16, F32, Some(F32)),
            (U32, F32, Some(F64)),
            (U32, F64, Some(F64)),
            (I64, F64, None),
            (F32, F64, Some(F64)),
            (F64, ComplexF32, Some(ComplexF64)),
            (I16, ComplexF32, Some(ComplexF32)),
            (I32, ComplexF32, Some(ComplexF64)),
            (U64, ComplexF64, None),
        ] {
            assert_eq!(common_type(a, b), both, "{a} and {b}");
            assert_eq!(common_type(b, a), both, "{b} and {a}");
        }
        // Promotion of NumPy if no type holds both.
        for (a, b, both) in [
            (U64, I8, F64),
            (I64, F32, F64),
            (U64, ComplexF32, ComplexF64),
            (U32, F32, F64),
            (Bint8, I16, I16),
        ] {
            assert_eq!(promoted_type(a, b), both, "{a} and {b}");
        }
    }

    #[test]
    fn narrowest_types_keep_signedness_if_possible() {
        let daphne = [I8, I32, I64, U8, U32, U64, F32, F64];
        for (source, expected) in
            [(U16, U32), (I16, I32), (I8, I8), (U64, U64), (Bint8, U8), (F32, F32), (F64, F64)]
        {
            assert_eq!(narrowest_type(source, &daphne), Some(expected), "{source}");
        }
        let bpcells = [U32, F32, F64];
        assert_eq!(narrowest_type(U8, &bpcells), Some(U32));
        // A float would hold these, but integers stay integers.
        assert_eq!(narrowest_type(I16, &bpcells), None);
        assert_eq!(narrowest_type(U8, &[F64, F32]), Some(F32));
        assert_eq!(narrowest_type(ComplexF32, &daphne), None);
    }

    #[test]
    fn minimum_and_maximum_of_a_type_are_exact_in_wider_types() {
        let ends = [
            [Scalar::Bint8(nnz_core::Bint8(0)), Scalar::Bint8(nnz_core::Bint8(1))],
            [Scalar::U8(0), Scalar::U8(u8::MAX)],
            [Scalar::I8(i8::MIN), Scalar::I8(i8::MAX)],
            [Scalar::U16(0), Scalar::U16(u16::MAX)],
            [Scalar::I16(i16::MIN), Scalar::I16(i16::MAX)],
            [Scalar::U32(0), Scalar::U32(u32::MAX)],
            [Scalar::I32(i32::MIN), Scalar::I32(i32::MAX)],
            [Scalar::U64(0), Scalar::U64(u64::MAX)],
            [Scalar::I64(i64::MIN), Scalar::I64(i64::MAX)],
            [Scalar::F32(-0.0), Scalar::F32(f32::MAX)],
            [Scalar::F64(f64::from_bits(0x7ff0_0000_0000_07a2)), Scalar::F64(f64::MAX)],
            [Scalar::ComplexF32([-0.0, f32::MIN_POSITIVE]), Scalar::ComplexF32([f32::MAX; 2])],
            [Scalar::ComplexF64([-0.0, f64::MIN_POSITIVE]), Scalar::ComplexF64([f64::MAX; 2])],
        ];
        for [least, greatest] in ends {
            for &target in ValueType::ALL.iter().filter(|t| **t != Bint8) {
                let survives = |value: Scalar| value.cast(target, Rounding::Refused).is_ok();
                let both = survives(least) && survives(greatest);
                // The limits of a wide type can be round numbers by chance; values of held types
                // are exact.
                if holds(target, least.value_type()) {
                    assert!(both, "{} in {target}", least.value_type());
                }
            }
        }
    }
}
