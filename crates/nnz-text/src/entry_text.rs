//! Numbers as text that readers parse as the same value.

use nnz_core::{Error, ErrorKind, Place, Result, Scalar, ValueType, Values, write_float64};

/// The types of values that are written: all but complex numbers.
pub(crate) const VALUE_TYPES: &[ValueType] = &[
    ValueType::Bint8,
    ValueType::I8,
    ValueType::I16,
    ValueType::I32,
    ValueType::I64,
    ValueType::U8,
    ValueType::U16,
    ValueType::U32,
    ValueType::U64,
    ValueType::F32,
    ValueType::F64,
];

/// The quiet NaN without a payload, which `nan` is parsed as.
const PLAIN_NAN: u64 = 0x7ff8_0000_0000_0000;

/// Appends an integer.
#[inline]
pub(crate) fn write_integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a float. A NaN with a payload is refused unless `lossy`.
pub(crate) fn write_real(out: &mut Vec<u8>, value: f64, lossy: bool) -> Result<()> {
    let bits = value.to_bits();
    if value.is_nan() && bits != PLAIN_NAN && !lossy {
        let found = format_args!("a NaN with the bits {bits:#018x}");
        let expected = format_args!("{PLAIN_NAN:#018x}, the only NaN that text can represent");
        return Err(Error::mismatch(Place::default(), found, expected));
    }
    write_float64(out, value);
    Ok(())
}

/// Appends a value of a batch.
#[inline]
pub(crate) fn write_value(
    out: &mut Vec<u8>,
    values: &Values,
    entry: usize,
    lossy: bool,
) -> Result<()> {
    match values {
        Values::F64(values) => write_real(out, values.get(entry).copied().unwrap_or(0.0), lossy),
        Values::I64(values) => {
            write_integer(out, values.get(entry).copied().unwrap_or(0));
            Ok(())
        }
        Values::U32(values) => {
            write_integer(out, values.get(entry).copied().unwrap_or(0));
            Ok(())
        }
        other => write_any(out, other.get(entry), lossy),
    }
}

fn write_any(out: &mut Vec<u8>, value: Option<Scalar>, lossy: bool) -> Result<()> {
    match value {
        // Readers parse 64-bit floats.
        Some(value @ (Scalar::F32(_) | Scalar::F64(_))) => {
            match value.cast(ValueType::F64, nnz_core::Rounding::Refused) {
                Ok(Scalar::F64(value)) => write_real(out, value, lossy),
                _ => Err(unsupported()),
            }
        }
        Some(Scalar::ComplexF32(_) | Scalar::ComplexF64(_)) | None => Err(unsupported()),
        Some(value) => {
            nnz_core::write_scalar(out, value, " ");
            Ok(())
        }
    }
}

fn unsupported() -> Error {
    Error::new(ErrorKind::Argument("a value of another type".to_owned()), Place::default())
}
