//! Types in which values are computed.

use nnz_core::{Element, Error, Place, Result, Values};

/// A float type in which values are computed: `f32` or `f64`.
pub trait Float: Element + Copy + Default + PartialOrd + Into<f64> {
    /// Rounds a number to this type.
    fn of(number: f64) -> Self;

    /// Adds rows of a dense matrix, each multiplied by a value, to `sums`. Returns whether all rows exist.
    fn add_rows(sums: &mut [Self], values: &[Self], indices: &[u32], rows: &[Self]) -> bool;

    /// Adds a row, multiplied by each value, to rows of `sums`. Returns whether all rows exist.
    fn add_to_rows(sums: &mut [Self], values: &[Self], indices: &[u32], row: &[Self]) -> bool;

    /// Adds numbers.
    fn add(sums: &mut [Self], numbers: &[Self]);

    /// Multiplies numbers by a factor.
    fn scale(numbers: &mut [Self], factor: f64);

    /// Multiplies each number by the factor at an index; NaN without one.
    fn scale_at(numbers: &mut [Self], factors: &[f64], indices: &[u32]);

    /// Replaces numbers by `ln(1 + number)`.
    fn log1p(numbers: &mut [Self]);
}

macro_rules! floats {
    ($($float:ident, $add_rows:ident, $add_to_rows:ident, $log1p:expr;)*) => {
        $(impl Float for $float {
            #[allow(clippy::cast_possible_truncation, reason = "it rounds")]
            fn of(number: f64) -> Self {
                number as Self
            }

            fn add_rows(sums: &mut [Self], values: &[Self], indices: &[u32], rows: &[Self]) -> bool {
                nnz_bitpack::$add_rows(sums, values, indices, rows)
            }

            fn add_to_rows(sums: &mut [Self], values: &[Self], indices: &[u32], row: &[Self]) -> bool {
                nnz_bitpack::$add_to_rows(sums, values, indices, row)
            }

            fn add(sums: &mut [Self], numbers: &[Self]) {
                sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            }

            fn scale(numbers: &mut [Self], factor: f64) {
                let factor = Self::of(factor);
                numbers.iter_mut().for_each(|number| *number *= factor);
            }

            #[allow(clippy::cast_possible_truncation, reason = "it rounds, as for all factors")]
            fn scale_at(numbers: &mut [Self], factors: &[f64], indices: &[u32]) {
                for (number, index) in numbers.iter_mut().zip(indices) {
                    *number *= factors.get(*index as usize).copied().unwrap_or(f64::NAN) as Self;
                }
            }

            fn log1p(numbers: &mut [Self]) {
                $log1p(numbers);
            }
        })*
    };
}

floats! {
    f32, add_rows_f32, add_to_rows_f32, nnz_bitpack::log1p_f32;
    f64, add_rows_f64, add_to_rows_f64, log1p_f64;
}

fn log1p_f64(numbers: &mut [f64]) {
    numbers.iter_mut().for_each(|number| *number = number.ln_1p());
}

/// Rounds values to a float type, into `into`. A shared value is repeated `count` times.
///
/// # Errors
///
/// Fails for complex numbers.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "it rounds")]
pub(super) fn round_into<T: Float>(values: &Values, count: usize, into: &mut Vec<T>) -> Result<()> {
    macro_rules! each {
        ($list:expr, $of:expr) => {{
            into.clear();
            into.extend($list.iter().map($of));
        }};
    }
    // 32 bits and less, which the compiler converts in vectors, do not go through 64-bit floats.
    if let Some(into) = (into as &mut dyn std::any::Any).downcast_mut::<Vec<f32>>()
        && narrow_into(values, into)
    {
        return Ok(());
    }
    match values {
        Values::U8(all) => each!(all, |&v| T::of(v.into())),
        Values::U16(all) => each!(all, |&v| T::of(v.into())),
        Values::U32(all) => each!(all, |&v| T::of(v.into())),
        Values::U64(all) => each!(all, |&v| T::of(v as f64)),
        Values::I8(all) => each!(all, |&v| T::of(v.into())),
        Values::I16(all) => each!(all, |&v| T::of(v.into())),
        Values::I32(all) => each!(all, |&v| T::of(v.into())),
        Values::I64(all) => each!(all, |&v| T::of(v as f64)),
        Values::F32(all) => each!(all, |&v| T::of(v.into())),
        Values::F64(all) => each!(all, |&v| T::of(v)),
        Values::Iso(scalar) => match scalar.to_f64() {
            Some(number) => {
                into.clear();
                into.resize(count, T::of(number));
            }
            None => return Err(complex()),
        },
        Values::ComplexF32(_) | Values::ComplexF64(_) => return Err(complex()),
        other => {
            into.clear();
            let numbers = (0..count).map(|at| other.get(at).and_then(nnz_core::Scalar::to_f64));
            into.extend(numbers.map(|number| T::of(number.unwrap_or(0.0))));
        }
    }
    Ok(())
}

/// Rounds values to `f32` where that is one conversion.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "it rounds")]
fn narrow_into(values: &Values, into: &mut Vec<f32>) -> bool {
    into.clear();
    match values {
        Values::U8(all) => into.extend(all.iter().map(|&v| f32::from(v))),
        Values::U16(all) => into.extend(all.iter().map(|&v| f32::from(v))),
        Values::U32(all) => into.extend(all.iter().map(|&v| v as f32)),
        Values::I8(all) => into.extend(all.iter().map(|&v| f32::from(v))),
        Values::I16(all) => into.extend(all.iter().map(|&v| f32::from(v))),
        Values::I32(all) => into.extend(all.iter().map(|&v| v as f32)),
        Values::F32(all) => into.extend_from_slice(all),
        Values::F64(all) => into.extend(all.iter().map(|&v| v as f32)),
        _ => return false,
    }
    true
}

/// The error for complex numbers.
pub(super) fn complex() -> Error {
    Error::unsupported(Place::default(), "computing with complex numbers is not supported")
}
