//! Conversion between vectors of Rust and NumPy arrays, without copying where possible.

use bytemuck::allocation::cast_vec;
use nnz::matrix::{Bint8, Minors};
use nnz::{ValueType, Values};
use numpy::{Element, IntoPyArray as _, PyArray1, PyArrayMethods as _};
use pyo3::prelude::*;

use crate::error::argument;

/// Returns the name of a type in NumPy.
pub(crate) fn dtype_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Bint8 => "bool",
        ValueType::ComplexF32 => "complex64",
        ValueType::ComplexF64 => "complex128",
        other => other.name(),
    }
}

/// Returns the type with this name, in NumPy or in the command.
pub(crate) fn value_type(py: Python<'_>, name: &str) -> PyResult<ValueType> {
    let named = ValueType::ALL.iter().find(|known| dtype_name(**known) == name);
    match named {
        Some(found) => Ok(*found),
        None => name.parse().map_err(|error| argument(py, format!("type {name:?}: {error}"))),
    }
}

/// Returns the type of values to write, by its name in NumPy.
pub(crate) fn written_type(py: Python<'_>, name: &str) -> PyResult<ValueType> {
    let named = ValueType::ALL.iter().find(|known| dtype_name(**known) == name);
    named.copied().ok_or_else(|| argument(py, format!("values of type {name} cannot be written")))
}

/// Converts values to an array; a shared value is repeated `count` times.
pub(crate) fn from_values(
    py: Python<'_>,
    values: Values,
    count: usize,
) -> PyResult<Bound<'_, PyAny>> {
    let values = match values {
        Values::Iso(scalar) => scalar.repeat(count),
        values => values,
    };
    let seen_as = dtype_name(values.value_type());
    let view = |array: Bound<'_, PyAny>| array.call_method1("view", (seen_as,)).map(Bound::unbind);
    let array = match values {
        Values::U8(values) => values.into_pyarray(py).into_any(),
        Values::U16(values) => values.into_pyarray(py).into_any(),
        Values::U32(values) => values.into_pyarray(py).into_any(),
        Values::U64(values) => values.into_pyarray(py).into_any(),
        Values::I8(values) => values.into_pyarray(py).into_any(),
        Values::I16(values) => values.into_pyarray(py).into_any(),
        Values::I32(values) => values.into_pyarray(py).into_any(),
        Values::I64(values) => values.into_pyarray(py).into_any(),
        Values::F32(values) => values.into_pyarray(py).into_any(),
        Values::F64(values) => values.into_pyarray(py).into_any(),
        Values::Bint8(values) => {
            let bytes: Vec<u8> = cast_vec(values);
            return Ok(view(bytes.into_pyarray(py).into_any())?.into_bound(py));
        }
        Values::ComplexF32(values) => {
            let parts: Vec<f32> = cast_vec(values);
            return Ok(view(parts.into_pyarray(py).into_any())?.into_bound(py));
        }
        Values::ComplexF64(values) => {
            let parts: Vec<f64> = cast_vec(values);
            return Ok(view(parts.into_pyarray(py).into_any())?.into_bound(py));
        }
        Values::Iso(_) => return Err(argument(py, "a shared value was not repeated")),
    };
    Ok(array)
}

/// Converts booleans, which tables do not support, to 0 and 1.
pub(crate) fn booleans_as_numbers(values: Values) -> Values {
    match values {
        Values::Bint8(truth) => Values::U8(cast_vec(truth)),
        values => values,
    }
}

