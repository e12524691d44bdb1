//! Exact conversion between value types.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "each cast is checked by casting back, or rounds if the caller allows it"
)]

use crate::{Bint8, Element, Scalar, ValueType, Values};

/// Handling of floats that a narrower float type cannot represent exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// Refuse it. The default.
    #[default]
    Refused,
    /// Round to the nearest. Values out of range, integers that a float type does not have, fractions
    /// for integers and lost signs are still refused.
    Nearest,
}

/// The first value that cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CastError {
    /// The index of the value.
    pub index: usize,
    /// The value.
    pub found: Scalar,
}

/// Converts a value exactly or, if `rounding` allows it, a float to the nearest narrower one.
trait CastFrom<A>: Sized {
    fn cast_from(value: A, rounding: Rounding) -> Option<Self>;
}

macro_rules! from_integers {
    ($from:ty => int $($int:ty)*, float $($float:ty)*) => {
        $(impl CastFrom<$from> for $int {
            #[inline]
            fn cast_from(value: $from, _: Rounding) -> Option<Self> {
                <$int>::try_from(value).ok()
            }
        })*
        $(impl CastFrom<$from> for $float {
            #[inline]
            fn cast_from(value: $from, _: Rounding) -> Option<Self> {
                let float = value as $float;
                // Through i128, as a float just out of range would saturate back to the integer.
                (float as i128 == i128::from(value)).then_some(float)
            }
        })*
        impl CastFrom<$from> for Bint8 {
            #[inline]
            fn cast_from(value: $from, _: Rounding) -> Option<Self> {
                (value == 0 || value == 1).then_some(Bint8(value as u8))
            }
        }
    };
}

