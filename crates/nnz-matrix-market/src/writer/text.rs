//! Values as text that is parsed as the same value.

use nnz_core::{At, Bint8, Error, ErrorKind, Place, Result, Rounding, Scalar, ValueType};

use super::super::Symmetry;

/// The quiet NaN without a payload, which readers parse `nan` as.
const PLAIN_NAN: u64 = 0x7ff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;

/// A value in one of the forms of the format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    /// An unsigned integer that does not fit into int64.
    Large(u64),
    Real(f64),
    Complex([f64; 2]),
}

/// A value that can be converted to a [`Number`] exactly.
pub(super) trait ToNumber: Copy {
    fn number(self) -> Number;
}

macro_rules! integers {
    ($($t:ty)*) => {
        $(impl ToNumber for $t {
            #[inline]
            fn number(self) -> Number { Number::Integer(self.into()) }
        })*
    };
}
integers!(u8 u16 u32 i8 i16 i32 i64);

impl ToNumber for u64 {
    #[inline]
    fn number(self) -> Number {
        i64::try_from(self).map_or(Number::Large(self), Number::Integer)
    }
}

impl ToNumber for Bint8 {
    #[inline]
    fn number(self) -> Number {
        self.0.number()
    }
}

impl ToNumber for f64 {
    #[inline]
    fn number(self) -> Number {
        Number::Real(self)
    }
}

impl ToNumber for f32 {
    #[inline]
    fn number(self) -> Number {
        Number::Real(widen(self))
    }
}

impl ToNumber for [f64; 2] {
    #[inline]
    fn number(self) -> Number {
        Number::Complex(self)
    }
}

impl ToNumber for [f32; 2] {
    #[inline]
    fn number(self) -> Number {
        Number::Complex(self.map(widen))
    }
}

/// Converts a float to 64 bits, including the payload of a NaN.
#[inline]
fn widen(value: f32) -> f64 {
    if !value.is_nan() {
        return f64::from(value);
    }
    match Scalar::F32(value).cast(ValueType::F64, Rounding::Refused) {
        Ok(Scalar::F64(wide)) => wide,
        _ => f64::from(value),
    }
}

/// Runs `$body` with `$number` as a function from the position of a value to its [`Number`].
macro_rules! with_numbers {
    ($values:expr, $number:ident => $body:expr) => {
        with_numbers!(@ $values, $number => $body;
            U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 Bint8 ComplexF32 ComplexF64)
    };
    (@ $values:expr, $number:ident => $body:expr; $($variant:ident)*) => {
        match $values {
            $(nnz_core::Values::$variant(values) => {
                let $number = |at: usize| $crate::writer::text::ToNumber::number(values[at]);
                $body
            })*
            nnz_core::Values::Iso(scalar) => {
                let shared = match *scalar {
                    $(nnz_core::Scalar::$variant(value) => {
                        $crate::writer::text::ToNumber::number(value)
                    })*
                };
                let $number = |_: usize| shared;
                $body
            }
        }
    };
}
pub(super) use with_numbers;

impl Number {
    /// Returns the value across the diagonal, from which this one follows; `None` if there is none.
    ///
    /// In an `array`, positive zero is across the diagonal from positive zero, so no element can have
    /// the zero that would be mirrored to a negative one.
    pub(super) fn mirrored(self, symmetry: Symmetry, array: bool) -> Option<Self> {
        let mirrored = match (symmetry, self) {
            (Symmetry::SkewSymmetric, Self::Integer(v)) => Self::Integer(v.checked_neg()?),
            // The only large integer whose negative fits.
            (Symmetry::SkewSymmetric, Self::Large(v)) => {
                Self::Integer(0_i64.checked_sub_unsigned(v)?)
            }
            (Symmetry::SkewSymmetric, Self::Real(v)) => Self::Real(-v),
            (Symmetry::SkewSymmetric, Self::Complex([re, im])) => Self::Complex([-re, -im]),
            (Symmetry::Hermitian, Self::Complex([re, im])) => Self::Complex([re, -im]),
            (_, same) => return Some(same),
        };
        match (self.is_positive_zero(), mirrored.is_positive_zero()) {
            (true, _) if array => Some(self),
            (false, true) if array => None,
            _ => Some(mirrored),
        }
    }

    /// Returns whether it is zero, without a negative zero in any part.
    fn is_positive_zero(self) -> bool {
        match self {
            Self::Integer(v) => v == 0,
            Self::Large(v) => v == 0,
            Self::Real(v) => v.to_bits() == 0,
            Self::Complex(parts) => parts.iter().all(|part| part.to_bits() == 0),
        }
    }
}

/// Returns the word for a NaN, if it is one. One that no word represents is an error unless
/// `lossy`.
#[inline]
pub(super) fn check_nan(value: f64, lossy: bool) -> Result<Option<&'static [u8]>> {
    if !value.is_nan() {
        return Ok(None);
    }
    let bits = value.to_bits();
    if bits & !SIGN != PLAIN_NAN && !lossy {
        return Err(Error::mismatch(
            Place::default(),
            format_args!("a NaN with the bits {bits:#018x}"),
            format_args!(
                "{PLAIN_NAN:#018x}, the only NaN that text can represent (or its negative)"
            ),
        ));
    }
    // NaNs computed by a processor often have the sign set. Readers accept `-nan`.
    Ok(Some(if bits & SIGN == 0 { b"nan" } else { b"-nan" }))
}

/// Fails for an unsigned integer that does not fit into int64.
#[cold]
pub(super) fn check_integer(found: u64) -> Result<()> {
    let kind =
        ErrorKind::Inexact { found: Scalar::U64(found), target: ValueType::I64, holds: None };
    Err(Error::new(kind, Place::default()))
}

/// Adds the entry to an error.
#[cold]
pub(super) fn at_entry(error: Error, path: &std::path::Path, row: u64, col: u64) -> Error {
    error.with_context(&Place::path(path).at(At::Entry { row, col }))
}
