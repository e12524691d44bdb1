//! Summaries of writing as dictionaries.

use nnz::Summary;
use nnz::engine::SummaryContent;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Converts the summary of data of any kind. Only that of fragments has the key `fragments`.
pub(crate) fn of_conversion<'py>(
    py: Python<'py>,
    summary: &Summary,
) -> PyResult<Bound<'py, PyDict>> {
    let made = PyDict::new(py);
    let set_shape = |shape: Vec<u64>| {
        made.set_item("entries", summary.entries)?;
        made.set_item("left_out", &summary.left_out)?;
        made.set_item("shape", pyo3::types::PyTuple::new(py, shape)?)
    };
    match &summary.content {
        SummaryContent::Fragments { chromosomes, cells } => {
            made.set_item("fragments", summary.entries)?;
            made.set_item("chromosomes", chromosomes)?;
            made.set_item("cells", cells)?;
        }
        SummaryContent::Matrices(_) => set_shape(Vec::new())?,
        SummaryContent::Tensor(extents) => set_shape(extents.clone())?,
        _ => set_shape(vec![summary.shape.rows, summary.shape.cols])?,
    }
    made.set_item("bytes_before", summary.bytes_before)?;
    made.set_item("bytes_after", summary.bytes_after)?;
    made.set_item("disk", summary.disk)?;
    made.set_item("seconds", summary.seconds)?;
    made.set_item("dropped", &summary.dropped)?;
    made.set_item("notes", &summary.notes)?;
    Ok(made)
}
