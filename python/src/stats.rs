//! Statistics as arrays.

use nnz::engine::{Measures, Moments, Number};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::argument;

/// Sums, means, variances, minima, maxima, and numbers of entries, as far as requested.
pub(crate) type StatsArrays<'py> = [Bound<'py, PyAny>; 6];

/// Parses what to compute.
pub(crate) fn measure(py: Python<'_>, name: &str) -> PyResult<Measures> {
    match name {
        "nnz" => Ok(Measures::Nnz),
        "nonzero" => Ok(Measures::Nonzero),
        "nonzero sums" => Ok(Measures::NonzeroSums),
        "sums" => Ok(Measures::Sums),
        "variance" => Ok(Measures::Variance),
        "extremes" => Ok(Measures::Extremes),
        "all" => Ok(Measures::All),
        _ => {
            let names = r#""nnz", "nonzero", "sums", "variance", "extremes" or "all""#;
            Err(argument(py, format!("measures {name:?}: expected {names}")))
        }
    }
}

/// Converts statistics to arrays.
pub(crate) fn columns_of<'py>(py: Python<'py>, found: &[Moments]) -> PyResult<StatsArrays<'py>> {
    let total = |one: &Moments| one.total.map(|total| total.sum);
    let floats = |one: &dyn Fn(&Moments) -> Option<f64>| {
        let values: Vec<f64> = found.iter().map(|found| one(found).unwrap_or(f64::NAN)).collect();
        values.into_pyarray(py).into_any()
    };
    let counts: Vec<u64> = found.iter().map(|found| found.nnz).collect();
    Ok([
        numbers(py, found.iter().map(total).collect())?,
        floats(&|one| one.total.map(|total| total.mean)),
        floats(&|one| one.spread.map(|spread| spread.variance)),
        numbers(py, found.iter().map(|one| one.spread.and_then(|spread| spread.min)).collect())?,
        numbers(py, found.iter().map(|one| one.spread.and_then(|spread| spread.max)).collect())?,
        counts.into_pyarray(py).into_any(),
    ])
}

/// Creates an array of floats or 64-bit integers, or a list if one is missing or larger.
fn numbers(py: Python<'_>, all: Vec<Option<Number>>) -> PyResult<Bound<'_, PyAny>> {
    let float = |number: &Option<Number>| match number {
        Some(Number::Float(number)) => Some(*number),
        _ => None,
    };
    if let Some(floats) = all.iter().map(float).collect::<Option<Vec<f64>>>() {
        return Ok(floats.into_pyarray(py).into_any());
    }
    let integer = |number: &Option<Number>| match number {
        Some(Number::Integer(number)) => i64::try_from(*number).ok(),
        _ => None,
    };
    if let Some(integers) = all.iter().map(integer).collect::<Option<Vec<i64>>>() {
        return Ok(integers.into_pyarray(py).into_any());
    }
    let made = PyList::empty(py);
    for number in all {
        match number {
            Some(Number::Integer(number)) => made.append(number)?,
            Some(Number::Float(number)) => made.append(number)?,
            None => made.append(py.None())?,
        }
    }
    Ok(made.into_any())
}