macro_rules! every_integer {
    ($($from:ty)*) => {
        $(from_integers!($from => int u8 u16 u32 u64 i8 i16 i32 i64, float f32 f64);)*
    };
}
every_integer!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! from_floats {
    ($from:ty => $($int:ty)*) => {
        $(impl CastFrom<$from> for $int {
            #[inline]
            fn cast_from(value: $from, _: Rounding) -> Option<Self> {
                // Truncates and saturates, so only a whole number in range is equal after casting
                // back. The limits of 64-bit types are rounded up as floats, which the comparison
                // as i128 finds.
                let int = value as $int;
                let whole = int as i128 as $from == value && value as i128 == int as i128;
                (whole && !(value == 0.0 && value.is_sign_negative())).then_some(int)
            }
        })*
        impl CastFrom<$from> for Bint8 {
            #[inline]
            fn cast_from(value: $from, rounding: Rounding) -> Option<Self> {
                u8::cast_from(value, rounding).and_then(|v| Bint8::cast_from(v, rounding))
            }
        }
    };
}
from_floats!(f32 => u8 u16 u32 u64 i8 i16 i32 i64);
from_floats!(f64 => u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! same {
    ($($t:ty)*) => {
        $(impl CastFrom<$t> for $t {
            #[inline]
            fn cast_from(value: $t, _: Rounding) -> Option<Self> { Some(value) }
        })*
    };
}
same!(f32 f64 Bint8);

macro_rules! from_bint8 {
    ($($t:ty)*) => {
        $(impl CastFrom<Bint8> for $t {
            #[inline]
            fn cast_from(value: Bint8, rounding: Rounding) -> Option<Self> {
                <$t>::cast_from(value.0, rounding)
            }
        })*
    };
}
from_bint8!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

impl CastFrom<f32> for f64 {
    #[inline]
    fn cast_from(value: f32, _: Rounding) -> Option<Self> {
        if value.is_nan() {
            // By its bits: the processor would set the quiet bit of a signalling NaN.
            let bits = u64::from(value.to_bits());
            let sign = (bits >> 31) << 63;
            let payload = (bits & 0x007f_ffff) << 29;
            return Some(f64::from_bits(sign | 0x7ff0_0000_0000_0000 | payload));
        }
        Some(f64::from(value))
    }
}

impl CastFrom<f64> for f32 {
    #[inline]
    fn cast_from(value: f64, rounding: Rounding) -> Option<Self> {
        if value.is_nan() {
            let bits = value.to_bits();
            let sign = ((bits >> 63) as u32) << 31;
            let payload = ((bits >> 29) & 0x007f_ffff) as u32;
            let exact = bits & 0x1fff_ffff == 0;
            return match (exact, rounding) {
                (true, _) => Some(f32::from_bits(sign | 0x7f80_0000 | payload)),
                (false, Rounding::Nearest) => Some(f32::from_bits(sign | 0x7fc0_0000 | payload)),
                (false, Rounding::Refused) => None,
            };
        }
        let float = value as f32;
        let exact = f64::from(float) == value;
        let rounded = rounding == Rounding::Nearest && float.is_finite();
        (exact || rounded).then_some(float)
    }
}

fn cast_slice<A: Element, B: Element + CastFrom<A>>(
    from: &[A],
    into: &mut Vec<B>,
    rounding: Rounding,
) -> Result<(), CastError> {
    into.clear();
    into.reserve(from.len());
    for (index, &value) in from.iter().enumerate() {
        match B::cast_from(value, rounding) {
            Some(v) => into.push(v),
            None => {
                return Err(CastError { index, found: value.scalar() });
            }
        }
    }
    Ok(())
}

macro_rules! into_any {
    ($from:expr, $target:expr, $rounding:expr, $into:expr; $($variant:ident $rust:ty),*) => {
        match $target {
            $(ValueType::$variant => cast_slice($from, <$rust>::vec_mut($into), $rounding),)*
            ValueType::ComplexF32 => {
                let mut parts = Vec::<f32>::new();
                cast_slice($from, &mut parts, $rounding)?;
                *$into = Values::ComplexF32(parts.into_iter().map(|re| [re, 0.0]).collect());
                Ok(())
            }
            ValueType::ComplexF64 => {
                let mut parts = Vec::<f64>::new();
                cast_slice($from, &mut parts, $rounding)?;
                *$into = Values::ComplexF64(parts.into_iter().map(|re| [re, 0.0]).collect());
                Ok(())
            }
        }
    };
}

fn cast_real<A: Element>(
    from: &[A],
    target: ValueType,
    rounding: Rounding,
    into: &mut Values,
) -> Result<(), CastError>
where
    u8: CastFrom<A>,
    u16: CastFrom<A>,
    u32: CastFrom<A>,
    u64: CastFrom<A>,
    i8: CastFrom<A>,
    i16: CastFrom<A>,
    i32: CastFrom<A>,
    i64: CastFrom<A>,
    f32: CastFrom<A>,
    f64: CastFrom<A>,
    Bint8: CastFrom<A>,
{
    into_any!(from, target, rounding, into;
        U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64,
        F32 f32, F64 f64, Bint8 Bint8)
}

/// Casts complex numbers to a complex type; real types cannot represent them.
fn cast_complex<A: Element>(
    from: &[[A; 2]],
    target: ValueType,
    rounding: Rounding,
    into: &mut Values,
) -> Result<(), CastError>
where
    [A; 2]: Element,
    f32: CastFrom<A>,
    f64: CastFrom<A>,
{
    fn pairs<A: Element, B: Element + CastFrom<A>>(
        from: &[[A; 2]],
        into: &mut Vec<[B; 2]>,
        rounding: Rounding,
    ) -> Result<(), CastError>
    where
        [A; 2]: Element,
    {
        into.clear();
        for (index, &[re, im]) in from.iter().enumerate() {
            match (B::cast_from(re, rounding), B::cast_from(im, rounding)) {
                (Some(re), Some(im)) => into.push([re, im]),
                _ => {
                    return Err(CastError { index, found: from[index].scalar() });
                }
            }
        }
        Ok(())
    }
    match target {
        ValueType::ComplexF32 => pairs(from, <[f32; 2]>::vec_mut(into), rounding),
        ValueType::ComplexF64 => pairs(from, <[f64; 2]>::vec_mut(into), rounding),
        _ => match from.first() {
            Some(value) => Err(CastError { index: 0, found: value.scalar() }),
            None => {
                *into = Values::new(target);
                Ok(())
            }
        },
    }
}

impl Values {
    /// Converts all values to another type, into `into`.
    ///
    /// ```
    /// use nnz_core::{Rounding, ValueType, Values};
    /// let mut ints = Values::new(ValueType::U32);
    /// let from = Values::F64(vec![3.0, 2.5]);
    /// let error = from.cast_into(ValueType::U32, Rounding::Refused, &mut ints).unwrap_err();
    /// assert_eq!(error.index, 1);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first value that the target type cannot represent: out of range, a fraction, a
    /// negative zero or NaN for an integer type, digits or a NaN payload that a narrower float
    /// loses, any complex number for a real type.
    pub fn cast_into(
        &self,
        target: ValueType,
        rounding: Rounding,
        into: &mut Self,
    ) -> Result<(), CastError> {
        match self {
            Self::U8(v) => cast_real(v, target, rounding, into),
            Self::U16(v) => cast_real(v, target, rounding, into),
            Self::U32(v) => cast_real(v, target, rounding, into),
            Self::U64(v) => cast_real(v, target, rounding, into),
            Self::I8(v) => cast_real(v, target, rounding, into),
            Self::I16(v) => cast_real(v, target, rounding, into),
            Self::I32(v) => cast_real(v, target, rounding, into),
            Self::I64(v) => cast_real(v, target, rounding, into),
            Self::F32(v) => cast_real(v, target, rounding, into),
            Self::F64(v) => cast_real(v, target, rounding, into),
            Self::Bint8(v) => cast_real(v, target, rounding, into),
            Self::ComplexF32(v) => cast_complex(v, target, rounding, into),
            Self::ComplexF64(v) => cast_complex(v, target, rounding, into),
            Self::Iso(scalar) => {
                *into = Self::Iso(scalar.cast(target, rounding)?);
                Ok(())
            }
        }
    }
}

impl Scalar {
    /// Converts one value as [`Values::cast_into`].
    ///
    /// # Errors
    ///
    /// Returns the value if the type cannot represent it.
    pub fn cast(self, target: ValueType, rounding: Rounding) -> Result<Self, CastError> {
        let refused = CastError { index: 0, found: self };
        let mut one = Values::new(target);
        self.repeat(1).cast_into(target, rounding, &mut one)?;
        one.get(0).ok_or(refused)
    }

    /// Returns a type of `types`, ordered from narrow to wide, that represents exactly a value that does not fit
    /// `target`: for an integer the smallest integer type of at least the size of `target`, otherwise the widest
    /// type of the same kind.
    #[must_use]
    pub fn exact_alternative(self, target: ValueType, types: &[ValueType]) -> Option<ValueType> {
        let own = self.value_type();
        let same_kind = |t: &ValueType| {
            t.is_complex() == own.is_complex()
                && *t != ValueType::Bint8
                && self.cast(*t, Rounding::Refused).is_ok()
        };
        let mut exact = types.iter().copied().filter(same_kind);
        let integers = exact
            .clone()
            .filter(|t| own.is_integer() && t.is_integer() && t.size() >= target.size());
        let signed = |t: ValueType| {
            matches!(t, ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64)
        };
        integers
            .min_by_key(|t| (t.size(), signed(*t) != signed(target)))
            .or_else(|| exact.next_back())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: Scalar, target: ValueType) -> Option<Scalar> {
        value.cast(target, Rounding::Refused).ok()
    }

    #[test]
    fn integers_are_cast_if_they_fit() {
        assert_eq!(exact(Scalar::I64(-1), ValueType::U32), None);
        assert_eq!(exact(Scalar::I64(4_294_967_295), ValueType::U32), Some(Scalar::U32(u32::MAX)));
        assert_eq!(exact(Scalar::I64(4_294_967_296), ValueType::U32), None);
        assert_eq!(exact(Scalar::I64((1 << 53) + 1), ValueType::F64), None);
        assert_eq!(exact(Scalar::U64(u64::MAX), ValueType::F64), None);
        assert_eq!(exact(Scalar::U32((1 << 24) + 1), ValueType::F32), None);
        assert_eq!(
            exact(Scalar::I64(i64::MIN), ValueType::F64),
            Some(Scalar::F64(-(2f64.powi(63))))
        );
        assert_eq!(exact(Scalar::U8(2), ValueType::Bint8), None);
        assert_eq!(exact(Scalar::Bint8(Bint8(1)), ValueType::U32), Some(Scalar::U32(1)));
    }

    #[test]
    fn whole_floats_in_range_become_integers() {
        assert_eq!(exact(Scalar::F64(2.7), ValueType::U32), None);
        assert_eq!(exact(Scalar::F64(5e9), ValueType::U32), None);
        assert_eq!(exact(Scalar::F64(-0.0), ValueType::I32), None);
        assert_eq!(exact(Scalar::F64(f64::NAN), ValueType::U8), None);
        assert_eq!(exact(Scalar::F64(f64::INFINITY), ValueType::U64), None);
        assert_eq!(exact(Scalar::F64(2f64.powi(64)), ValueType::U64), None);
        assert_eq!(exact(Scalar::F64(2f64.powi(63)), ValueType::I64), None);
        assert_eq!(
            exact(Scalar::F64(-(2f64.powi(63))), ValueType::I64),
            Some(Scalar::I64(i64::MIN))
        );
        assert_eq!(exact(Scalar::F32(16_777_216.0), ValueType::U32), Some(Scalar::U32(1 << 24)));
    }

    #[test]
    fn narrower_floats_are_exact_or_refused() {
        assert_eq!(exact(Scalar::F64(0.1), ValueType::F32), None);
        assert_eq!(exact(Scalar::F64(0.5), ValueType::F32), Some(Scalar::F32(0.5)));
        assert_eq!(exact(Scalar::F64(1e300), ValueType::F32), None);
        assert!(Scalar::F64(1e300).cast(ValueType::F32, Rounding::Nearest).is_err());
        assert_eq!(Scalar::F64(0.1).cast(ValueType::F32, Rounding::Nearest), Ok(Scalar::F32(0.1)));
    }

    #[test]
    fn integers_are_never_rounded() {
        for (value, target) in [
            (Scalar::I64((1 << 53) + 1), ValueType::F64),
            (Scalar::U64(u64::MAX), ValueType::F64),
            (Scalar::I32((1 << 24) + 1), ValueType::F32),
            (Scalar::I64(i64::MIN + 1), ValueType::ComplexF64),
            (Scalar::U32(u32::MAX), ValueType::ComplexF32),
        ] {
            assert!(value.cast(target, Rounding::Nearest).is_err(), "{value:?}");
        }
        let exact = Scalar::I64(1 << 60).cast(ValueType::F32, Rounding::Nearest);
        assert_eq!(exact, Ok(Scalar::F32(1_152_921_504_606_846_976.0)));
    }

    #[test]
    fn nan_payloads_are_kept_or_refused() {
        // NA_real_ of R: a NaN with 1954 in its low bits, which do not fit in 32 bits.
        let na = f64::from_bits(0x7ff0_0000_0000_07a2);
        assert!(Scalar::F64(na).cast(ValueType::F32, Rounding::Refused).is_err());
        for bits in [0x7fc0_0000_u32, 0x7f80_0001, 0xffc1_2345] {
            let wide = match exact(Scalar::F32(f32::from_bits(bits)), ValueType::F64) {
                Some(Scalar::F64(v)) => v,
                other => panic!("{other:?}"),
            };
            assert!(wide.is_nan());
            match exact(Scalar::F64(wide), ValueType::F32) {
                Some(Scalar::F32(v)) => assert_eq!(v.to_bits(), bits),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn complex_numbers_are_not_cast_to_real_types() {
        assert_eq!(exact(Scalar::ComplexF64([1.0, 0.0]), ValueType::F64), None);
        assert_eq!(
            exact(Scalar::I32(3), ValueType::ComplexF64),
            Some(Scalar::ComplexF64([3.0, 0.0]))
        );
    }

    #[test]
    fn the_alternative_for_an_integer_is_the_smallest_integer_type() {
        use ValueType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

        let all = [U8, I8, U16, I16, U32, I32, U64, I64, F32, F64];
        assert_eq!(Scalar::I64(-1).exact_alternative(U32, &all), Some(I32));
        assert_eq!(Scalar::I64(300).exact_alternative(I8, &all), Some(I16));
        assert_eq!(Scalar::I64(5_000_000_000).exact_alternative(U32, &all), Some(U64));
        assert_eq!(Scalar::I64((1 << 53) + 1).exact_alternative(F64, &all), Some(U64));
        assert_eq!(Scalar::F64(2.5).exact_alternative(U32, &all), Some(F64));
        let floats = [U32, F32, F64];
        assert_eq!(Scalar::I64(-1).exact_alternative(U32, &floats), Some(F64));
        assert_eq!(Scalar::I64((1 << 53) + 1).exact_alternative(U32, &floats), None);
    }
}
