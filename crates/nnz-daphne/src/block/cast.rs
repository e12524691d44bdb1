//! Converting the values of a block to the type of its object.

use nnz_core::{At, CastError, Error, ErrorKind, Place, Result, Rounding, ValueType, Values};

/// Runs a block of code with `$T` as the Rust type of a value type.
macro_rules! with_type {
    ($value_type:expr, $T:ident => $code:expr) => {
        match $value_type {
            nnz_core::ValueType::U8 => {
                type $T = u8;
                $code
            }
            nnz_core::ValueType::U16 => {
                type $T = u16;
                $code
            }
            nnz_core::ValueType::U32 => {
                type $T = u32;
                $code
            }
            nnz_core::ValueType::U64 => {
                type $T = u64;
                $code
            }
            nnz_core::ValueType::I8 => {
                type $T = i8;
                $code
            }
            nnz_core::ValueType::I16 => {
                type $T = i16;
                $code
            }
            nnz_core::ValueType::I32 => {
                type $T = i32;
                $code
            }
            nnz_core::ValueType::I64 => {
                type $T = i64;
                $code
            }
            nnz_core::ValueType::F32 => {
                type $T = f32;
                $code
            }
            nnz_core::ValueType::F64 => {
                type $T = f64;
                $code
            }
            other => Err($crate::block::refused_type(other)),
        }
    };
}
pub(crate) use with_type;

/// Returns the error for a value type that no dialect has.
pub(crate) fn refused_type(value_type: ValueType) -> Error {
    Error::unsupported(Place::default(), format!("a DAPHNE file cannot store {value_type}"))
}

/// Returns the error for a value that does not fit the type of the object.
pub(crate) fn refused_value(place: Place, offender: CastError, target: ValueType) -> Error {
    Error::new(ErrorKind::Inexact { found: offender.found, target, holds: None }, place)
}

/// Converts values of one type to another, exactly.
pub(crate) struct Widen {
    pub(crate) target: ValueType,
}

impl Widen {
    /// Converts `values` in place; `spare` is a temporary buffer. `locate` returns the location of
    /// an entry.
    pub(crate) fn apply(
        &self,
        values: &mut Values,
        locate: impl Fn(usize) -> (u64, u64),
    ) -> Result<()> {
        if values.value_type() == self.target {
            return Ok(());
        }
        let mut wide = Values::new(self.target);
        values.cast_into(self.target, Rounding::Refused, &mut wide).map_err(|offender| {
            let (row, col) = locate(offender.index);
            refused_value(Place::default().at(At::Entry { row, col }), offender, self.target)
        })?;
        *values = wide;
        Ok(())
    }
}