/// Copies values from an array of one dimension, which is contiguous and in native byte order.
pub(crate) fn to_values(array: &Bound<'_, PyAny>) -> PyResult<Values> {
    let py = array.py();
    let dtype: String = array.getattr("dtype")?.getattr("name")?.extract()?;
    let seen = |as_type: &str| array.call_method1("view", (as_type,));
    Ok(match &*dtype {
        "uint8" => Values::U8(vector(array)?),
        "uint16" => Values::U16(vector(array)?),
        "uint32" => Values::U32(vector(array)?),
        "uint64" => Values::U64(vector(array)?),
        "int8" => Values::I8(vector(array)?),
        "int16" => Values::I16(vector(array)?),
        "int32" => Values::I32(vector(array)?),
        "int64" => Values::I64(vector(array)?),
        "float32" => Values::F32(vector(array)?),
        "float64" => Values::F64(vector(array)?),
        "bool" => Values::Bint8(truths(array)?.map(|truth| Bint8(truth.into())).collect()),
        "complex64" => {
            let parts: Vec<f32> = vector(&seen("float32")?)?;
            Values::ComplexF32(parts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
        }
        "complex128" => {
            let parts: Vec<f64> = vector(&seen("float64")?)?;
            Values::ComplexF64(parts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
        }
        other => return Err(argument(py, format!("values of type {other} cannot be written"))),
    })
}

/// Copies an array of booleans. Every byte but 0 is true, as in NumPy.
pub(crate) fn truths(array: &Bound<'_, PyAny>) -> PyResult<impl Iterator<Item = bool>> {
    let bytes: Vec<u8> = vector(&array.call_method1("view", ("uint8",))?)?;
    Ok(bytes.into_iter().map(|byte| byte != 0))
}

/// Copies an array of one dimension, which is contiguous.
pub(crate) fn vector<T: Element + Copy>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    /// The length of arrays that are copied without the GIL.
    const LONG: usize = 1 << 16;
    let (py, array) = (array.py(), array.cast::<PyArray1<T>>()?);
    let array = array.try_readonly()?;
    let values = array.as_slice()?;
    Ok(if values.len() < LONG { values.to_vec() } else { py.detach(|| values.to_vec()) })
}

/// Copies indices from an array of `int32` or `int64`, which must not be negative.
pub(crate) fn to_minors(array: &Bound<'_, PyAny>) -> PyResult<Minors> {
    let py = array.py();
    let negative = || argument(py, "an index is negative");
    if let Ok(indices) = vector::<i32>(array) {
        if py.detach(|| indices.iter().any(|index| *index < 0)) {
            return Err(negative());
        }
        return Ok(Minors::U32(cast_vec(indices)));
    }
    let indices: Vec<i64> = vector(array)?;
    if py.detach(|| indices.iter().any(|index| *index < 0)) {
        return Err(negative());
    }
    Ok(Minors::U64(cast_vec(indices)))
}

/// Converts `indptr` and indices to arrays with the index type of SciPy: 32 bits if the shape and the number of
/// entries fit, otherwise 64. Indices of 32 bits are not copied.
pub(crate) fn from_indices<'py>(
    py: Python<'py>,
    pointers: Vec<u64>,
    minors: Minors,
    extents: [u64; 2],
) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let fits = |number: u64| i32::try_from(number).is_ok();
    let entries = pointers.last().copied().unwrap_or(0);
    if fits(entries) && extents.into_iter().all(fits) {
        let narrow = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
        let pointers: Vec<i32> = pointers.into_iter().map(narrow).collect();
        let indices: Vec<i32> = match minors {
            Minors::U32(indices) => cast_vec(indices),
            Minors::U64(indices) => indices.into_iter().map(narrow).collect(),
            Minors::Spans(_) => return Err(argument(py, "expected indices, not spans")),
        };
        return Ok([pointers.into_pyarray(py).into_any(), indices.into_pyarray(py).into_any()]);
    }
    let pointers: Vec<i64> = cast_vec(pointers);
    let indices: Vec<i64> = match minors {
        Minors::U32(indices) => indices.into_iter().map(i64::from).collect(),
        Minors::U64(indices) => cast_vec(indices),
        Minors::Spans(_) => return Err(argument(py, "expected indices, not spans")),
    };
    Ok([pointers.into_pyarray(py).into_any(), indices.into_pyarray(py).into_any()])
}
