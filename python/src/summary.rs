//! Summaries of writing as dictionaries.

use nnz::Summary;
use nnz::frames::FrameSummary;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Converts the summary of a matrix, or of a file with several.
pub(crate) fn of_matrix<'py>(py: Python<'py>, summary: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let shape = match &summary.dimensions {
        Some(dimensions) => dimensions.clone(),
        None => vec![summary.shape.rows, summary.shape.cols],
    };
    let made = PyDict::new(py);
    made.set_item("shape", pyo3::types::PyTuple::new(py, shape)?)?;
    made.set_item("entries", summary.entries)?;
    made.set_item("bytes_before", summary.bytes_before)?;
    made.set_item("bytes_after", summary.bytes_after)?;
    made.set_item("disk", summary.disk)?;
    made.set_item("seconds", summary.seconds)?;
    made.set_item("dropped", &summary.dropped)?;
    made.set_item("left_out", &summary.left_out)?;
    made.set_item("notes", &summary.notes)?;
    Ok(made)
}

/// Converts the summary of a table, whose entries are its cells.
pub(crate) fn of_frame<'py>(
    py: Python<'py>,
    summary: &FrameSummary,
) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    made.set_item("shape", (summary.rows, summary.cols))?;
    made.set_item("entries", summary.rows.saturating_mul(summary.cols))?;
    made.set_item("bytes_before", summary.bytes_before)?;
    made.set_item("bytes_after", summary.bytes_after.unwrap_or(0))?;
    made.set_item("disk", 0)?;
    made.set_item("seconds", summary.seconds)?;
    let none: [&str; 0] = [];
    made.set_item("dropped", none)?;
    made.set_item("left_out", none)?;
    made.set_item("notes", &summary.notes)?;
    Ok(made)
}
